"""The time of a pull request: a suite that fits into it, all or parts of it in rotation.

Where nothing fits, the error names the time that would.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from steady.errors import InputError
from steady.harnesses import harness_named
from steady.model import Identity
from steady.optimize.entries import Subject
from steady.optimize.strategy import Chooser, Strategy
from steady.optimize.suite_parts import fewest_parts, longest_part


class OverTimeError(InputError):
    """A time budget that is too short.

    Parameters
    ----------
    time_budget : float
        The given seconds.
    least : float
        The seconds that it has to be at least.
    one_by_one : bool
        Whether it is too short even for a part of the suite in each pull request.
    important : bool
        Whether some benchmarks are in every part.
    """

    def __init__(
        self,
        time_budget: float,
        least: float,
        *,
        one_by_one: bool = False,
        important: bool = False,
    ) -> None:
        self.time_budget, self.least = time_budget, least
        beside = ", and the important ones each time" if important else ""
        self._what = (
            f"one benchmark at a time{beside}, base and head take"
            if one_by_one
            else "base and head of the suite take"
        )
        super().__init__(f"{self.complaint}; give time_budget={self.enough}")

    @property
    def enough(self) -> int:
        """Whole seconds that are enough."""
        return math.ceil(self.least)

    @property
    def complaint(self) -> str:
        """The error, without advice."""
        return f"time_budget is {self.time_budget:g} s; {self._what} at least {self.enough} s"


_HALVINGS = 24  # of the interval between the shortest and the longest time of all parts together
_ROUNDING = 1e-9


def fitted(strategy: Strategy, subjects: Sequence[Subject]) -> tuple[Chooser, int]:
    """Return the chooser that uses the time best, and the number of pull requests of a rotation.

    Raises
    ------
    OverTimeError
        If not even one benchmark at a time fits, beside the important ones.
    """
    suite = _Suite(strategy, subjects)
    try:
        return suite.chooser(), 1
    except OverTimeError as error:
        return suite.in_rotation(error)


@dataclass(frozen=True)
class _Suite:
    """A suite, and the strategy that chooses for it."""

    strategy: Any  # one with a time budget, if there is a budget
    subjects: Sequence[Subject]

    @property
    def start(self) -> float:
        """Seconds of the harness's own start."""
        harness = next((subject.harness for subject in self.subjects), "")
        return harness_named(harness).cost.start_seconds

    @property
    def important(self) -> frozenset[Identity]:
        """The benchmarks of every part."""
        return frozenset(s.benchmark.identity for s in self.subjects if s.important)

    def chooser(self, time_budget: float | None = None) -> Any:
        """Prepare the strategy, for another time budget if one is given."""
        strategy = self.strategy
        if time_budget is not None:
            strategy = replace(strategy, time_budget=time_budget)
        kept = sum(s.kept_seconds for s in self.subjects if s.material is None)
        offers = [s.offer for s in self.subjects if s.material is not None]
        return strategy.prepare(offers, self.start + kept)

    def seconds(self, chooser: Any) -> Mapping[Identity, float]:
        """Return the seconds of base and head of each benchmark; the fewest without a chooser."""
        return {s.benchmark.identity: round(_seconds(s, chooser), 3) for s in self.subjects}

    def in_rotation(self, error: OverTimeError) -> tuple[Chooser, int]:
        """Return the chooser that uses the time best with the fewest parts, and their number."""
        room, least = error.time_budget - self.start, self.seconds(None)
        parts = fewest_parts(least, self.important, room)
        if parts is None:
            raise OverTimeError(
                error.time_budget,
                self.start + longest_part(least, self.important, len(least)),
                one_by_one=len(self.subjects) > 1,
                important=bool(self.important),
            ) from error
        low = error.least * (1 + _ROUNDING)
        high = max(low, parts * error.time_budget)
        best = self.chooser(low)
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            chooser = self.chooser(middle)
            if longest_part(self.seconds(chooser), self.important, parts) <= room:
                best, low = chooser, middle
            else:
                high = middle
        return best, parts


def _seconds(subject: Subject, chooser: Any) -> float:
    if subject.material is None:
        return subject.kept_seconds
    if chooser is None:
        return float(subject.offer.least_seconds)
    return float(chooser.pair_seconds(subject.offer))
