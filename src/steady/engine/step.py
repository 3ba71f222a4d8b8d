"""The unit of work of a run: the forks that run simultaneously."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby

from steady.engine.journal import Kind
from steady.harness.trial import Trial


def rounds_of(trials: Iterable[Trial]) -> tuple[tuple[Trial, ...], ...]:
    """Group adjacent trials by benchmark and round."""
    groups = groupby(trials, key=lambda trial: (trial.round, trial.identity))
    return tuple(tuple(group) for _, group in groups)


@dataclass(frozen=True, slots=True)
class Step:
    """The forks that a run measures simultaneously.

    It is one fork, or several interleaved ones of a benchmark: base and head, or base twice and
    head; or several such groups, each interleaved by itself. `Session.obstacle` returns why a
    harness cannot run some simultaneously, and `Session.measure_in_turn` measures them.

    Parameters
    ----------
    trials : tuple of Trial
        One for each fork, those of a benchmark next to each other.
    kind : {"planned", "further", "screening"}
        Whether they were planned, follow from an interim analysis, or only screen.
    process : str
        Name of the process that all groups share (`Session.measure_shared`); empty if each group
        has its own.
    """

    trials: tuple[Trial, ...]
    kind: Kind
    process: str = ""

    @property
    def groups(self) -> tuple[tuple[Trial, ...], ...]:
        """The forks of each benchmark."""
        return rounds_of(self.trials)

    @property
    def seconds(self) -> float:
        """Expected seconds of all forks, one group after the other."""
        return sum(trial.seconds for trial in self.trials)

    def part(self, trials: tuple[Trial, ...]) -> "Step":
        """Return the step of some of the forks."""
        return replace(self, trials=trials)
