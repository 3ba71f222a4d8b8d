"""How near the benchmarks of a Go binary are to what changed, by the ways between functions.

This only sorts benchmarks, and says why they may differ: which one is measured first, never whether
one is left out. Ways through Go's library and calls through interfaces are not followed, so a way
may be longer than it seems, or not be known.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from steady.harness.go.samecode.changed_functions import ChangedFunctions
from steady.harness.go.samecode.functions import Functions

_NAMED_IN = re.compile(r"\.(Benchmark(?![a-z])\w*)(?:\.|$)")

Callers = Mapping[int, Sequence[int]]


class Way(NamedTuple):
    """The shortest way from a benchmark to a change.

    Parameters
    ----------
    distance : int
        How many functions there are on it.
    share : float
        Which share of the code that the benchmark names, by bytes, changed.
    why : str
        What changed at its end.
    """

    distance: int
    share: float
    why: str


def ways_to_changes(changes: ChangedFunctions) -> dict[str, Way]:
    """Return how near each top-level benchmark of head is to a change.

    Parameters
    ----------
    changes : ChangedFunctions
        What differs between base and head.

    Returns
    -------
    dict of str to Way
        By the name of the function, such as ``BenchmarkWords``. Those from which no way is known
        are missing.
    """
    head, own, whys = changes.head, changes.own, changes.whys()
    far = _far(head.callers, whys, own)
    parts: dict[str, list[int]] = {}
    for number, name in enumerate(head.names):
        if own[number] and (match := _NAMED_IN.search(name)):
            parts.setdefault(match[1], []).append(number)
    past = frozenset(number for number, its_own in enumerate(own) if not its_own)
    found = {}
    for name, ones in parts.items():
        ways = [far[one] for one in ones if one in far]
        if ways:
            distance, end = min(ways)
            share = _share(head, head.reached(ones, past), whys)
            found[name] = Way(distance, share, whys[end])
    return found


def _share(functions: Functions, reached: Collection[int], changed: Collection[int]) -> float:
    sizes = functions.sizes
    whole = sum(int(sizes[one]) for one in reached)
    return sum(int(sizes[one]) for one in reached if one in changed) / max(whole, 1)


def _far(
    callers: Callers, changed: Collection[int], own: Sequence[bool]
) -> dict[int, tuple[int, int]]:
    """Return the functions on the shortest way from each to a change, and where it ends."""
    far = {one: (1, one) for one in changed}
    left = list(changed)
    while left:
        new = []
        for one in left:
            distance, end = far[one]
            for caller in callers.get(one, ()):
                if own[caller] and caller not in far:
                    far[caller] = distance + 1, end
                    new.append(caller)
        left = new
    return far
