"""KB-KSSD, first stage: outliers give way to their part's median."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]


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
    rest = len(series) - 1
    parts = max(1, rest // window)
    length, longer = divmod(rest, parts)
    # numpy.array_split's rule: the first `longer` parts hold one value more than the others,
    # which end in padding here: above every value, so that it is last in order and no outlier.
    sizes = np.full(parts, length)
    sizes[:longer] += 1
    inside = np.arange(length + 1) < sizes[:, np.newaxis]
    rows = np.full(inside.shape, np.inf)
    rows[inside] = series[1:]
    _replace_in_rows(rows, sizes, percentiles)
    return np.concatenate([series[:1], rows[inside]])


def _replace_in_rows(rows: FloatArray, sizes: IntArray, percentiles: tuple[float, float]) -> None:
    """Replace the outliers of each row, in place."""
    ordered = np.sort(rows, axis=1)
    low, high = (_percentile(ordered, sizes, percent / 100) for percent in percentiles)
    # The median lies between these two. An outlier lies outside them, so replacing a high one by
    # the median makes it the upper of the two, replacing a low one the lower: no sorting anew.
    each = np.arange(len(rows))
    lower, upper = ordered[each, (sizes - 1) // 2], ordered[each, sizes // 2]
    above = np.isfinite(rows) & (rows > high[:, np.newaxis])
    below = rows < low[:, np.newaxis]
    _replace(rows, above, lower, upper, middle=upper)
    _replace(rows, below, lower, upper, middle=lower)


def _percentile(ordered: FloatArray, sizes: IntArray, share: float) -> FloatArray:
    """Return each row's percentile, interpolated from its nearer neighbour as NumPy does."""
    place = share * (sizes - 1)
    before = place.astype(np.int64)
    weight = place - before
    each = np.arange(len(ordered))
    left, right = ordered[each, before], ordered[each, np.minimum(before + 1, sizes - 1)]
    step = right - left
    return np.where(weight < 0.5, left + step * weight, right - step * (1 - weight))


def _replace(
    rows: FloatArray, outliers: BoolArray, lower: FloatArray, upper: FloatArray, middle: FloatArray
) -> None:
    """Replace each row's outliers from left to right, in place.

    Parameters
    ----------
    rows : ndarray of float64, shape (rows, n)
        Values, changed where `outliers` says.
    outliers : ndarray of bool, shape (rows, n)
        What to replace.
    lower, upper : ndarray of float64, shape (rows,)
        The two middle values of each row.
    middle : ndarray of float64, shape (rows,)
        That of the two which every replacement becomes; it follows them.
    """
    row, column = np.nonzero(outliers)
    rank = np.arange(len(row)) - np.searchsorted(row, row)
    for number in range(int(rank.max(initial=-1)) + 1):
        now = rank == number
        at = row[now]
        median = (lower[at] + upper[at]) / 2
        rows[at, column[now]] = median
        middle[at] = median
