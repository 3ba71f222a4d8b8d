"""Renames: which lost benchmark may be which new one, by their names."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from steady.model import Identity

RENAME_LIKENESS = 0.6
"""Two names look like a rename if they share this part of their characters, in the same order."""

_MOST_NAME_PAIRS = 5_000  # names that are set side by side, whatever the suite's size
_LONGEST_NAME = 300  # characters, from the end, that are looked at


def find_renames(
    lost: Iterable[Identity], new: Iterable[Identity]
) -> list[tuple[Identity, Identity]]:
    """Guess which lost benchmark is which new one, the likeliest pairs first.

    Only benchmarks of the same mode, parameters and threads that share their class or their
    method are set side by side, and each is used once.

    Parameters
    ----------
    lost, new : iterable of Identity
        Those without a result in head, and those only in head.

    Returns
    -------
    list of (Identity, Identity)
        Lost and new, in the order of `lost`.
    """
    lost = list(lost)
    by_part: dict[tuple[object, ...], list[Identity]] = {}
    for identity in new:
        for part in _parts(identity):
            by_part.setdefault(part, []).append(identity)
    candidates = (
        (old, candidate)
        for old in lost
        for candidate in dict.fromkeys(c for part in _parts(old) for c in by_part.get(part, ()))
    )
    ranked = sorted(
        (-_likeness(old.name, candidate.name), old, candidate)
        for old, candidate in islice(candidates, _MOST_NAME_PAIRS)
    )
    renamed: dict[Identity, Identity] = {}
    taken: set[Identity] = set()
    for negative, old, candidate in ranked:
        if -negative >= RENAME_LIKENESS and old not in renamed and candidate not in taken:
            renamed[old] = candidate
            taken.add(candidate)
    return [(old, renamed[old]) for old in lost if old in renamed]


def _likeness(old: str, new: str) -> float:
    first, second = old[-_LONGEST_NAME:], new[-_LONGEST_NAME:]
    total = len(first) + len(second)
    return 2 * _longest_common(first, second) / total if total else 1.0


def _longest_common(first: str, second: str) -> int:
    """Return the length of the longest common subsequence, in a time that no names can stretch.

    Hyyrö: "Bit-parallel LCS-length computation revisited", AWOCA 2004: one bit for each character
    of `first`, a few operations for each of `second`.
    """
    places: dict[str, int] = {}
    for index, character in enumerate(first):
        places[character] = places.get(character, 0) | 1 << index
    every = (1 << len(first)) - 1
    rows = every
    for character in second:
        matched = rows & places.get(character, 0)
        rows = (rows + matched | rows - matched) & every
    return len(first) - rows.bit_count()


def _parts(identity: Identity) -> list[tuple[object, ...]]:
    same = (identity.mode, identity.parameters, identity.threads)
    return [("holder", identity.holder, *same), ("method", identity.method, *same)]
