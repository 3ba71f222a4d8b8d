"""A plan cut into parts of nearly equal time, one for each machine."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import replace

from steady.errors import InputError
from steady.model import Identity
from steady.optimize.plan import BenchmarkPlan, Plan


def shards(plan: Plan, count: int) -> tuple[Plan, ...]:
    """Cut a plan into `count` parts of nearly equal seconds.

    The longest benchmark is dealt out first, and each goes to the part that is shortest so far. All
    forks of a benchmark, of base and of head, stay together, because one machine has to run both.

    Parameters
    ----------
    plan : Plan
        The plan of the whole suite.
    count : int
        Number of parts, from 1 to the number of benchmarks.

    Returns
    -------
    tuple of Plan
        Each with its benchmarks in the plan's order; the same plan gives the same parts. The
        longest takes at most 4/3 of the shortest possible time (Graham, SIAM J. Appl. Math. 17,
        1969).

    Raises
    ------
    InputError
        If `count` is larger than the number of benchmarks, or below 1.
    """
    if not 1 <= count <= max(len(plan), 1):
        raise InputError(
            f"{count} shards were asked for, and the plan holds {len(plan)} benchmarks; "
            f"give a number from 1 to {max(len(plan), 1)}"
        )
    places = dict(_deal(plan, count))
    return tuple(
        replace(plan, benchmarks=tuple(b for b in plan.benchmarks if places[b.identity] == number))
        for number in range(count)
    )


def _deal(plan: Plan, count: int) -> Iterator[tuple[Identity, int]]:
    """Yield which part each benchmark goes to."""
    loads = [(0.0, number) for number in range(count)]
    for benchmark in sorted(plan.benchmarks, key=_longest_first):
        seconds, number = heapq.heappop(loads)
        heapq.heappush(loads, (seconds + benchmark.seconds, number))
        yield benchmark.identity, number


def _longest_first(benchmark: BenchmarkPlan) -> tuple[float, str]:
    return -benchmark.seconds, benchmark.identity.label
