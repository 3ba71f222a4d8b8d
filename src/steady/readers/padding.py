"""Rows of different lengths become one array, filled up: how much filling is believed.

A file of a few megabytes could ask for an array that no machine holds, by one long row among many
short ones.
"""

from __future__ import annotations

FREE_CELLS = 2**12
MOST_CELLS_A_VALUE = 32


def sprawls(cells: int, values: int) -> bool:
    """Tell whether an array of `cells` is too large for the `values` that would stand in it.

    Up to `MOST_CELLS_A_VALUE` rows never are, whatever their lengths.

    >>> sprawls(30 * 3000, 20 * 3000)
    False
    >>> sprawls(10_000 * 10_000, 20_000)
    True
    """
    return cells > max(FREE_CELLS, MOST_CELLS_A_VALUE * values)
