"""KB-KSSD, first stage: outliers are replaced by the median of their part."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from steady.model import FloatArray
from steady.stats.samples import BoolArray, IntArray


def replace_outliers(
    series: FloatArray, window: int, percentiles: tuple[float, float]
) -> FloatArray:
    """Return the series with outliers replaced by the median of their part.

    The first value stays as it is; the rest is cut into parts of about `window` values. A value
    strictly outside the part's percentiles is replaced by the part's median. High outliers are
    replaced before low ones, each from left to right, and each replacement updates the median.

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
        Finite values, n >= 2.
    window : int
        Values in a part; parts have nearly equal sizes, so they may hold more.
    percentiles : (float, float)
        Lower and upper percentile, on either side of 50, linear interpolation.

    Returns
    -------
    ndarray of float64, shape (n,)
        A new array.
    """
    layout = _layout(len(series) - 1, window, percentiles)
    rows = np.empty((layout.parts, layout.width))
    first, rest = layout.longer * layout.width, layout.width - layout.padding
    rows[: layout.longer] = series[1 : 1 + first].reshape(-1, layout.width)
    rows[layout.longer :, :rest] = series[1 + first :].reshape(-1, rest)
    # Padding is larger than every value, so that it sorts last; it is not an outlier.
    rows[layout.longer :, rest:] = np.inf
    _replace_in_rows(rows, layout)
    result = np.empty_like(series)
    result[0] = series[0]
    result[1 : 1 + first] = rows[: layout.longer].ravel()
    result[1 + first :] = rows[layout.longer :, :rest].ravel()
    return result


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a series is cut into parts, one in each row; the same for all series of one length.

    Parameters
    ----------
    parts, width : int
        Rows and columns.
    longer : int
        How many parts, the first ones, fill their row.
    padding : int
        Unused columns of the other rows: 1, or 0 if all parts are equally long.
    places : ndarray of int64, shape (6, parts)
        Positions in the sorted and joined rows: of the values below the lower and the upper
        percentile, of the values above them, and of the two middle values.
    weights : ndarray of float64, shape (2, parts)
        Where the percentiles lie between the values below and above them, from 0 to 1.
    """

    parts: int
    width: int
    longer: int
    padding: int
    places: IntArray
    weights: FloatArray


@lru_cache(maxsize=64)
def _layout(count: int, window: int, percentiles: tuple[float, float]) -> _Layout:
    """Cut `count` values by numpy.array_split's rule: the first parts hold one value more."""
    parts = max(1, count // window)
    length, longer = divmod(count, parts)
    padding = 1 if longer else 0
    sizes = np.full(parts, length)
    sizes[:longer] += 1
    exact = np.array([percent / 100 for percent in percentiles])[:, np.newaxis] * (sizes - 1)
    before = exact.astype(np.int64)
    middle = np.stack([(sizes - 1) // 2, sizes // 2])
    places = np.concatenate([before, np.minimum(before + 1, sizes - 1), middle])
    width = length + padding
    return _Layout(parts, width, longer, padding, places + np.arange(parts) * width, exact - before)


def _replace_in_rows(rows: FloatArray, layout: _Layout) -> None:
    """Replace the outliers of each row, in place."""
    ordered = np.sort(rows, axis=1).ravel()[layout.places]
    low, high = _percentiles(ordered[:2], ordered[2:4], layout.weights)
    lower, upper = ordered[4:]
    above = rows > high[:, np.newaxis]
    above[layout.longer :, layout.width - layout.padding :] = False
    below = rows < low[:, np.newaxis]
    # The median lies between these two values, and outliers lie outside. When the median replaces
    # a high outlier, it becomes the upper of the two; for a low one, the lower. No sort is needed.
    upper = _replace(rows, above, lower, upper)
    _replace(rows, below, upper, lower)


def _percentiles(left: FloatArray, right: FloatArray, weights: FloatArray) -> FloatArray:
    """Interpolate from the nearer neighbour, as NumPy does."""
    step = right - left
    return np.where(weights < 0.5, left + step * weights, right - step * (1 - weights))


def _replace(
    rows: FloatArray, outliers: BoolArray, staying: FloatArray, middle: FloatArray
) -> FloatArray:
    """Replace each row's outliers from left to right, in place.

    Parameters
    ----------
    rows : ndarray of float64, shape (rows, n)
        Values; the outliers among them are changed.
    outliers : ndarray of bool, shape (rows, n)
        Which values to replace.
    staying, middle : ndarray of float64, shape (rows,)
        The two middle values of each row; every replacement becomes the new `middle`.

    Returns
    -------
    ndarray of float64, shape (rows,)
        The new `middle`.
    """
    places = np.flatnonzero(outliers)
    row = places // rows.shape[1]
    counts = np.bincount(row, minlength=len(rows))
    medians = np.empty((int(counts.max()) + 1, len(rows)))
    medians[0] = middle
    for before, after in pairwise(medians):
        np.divide(staying + before, 2, out=after)
    rank = np.arange(1, len(row) + 1) - np.searchsorted(row, row)
    rows.reshape(-1)[places] = medians[rank, row]
    return np.asarray(medians[counts, np.arange(len(rows))])
