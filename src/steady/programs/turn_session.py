"""A session that interleaves two processes if possible, and otherwise runs them one by one."""

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from steady.errors import SteadyError
from steady.harness.runs import Session, Turn, all_or_none
from steady.harness.trial import Trial, TrialError
from steady.model import Identity
from steady.programs.process import Ended


class NotInTurnError(SteadyError):
    """Raised if two processes of a benchmark cannot be interleaved; the message is one line."""


@dataclass
class TurnSession(Session):
    """A session with turns, except for benchmarks that proved unable to take them."""

    _obstacles: dict[Identity, str] = field(default_factory=dict, init=False)

    @abstractmethod
    def lacks(self, trials: Sequence[Trial]) -> str:
        """Return in one line which requirement of turns is missing; empty if none is."""

    @abstractmethod
    def run_in_turn(self, trials: Sequence[Trial], results: Sequence[Path]) -> Sequence[Ended]:
        """Run two interleaved processes; valid only if both have the same number of turns.

        Raises
        ------
        NotInTurnError
            If they cannot be interleaved.
        """

    @abstractmethod
    def keep(self, ended: Ended, trial: Trial, result: Path) -> None:
        """Store the measurements of a process; raise TrialError if some are missing."""

    def obstacle(self, trials: Sequence[Trial]) -> str:
        """Return in one line why two processes cannot take turns; empty if they can."""
        return self.lacks(trials) or self._obstacles.get(trials[0].identity, "")

    def measure_in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[Turn | TrialError]:
        """Run two interleaved processes.

        If this fails, they run one after the other, in this and all later rounds, and `obstacle`
        returns the reason.
        """
        if not self.obstacle(trials):
            with suppress(NotInTurnError), all_or_none(results):
                return self._in_turn(trials, results)
        return super().measure_in_turn(trials, results)

    def _in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[Turn | TrialError]:
        try:
            both = self.run_in_turn(trials, results)
        except NotInTurnError as reason:
            self._obstacles[trials[0].identity] = str(reason)
            raise
        in_turn = both[0].turns == both[1].turns
        outcomes: list[Turn | TrialError] = []
        for ended, trial, result in zip(both, trials, results, strict=True):
            try:
                self.keep(ended, trial, result)
                outcomes.append(Turn(None, in_turn=in_turn))
            except TrialError as error:
                outcomes.append(error)
        return outcomes
