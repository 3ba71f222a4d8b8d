"""How near the benchmarks of a Go binary are to what changed, by the ways between functions.

Two functions of one name are the same if their machine code is, apart from the addresses in it.
This only sorts benchmarks: which one is measured first, never whether one is left out. Ways through
Go's library and calls through interfaces are not followed, so a way may be longer than it seems,
or not be known.
"""

import re
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from steady.harness.go.samecode.functions import Bits, Functions

_NAMED_IN = re.compile(r"\.(Benchmark(?![a-z])\w*)(?:\.|$)")
_OPERAND = 4

Ways = Mapping[int, Sequence[int]]


def distances(
    base: Functions, head: Functions, own: Sequence[bool]
) -> dict[str, tuple[int, float]]:
    """Return how near each top-level benchmark of head is to a change.

    Parameters
    ----------
    base, head : Functions
        The two binaries.
    own : sequence of bool
        Which functions of head do not belong to Go's library.

    Returns
    -------
    dict of str to (int, float)
        By the name of the function, such as ``BenchmarkWords``: how many functions there are on
        the shortest way, and which share of the code that it names, by bytes, changed. Those from
        which no way is known are missing.
    """
    changed = _changed(base, head, own)
    far = _far(head.callers, changed, own)
    parts: dict[str, list[int]] = {}
    for number, name in enumerate(head.names):
        if own[number] and (match := _NAMED_IN.search(name)):
            parts.setdefault(match[1], []).append(number)
    near = {name: [far[one] for one in ones if one in far] for name, ones in parts.items()}
    others = [number for number, is_own in enumerate(own) if not is_own]
    past = frozenset(others)
    return {
        name: (min(ways), _share(head, head.reached(parts[name], past), changed))
        for name, ways in near.items()
        if ways
    }


def _share(functions: Functions, reached: Collection[int], changed: Collection[int]) -> float:
    sizes = functions.sizes
    whole = sum(int(sizes[one]) for one in reached)
    return sum(int(sizes[one]) for one in reached if one in changed) / max(whole, 1)


def _changed(base: Functions, head: Functions, own: Sequence[bool]) -> frozenset[int]:
    """Return the functions of head that base lacks, or has with other code."""
    before = {name: number for number, name in enumerate(base.names)}
    places = _addresses(base), _addresses(head)

    def same(number: int) -> bool:
        other = before.get(head.names[number])
        if other is None:
            return False
        ranges = base.range_of(other), head.range_of(number)
        codes = [side.text[one] for side, one in zip((base, head), ranges, strict=True)]
        if len(codes[0]) != len(codes[1]):
            return False
        differing = codes[0] != codes[1]
        if not differing.any():
            return True
        fields = places[0][ranges[0]] & places[1][ranges[1]]
        covered = np.zeros(len(fields) + _OPERAND, bool)
        for shift in range(_OPERAND):
            covered[shift : shift + len(fields)] |= fields
        return not (differing & ~covered[: len(fields)]).any()

    return frozenset(i for i, is_own in enumerate(own) if is_own and not same(i))


def _addresses(functions: Functions) -> Bits:
    """Return at which places of the code there may be the distance to a function, or to data."""
    parts = [part for part in functions.elf.sections.values() if part.loaded and part.address]
    low, high = min(p.address for p in parts), max(p.address + p.size for p in parts)
    targets = functions.targets
    hits, _ = functions.which(targets)
    found = np.zeros(len(functions.text), bool)
    found[: len(targets)] = hits | ((targets >= low) & (targets < high) & functions.of_data)
    return found


def _far(callers: Ways, changed: Collection[int], own: Sequence[bool]) -> dict[int, int]:
    """Return how many functions there are on the shortest way from each to a change."""
    far = dict.fromkeys(changed, 1)
    left = list(changed)
    while left:
        new = []
        for one in left:
            for caller in callers.get(one, ()):
                if own[caller] and caller not in far:
                    far[caller] = far[one] + 1
                    new.append(caller)
        left = new
    return far
