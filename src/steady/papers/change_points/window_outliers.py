"""CP-SSD's outliers: values outside the limits of a sliding window."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from steady.model import FloatArray
from steady.stats.samples import IntArray

_PERCENTILES = (0.01, 0.5, 0.99)


def inliers(series: FloatArray, skip: int, window: int, factor: float) -> IntArray:
    """Return the positions of the values that are not outliers.

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
    skip : int
        Number of values at the start that always stay: the warm-up is not an outlier.
    window : int
        Values in a window; skip + window <= n.
    factor : float
        A value farther from the median of any window around it than `factor` times the distance
        of that window's 1st and 99th percentiles is an outlier.

    Returns
    -------
    ndarray of int64, shape (inliers,)
    """
    judged = series[skip:]
    ordered = np.sort(sliding_window_view(judged, window), axis=1)
    low, middle, high = (_quantile(ordered, share) for share in _PERCENTILES)
    reach = factor * (high - low)
    # A value lies in up to `window` windows, and must be within the limits of each.
    edge = np.full(window - 1, np.inf)
    most = np.concatenate([edge, middle + reach, edge])
    least = np.concatenate([-edge, middle - reach, -edge])
    stays = judged <= sliding_window_view(most, window).min(axis=1)
    stays &= judged >= sliding_window_view(least, window).max(axis=1)
    return np.concatenate([np.arange(skip), skip + np.flatnonzero(stays)])


def _quantile(ordered: FloatArray, share: float) -> FloatArray:
    position = (ordered.shape[1] - 1) * share
    below = int(position)
    above = min(below + 1, ordered.shape[1] - 1)
    step = ordered[:, above] - ordered[:, below]
    return np.asarray(ordered[:, below] + step * (position - below), dtype=np.float64)
