"""A suite cut into parts of nearly equal time: one for each machine, or one for each run."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import replace

from steady.errors import InputError
from steady.model import Identity
from steady.optimize.plan import Plan


def shards(plan: Plan, count: int) -> tuple[Plan, ...]:
    """Cut a plan into `count` parts of nearly equal seconds.

    All forks of a benchmark, of base and of head, stay together, because one machine has to run
    both.

    Parameters
    ----------
    plan : Plan
        The plan of the whole suite.
    count : int
        Number of parts, from 1 to the number of benchmarks.

    Returns
    -------
    tuple of Plan
        Each with its benchmarks in the plan's order; see `deal`.

    Raises
    ------
    InputError
        If `count` is larger than the number of benchmarks, or below 1.
    """
    check_parts(count, len(plan), "plan")
    places = deal({entry.identity: entry.seconds for entry in plan.benchmarks}, count)
    return tuple(
        replace(plan, benchmarks=tuple(b for b in plan.benchmarks if places[b.identity] == number))
        for number in range(count)
    )


def check_parts(count: int, benchmarks: int, holder: str) -> None:
    """Raise InputError unless `holder` can be cut into so many parts."""
    if not 1 <= count <= max(benchmarks, 1):
        raise InputError(
            f"{count} shards were asked for, and the {holder} holds {benchmarks} benchmarks; "
            f"give a number from 1 to {max(benchmarks, 1)}"
        )


def deal(seconds: Mapping[Identity, float], count: int) -> dict[Identity, int]:
    """Return which of `count` parts, from 0, each benchmark goes to.

    The longest benchmark is placed first, and each goes to the part that is shortest so far.

    Parameters
    ----------
    seconds : mapping of Identity to float
        What each benchmark takes.
    count : int
        Number of parts, at least 1.

    Returns
    -------
    dict of Identity to int
        The same for the same seconds, whatever their order. The longest part takes at most 4/3 of
        the shortest possible time (Graham, SIAM J. Appl. Math. 17, 1969).
    """
    loads = [(0.0, number) for number in range(count)]
    places = {}
    for identity in sorted(seconds, key=lambda one: (-seconds[one], one.label)):
        load, number = heapq.heappop(loads)
        heapq.heappush(loads, (load + seconds[identity], number))
        places[identity] = number
    return places
