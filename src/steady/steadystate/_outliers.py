"""KB-KSSD, first stage: outliers give way to their part's median."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray

BoolArray = npt.NDArray[np.bool_]


def replace_outliers(
    series: FloatArray, window: int, percentiles: tuple[float, float]
) -> FloatArray:
    """Return the series with outliers replaced by the median of their part.

    The first value stays as it is; the rest is cut into parts of about `window` values. A value
    strictly outside the part's percentiles is replaced by the part's median; the median is taken
    anew after every replacement, high outliers come before low ones, each from left to right.

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
        Finite values, n >= 2.
    window : int
        Values in a part; the parts are as equal as can be, so they may hold more.
    percentiles : (float, float)
        Lower and upper percentile, on either side of 50, linear interpolation.

    Returns
    -------
    ndarray of float64, shape (n,)
        A new array.
    """
    smoothed = series.copy()
    rest = len(smoothed) - 1
    parts = max(1, rest // window)
    length, longer = divmod(rest, parts)
    border = 1 + longer * (length + 1)
    # numpy.array_split's rule: the first `longer` parts hold one value more than the others.
    for part in (
        smoothed[1:border].reshape(longer, length + 1),
        smoothed[border:].reshape(parts - longer, length),
    ):
        if part.size:
            _replace_in_rows(part, percentiles)
    return smoothed


def _replace_in_rows(rows: FloatArray, percentiles: tuple[float, float]) -> None:
    """Replace the outliers of each row, in place."""
    low, high = np.percentile(rows, percentiles, axis=1)
    above, below = rows > high[:, np.newaxis], rows < low[:, np.newaxis]
    ordered = np.sort(rows, axis=1)
    # The median lies between these two. An outlier lies outside them, so replacing a high one by
    # the median makes it the upper of the two, replacing a low one the lower: no sorting anew.
    lower = ordered[:, (rows.shape[1] - 1) // 2]
    upper = ordered[:, rows.shape[1] // 2]
    lower, upper = _replace(rows, above, lower, upper, high_side=True)
    _replace(rows, below, lower, upper, high_side=False)


def _replace(
    rows: FloatArray, outliers: BoolArray, lower: FloatArray, upper: FloatArray, *, high_side: bool
) -> tuple[FloatArray, FloatArray]:
    """Replace each row's outliers from left to right; return the two middle values afterwards."""
    rank = np.cumsum(outliers, axis=1)
    for number in range(1, int(rank[:, -1].max()) + 1):
        row, column = np.nonzero(outliers & (rank == number))
        median = (lower[row] + upper[row]) / 2
        rows[row, column] = median
        (upper if high_side else lower)[row] = median
    return lower, upper
