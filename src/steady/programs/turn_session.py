"""A session of two processes that take turns where they can, and run alone where they cannot."""

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
    """A benchmark whose two processes cannot take turns; the message is one line."""


@dataclass
class TurnSession(Session):
    """What takes turns, until it turns out that a benchmark cannot."""

    _obstacles: dict[Identity, str] = field(default_factory=dict, init=False)

    @abstractmethod
    def lacks(self, trials: Sequence[Trial]) -> str:
        """Say in one line what turns would need and is not there; empty if nothing is missing."""

    @abstractmethod
    def run_in_turn(self, trials: Sequence[Trial], results: Sequence[Path]) -> Sequence[Ended]:
        """Run two processes that take turns; all of it was in turn if both had as many turns.

        Raises
        ------
        NotInTurnError
            If they cannot.
        """

    @abstractmethod
    def keep(self, ended: Ended, trial: Trial, result: Path) -> None:
        """Keep what a process measured; raise TrialError if not all of it is there."""

    def obstacle(self, trials: Sequence[Trial]) -> str:
        """Say in one line why two processes cannot take turns; empty if they can."""
        return self.lacks(trials) or self._obstacles.get(trials[0].identity, "")

    def measure_in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[Turn | TrialError]:
        """Run two live processes that take turns.

        If it turns out that they cannot, they run one after the other, now and in all later rounds,
        and `obstacle` says why.
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
