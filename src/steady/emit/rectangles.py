"""Sets of combinations as few cross products, with nothing beside them."""

from __future__ import annotations

from collections.abc import Iterable


def rectangles(combinations: Iterable[tuple[str, ...]]) -> list[tuple[tuple[str, ...], ...]]:
    """Cut a set of combinations into cross products.

    Combinations that differ in a single place are joined, place by place from the last to the
    first. That is exact, and few, but not always the fewest possible.

    Parameters
    ----------
    combinations : iterable of tuple of str
        Distinct, all of one length.

    Returns
    -------
    list of tuple of tuple of str
        For each cross product, the sorted values of every place. Together they hold each of the
        `combinations` exactly once, and nothing else.
    """
    pieces: list[tuple[tuple[str, ...], ...]] = [
        tuple((value,) for value in combination) for combination in combinations
    ]
    places = len(pieces[0]) if pieces else 0
    for place in reversed(range(places)):
        joined: dict[tuple[tuple[str, ...], ...], list[str]] = {}
        for piece in pieces:
            others = piece[:place] + piece[place + 1 :]
            joined.setdefault(others, []).extend(piece[place])
        pieces = [
            (*others[:place], tuple(sorted(values)), *others[place:])
            for others, values in joined.items()
        ]
    return pieces
