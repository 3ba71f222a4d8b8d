"""The median of each row."""

from __future__ import annotations

import numpy as np

from steady.model import FloatArray


def row_medians(table: FloatArray) -> FloatArray:
    """Take the median of each row; missing values (NaN) do not count.

    `numpy.nanmedian` gives the same to the last bit, but takes ten times as long for small tables.

    Parameters
    ----------
    table : ndarray of float64, shape (rows, columns)
        At least one value in each row.

    Returns
    -------
    ndarray of float64, shape (rows,)
    """
    ordered = np.sort(table, axis=1)  # NaN last
    counts = np.isfinite(ordered).sum(axis=1)
    rows = np.arange(len(ordered))
    return np.asarray((ordered[rows, (counts - 1) // 2] + ordered[rows, counts // 2]) / 2)
