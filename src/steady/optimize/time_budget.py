"""Fit a suite, or parts of it in rotation, into the time budget of a pull request.

If nothing fits, the error reports the time required.
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
    """The time budget is too short.

    Parameters
    ----------
    time_budget : float
        Given time budget, in seconds.
    least : float
        Required time budget, in seconds.
    one_by_one : bool
        Whether even one benchmark per pull request exceeds it.
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
        """Required seconds, rounded up."""
        return math.ceil(self.least)

    @property
    def complaint(self) -> str:
        """The error, without advice."""
        return f"time_budget is {self.time_budget:g} s; {self._what} at least {self.enough} s"


_HALVINGS = 24  # of the range of the total time of all parts
_ROUNDING = 1e-9


def fit_to_time(strategy: Strategy, subjects: Sequence[Subject]) -> tuple[Chooser, int]:
    """Return the chooser that uses the time best, and the number of pull requests of a rotation.

    Raises
    ------
    OverTimeError
        If the important benchmarks with one other benchmark exceed the time budget.
    """
    suite = _Suite(strategy, subjects)
    try:
        return suite.chooser(), 1
    except OverTimeError as error:
        return suite.in_rotation(error)


@dataclass(frozen=True)
class _Suite:
    """A suite and its strategy."""

    strategy: Any  # has the field time_budget if a budget is given
    subjects: Sequence[Subject]

    @property
    def start(self) -> float:
        """Start-up seconds of the harness."""
        harness = next((subject.harness for subject in self.subjects), "")
        return harness_named(harness).cost.start_seconds

    @property
    def important(self) -> frozenset[Identity]:
        """The benchmarks that are in every part."""
        return frozenset(s.benchmark.identity for s in self.subjects if s.important)

    def chooser(self, time_budget: float | None = None) -> Any:
        """Return the strategy's chooser, for a different time budget if given."""
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
        """Return the best chooser with the fewest parts, and their number."""
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
