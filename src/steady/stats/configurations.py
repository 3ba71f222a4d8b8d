"""Samples of many execution configurations, cut from one benchmark's measurements."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from steady.model import FloatArray
from steady.stats.samples import BoolArray, IntArray, Samples

_CELLS = 2**19  # values in a matrix of samples: 4 MiB; computing takes a few dozen times as much


def prefix_blocks(measurements: FloatArray, grid: IntArray) -> Iterator[tuple[IntArray, Samples]]:
    """Cut out what smaller configurations would have measured (µOpTime, section 3.1).

    A configuration's sample holds every value whose position on each level is below its count.

    Parameters
    ----------
    measurements : ndarray of float64, shape (n1, ..., nl)
        Outermost level first, NaN where a repetition is missing.
    grid : ndarray of int64, shape (configurations, levels)
        Counts of each level.

    Yields
    ------
    rows : ndarray of int64
        Which configurations; as many at a time as memory allows. Configurations without any
        value are left out.
    samples : Samples
        Their samples.
    """
    positions = np.argwhere(~np.isnan(measurements))
    values = measurements[tuple(positions.T)]
    step = max(1, _CELLS // max(1, values.size))
    for start in range(0, len(grid), step):
        counts = grid[start : start + step]
        reachable = np.flatnonzero((positions < counts.max(axis=0)).all(axis=1))
        belongs = np.ones((len(counts), reachable.size), dtype=np.bool_)
        for level, position in enumerate(positions[reachable].T):
            belongs &= position < counts[:, level, np.newaxis]
        sizes = np.count_nonzero(belongs, axis=1)
        rows = np.flatnonzero(sizes)
        if rows.size:
            yield start + rows, _gather(values[reachable], belongs[rows], sizes[rows])


def _gather(values: FloatArray, belongs: BoolArray, sizes: IntArray) -> Samples:
    matrix = np.full((sizes.size, sizes.max()), np.inf)
    inside = np.arange(sizes.max()) < sizes[:, np.newaxis]
    matrix[inside] = np.broadcast_to(values, belongs.shape)[belongs]
    return Samples(matrix, sizes)
