"""The trials of a run up to the next decision."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from steady.engine.journal import Kind
from steady.harness.trial import Trial


@dataclass
class Batch:
    """The trials up to a decision, measured in passes.

    A pass considers its trials in order and postpones those of lower priority to the next pass.
    There is a next pass as long as the previous one measured any trial.
    """

    kind: Kind
    trials: Sequence[Trial]
    queue: deque[Trial] = field(init=False)
    waiting: list[Trial] = field(default_factory=list)
    skipped: list[Trial] = field(default_factory=list)
    measured: int = 0

    def __post_init__(self) -> None:
        self.queue = deque(self.trials)

    def next_pass(self) -> bool:
        """Begin another pass; return False if there is none."""
        if not self.waiting or not self.measured:
            return False
        self.queue, self.waiting, self.measured = deque(self.waiting), [], 0
        return True
