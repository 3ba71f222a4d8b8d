"""Rows of different lengths become one padded array: how much padding is allowed.

With one long row among many short ones, a file of a few megabytes could need an array that does
not fit in memory.
"""

from __future__ import annotations

FREE_CELLS = 2**12
MOST_CELLS_A_VALUE = 32


def sprawls(cells: int, values: int) -> bool:
    """Tell whether an array of `cells` is too large for the number of `values` in it.

    This never happens for up to `MOST_CELLS_A_VALUE` rows.

    >>> sprawls(30 * 3000, 20 * 3000)
    False
    >>> sprawls(10_000 * 10_000, 20_000)
    True
    """
    return cells > max(FREE_CELLS, MOST_CELLS_A_VALUE * values)
