"""Padding, by which rows of different lengths become one array, and how much of it is allowed.

With one long row among many short ones, a file of a few megabytes could need an array that does
not fit in memory.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steady.model import FloatArray

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


def stacked_shape(parts: Sequence[FloatArray], axes: int) -> tuple[int, ...]:
    """Return the shape that `stacked` will give."""
    inner = (max((part.shape[axis] for part in parts), default=0) for axis in range(axes - 1))
    return len(parts), *inner


def stacked(parts: Sequence[FloatArray], axes: int = 2) -> FloatArray:
    """Stack arrays of different shapes, read-only, with NaN after those that are too short.

    Parameters
    ----------
    parts : sequence of ndarray of float64
        With one axis less than the result.
    axes : int
        How many axes the result has.
    """
    whole = np.full(stacked_shape(parts, axes), np.nan)
    for place, part in zip(whole, parts, strict=True):
        place[tuple(slice(size) for size in part.shape)] = part
    whole.flags.writeable = False  # so that a benchmark takes it as it is
    return whole
