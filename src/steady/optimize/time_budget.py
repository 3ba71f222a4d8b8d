"""The time of a pull request: a suite that fits into it, all or parts of it in rotation.

Where nothing fits, the error names the options with which a plan would.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from steady.errors import InputError
from steady.harness import harness_named
from steady.model import Identity
from steady.optimize.entries import Subject
from steady.optimize.strategy import Chooser, Strategy
from steady.optimize.suite_parts import fewest_parts, longest_part

Ways = tuple[Mapping[str, int | str], ...]
"""Options that make a plan fit, each set by itself."""


class OverTimeError(InputError):
    """A time budget that is too short.

    Parameters
    ----------
    time_budget : float
        The given seconds.
    least : float
        The seconds that it has to be at least.
    ways : tuple of mapping of str to int or str
        Options of `steady.optimize` that make it fit; the first one is a longer `time_budget`.
    one_by_one : bool
        Whether it is too short even for a part of the suite in each pull request.
    important : bool
        Whether some benchmarks are in every part.
    """

    def __init__(
        self,
        time_budget: float,
        least: float,
        ways: Ways = (),
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
        self.ways: Ways = ({"time_budget": math.ceil(least)}, *ways)
        remedies = " or ".join(
            " with ".join(f"{name}={value!r}" for name, value in way.items()) for way in self.ways
        )
        super().__init__(f"{self.complaint}; give {remedies}")

    @property
    def complaint(self) -> str:
        """What is wrong, without advice."""
        return (
            f"time_budget is {self.time_budget:g} s; {self._what} at least "
            f"{math.ceil(self.least)} s"
        )


def ways_to_fit(
    least: Callable[[int, bool], float], time_budget: float, min_forks: int, reduced: bool
) -> Ways:
    """Return the options that make a suite fit into its time budget, the most forks first.

    Parameters
    ----------
    least : callable
        Takes a number of forks, and whether benchmarks without steady state are reduced; returns
        the shortest time budget that the suite then fits into.
    time_budget : float
        Seconds.
    min_forks : int
        The given minimum of forks.
    reduced : bool
        Whether benchmarks without steady state are already reduced.
    """
    ways: list[Mapping[str, int | str]] = []
    most = 0
    for reduce in (True,) if reduced else (False, True):
        fits = (n for n in range(min_forks, most, -1) if least(n, reduce) <= time_budget)
        forks = next(fits, 0)
        if forks > most:  # otherwise the reduction does not help
            fewer: dict[str, int | str] = {} if forks == min_forks else {"min_forks": forks}
            ways.append(fewer | ({"unsteady": "reduce"} if reduce and not reduced else {}))
            most = forks
    return tuple(ways)


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
