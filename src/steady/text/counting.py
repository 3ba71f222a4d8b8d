"""Counts of something, and the first of many names, in words."""

from __future__ import annotations

from collections.abc import Sequence


def count(number: int, noun: str, plural: str = "") -> str:
    """Write how many there are of something.

    >>> count(1, "benchmark"), count(1200, "benchmark"), count(2, "has", "have")
    ('1 benchmark', '1,200 benchmarks', '2 have')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(
    names: Sequence[str], most: int = 5, *, separator: str = ", ", last: str = " and "
) -> str:
    """Write the first of many names, and how many more there are.

    Parameters
    ----------
    names : sequence of str
        All of them.
    most : int
        How many are written at the most.
    separator, last : str
        What stands between two names, and before the number of the others.

    >>> listed("abc", 3), listed("abcde", 3)
    ('a, b, c', 'a, b, c and 2 more')
    """
    left = len(names) - most
    more = f"{last}{left:,} more" if left > 0 else ""
    return separator.join(names[:most]) + more
