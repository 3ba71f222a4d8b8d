"""Fit a suite into the time budget of a pull request, if necessary in parts.

If a suite exceeds the time budget, its parts are measured in rotation by the runs of successive
pull requests. Important benchmarks are in every part, and each of the others is in one part, so a
rotation measures every benchmark. If not even one benchmark fits, the error reports the time
required.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from steady.errors import InputError
from steady.harnesses import harness_named
from steady.model import Identity
from steady.plan.suite_plan import BenchmarkPlan, Plan

if TYPE_CHECKING:
    from steady.optimize.entries import Subject
    from steady.optimize.strategy import Chooser, Strategy

_ROUNDING = 1e-6  # seconds


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a suite that is measured for a pull request.

    Parameters
    ----------
    plan : Plan
        The plan of the benchmarks to measure.
    number : int
        Number of the part, from 1.
    others : tuple of Identity
        The existing benchmarks that are not measured.
    """

    plan: Plan
    number: int
    others: tuple[Identity, ...]


def part_of_plan(
    plan: Plan,
    pull_request: int,
    held: Collection[Identity] | None = None,
    *,
    first: Collection[Identity] = (),
    reserved: float = 0.0,
) -> Part:
    """Return the part of a plan that is measured for a pull request.

    Parameters
    ----------
    plan : Plan
        A plan that divides the suite among pull requests.
    pull_request : int
        Number of the pull request, or any integer. `Plan.rotation` successive numbers cover every
        benchmark.
    held : collection of Identity, optional
        The existing benchmarks; by default, all of the plan. Benchmarks that no longer exist take
        no time.
    first : collection of Identity
        Benchmarks that are always measured, because they may have changed.
    reserved : float
        Seconds of other work in the same run.

    Returns
    -------
    Part
        Important benchmarks, those of `first`, and those of the part until the plan's time budget
        is exhausted. The result is deterministic. If the budget is too short for the part, each
        rotation begins with a different benchmark of it.
    """
    seconds = pair_seconds_of(plan.benchmarks)
    there = set(plan) if held is None else {identity for identity in plan if identity in held}
    important = {entry.identity for entry in plan.benchmarks if entry.important}
    places = _assignment(seconds, important, plan.rotation)
    number = pull_request % plan.rotation
    always = (important | set(first)) & there
    own = [i for i, place in places.items() if place == number and i in there - always]
    own.sort(key=lambda identity: identity.label)
    begin = pull_request // plan.rotation % max(len(own), 1)
    measured = set(always)
    left = math.inf if plan.time_budget is None else plan.time_budget
    left -= plan.start_seconds + reserved + sum(seconds[identity] for identity in always)
    for identity in own[begin:] + own[:begin]:
        if seconds[identity] <= left + _ROUNDING:
            measured.add(identity)
            left -= seconds[identity]
    return Part(
        replace(plan, benchmarks=tuple(b for b in plan.benchmarks if b.identity in measured)),
        number + 1,
        tuple(identity for identity in plan if identity in there - measured),
    )


def longest_part(
    seconds: Mapping[Identity, float], important: Collection[Identity], parts: int
) -> float:
    """Return the seconds of the longest of `parts` parts, with the important benchmarks.

    Parameters
    ----------
    seconds : mapping of Identity to float
        Seconds of base and head of each benchmark.
    important : collection of Identity
        Benchmarks that are in every part.
    parts : int
        Number of parts, at least 1.
    """
    loads = [0.0] * parts
    for identity, place in _assignment(seconds, important, parts).items():
        loads[place] += seconds[identity]
    return sum(seconds[identity] for identity in important) + max(loads)


def fewest_parts(
    seconds: Mapping[Identity, float], important: Collection[Identity], room: float
) -> int | None:
    """Return the smallest number of parts of at most `room` seconds each.

    Return None if this is impossible because the important benchmarks, alone or with one other
    benchmark, take longer.
    """
    others = [seconds[identity] for identity in seconds if identity not in important]
    left = room - sum(seconds[identity] for identity in important) + _ROUNDING
    if left < 0 or max(others, default=0.0) > left:
        return None
    fewest = math.ceil(sum(others) / left) if left > 0 else 1
    return next(
        parts
        for parts in range(max(fewest, 1), len(others) + 2)
        if longest_part(seconds, important, parts) <= room + _ROUNDING
    )


def parts_within(plan: Plan, benchmarks: Sequence[BenchmarkPlan]) -> int:
    """Return the number of parts that these benchmarks need for a plan's time budget."""
    if plan.time_budget is None:
        return 1
    important = {entry.identity for entry in benchmarks if entry.important}
    room = plan.time_budget - plan.start_seconds
    parts = fewest_parts(pair_seconds_of(benchmarks), important, room)
    return max(len(benchmarks) - len(important), 1) if parts is None else parts


def pair_seconds_of(entries: Iterable[BenchmarkPlan]) -> dict[Identity, float]:
    """Return the seconds of base and head of each benchmark."""
    return {
        entry.identity: 2 * entry.seconds if entry.pair_seconds is None else entry.pair_seconds
        for entry in entries
    }


def _assignment(
    seconds: Mapping[Identity, float], important: Collection[Identity], parts: int
) -> dict[Identity, int]:
    rest = {identity: own for identity, own in seconds.items() if identity not in important}
    return assign_parts(rest, parts)


def assign_parts(seconds: Mapping[Identity, float], count: int) -> dict[Identity, int]:
    """Assign each benchmark to one of `count` parts, from 0.

    Benchmarks are assigned by decreasing time, each to the shortest part so far.

    Parameters
    ----------
    seconds : mapping of Identity to float
        Seconds of each benchmark.
    count : int
        Number of parts, at least 1.

    Returns
    -------
    dict of Identity to int
        Part of each benchmark, independent of their order. The longest part takes at most 4/3 of
        the shortest possible time (Graham, SIAM J. Appl. Math. 17, 1969).
    """
    loads = [(0.0, number) for number in range(count)]
    places = {}
    for identity in sorted(seconds, key=lambda one: (-seconds[one], one.label)):
        load, number = heapq.heappop(loads)
        heapq.heappush(loads, (load + seconds[identity], number))
        places[identity] = number
    return places


class OverTimeError(InputError):
    """The time budget is too short.

    Parameters
    ----------
    time_budget : float
        Given time budget, in seconds.
    least : float
        Required time budget, in seconds.
    one_by_one : bool
        Whether even a single benchmark exceeds the given budget.
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
_MARGIN = 1e-9  # relative


def fit_to_time(strategy: Strategy, subjects: Sequence[Subject]) -> tuple[Chooser, int]:
    """Return the best chooser for the time budget, and the number of parts of the suite.

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
        """Return the seconds of base and head of each benchmark; without a chooser, the minimum."""
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
        low = error.least * (1 + _MARGIN)
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
