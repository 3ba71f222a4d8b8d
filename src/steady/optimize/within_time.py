"""Fitting a suite into the time of a pull request: all of it, or parts of it in rotation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from steady.harness import harness_named
from steady.model import Identity
from steady.optimize.entries import Subject
from steady.optimize.over_time import OverTimeError
from steady.optimize.strategy import Chooser, Strategy
from steady.optimize.suite_parts import fewest_parts, longest_part

_HALVINGS = 24  # of the interval between the shortest and the longest time of all parts together
_ROUNDING = 1e-9


def fitted(strategy: Strategy, subjects: Sequence[Subject]) -> tuple[Chooser, int]:
    """Return the chooser that uses the time best, and after how many pull requests all is measured.

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


def least_time(strategy: Strategy, subjects: Sequence[Subject]) -> float:
    """Return the shortest time budget that a suite fits into, one benchmark at a time."""
    suite = _Suite(strategy, subjects)
    seconds = suite.seconds(None)
    return suite.start + longest_part(seconds, suite.important, max(len(seconds), 1))


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
        """Return what base and head of each benchmark take; without a chooser, at least."""
        return {s.benchmark.identity: round(_seconds(s, chooser), 3) for s in self.subjects}

    def in_rotation(self, error: OverTimeError) -> tuple[Chooser, int]:
        """Return the chooser that uses the time best with the fewest parts, and their number."""
        room = error.time_budget - self.start
        parts = fewest_parts(self.seconds(None), self.important, room)
        if parts is None:
            raise error

        def chosen(seconds: float) -> Any:
            chooser = self.chooser(seconds)
            fits = longest_part(self.seconds(chooser), self.important, parts) <= room
            return chooser if fits else None

        low = error.least * (1 + _ROUNDING)
        high = max(low, parts * error.time_budget)
        best = self.chooser(low)
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            found = chosen(middle)
            if found is None:
                high = middle
            else:
                best, low = found, middle
        return best, parts


def _seconds(subject: Subject, chooser: Any) -> float:
    if subject.material is None:
        return subject.kept_seconds
    if chooser is None:
        return float(subject.offer.least_seconds)
    return float(chooser.pair_seconds(subject.offer))
