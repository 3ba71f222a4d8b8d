"""After how many rounds an interleaved run decides about a benchmark."""

from __future__ import annotations


def looks_of(planned_rounds: int) -> tuple[int, ...]:
    """Return the numbers of rounds after which a run looks at a benchmark.

    Parameters
    ----------
    planned_rounds : int
        How many forks of either version the plan gives it, at least one.

    Returns
    -------
    tuple of int
        Ascending: three rounds, what was planned, twice and four times as much.
    """
    first = min(3, planned_rounds)
    return tuple(sorted({first, planned_rounds, 2 * planned_rounds, 4 * planned_rounds}))
