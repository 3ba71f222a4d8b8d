"""The cost of a segment with its own mean and variance."""

from __future__ import annotations

import numpy as np

from steady.model import FloatArray
from steady.stats.samples import IntArray

SHORTEST_SEGMENT = 2
"""Fewer values have no variance."""

_LEAST_VARIANCE = 1e-12  # share of the series' variance; with equal values, rounding leaves less


class GaussianCost:
    """Twice the negative log-likelihood of segments with their own mean and variance.

    A segment of n values costs n (log 2π + log σ² + 1) with its maximum-likelihood variance σ²
    (Killick, Fearnhead and Eckley 2012).

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
        In any unit; not constant.

    Notes
    -----
    A segment of equal values has no variance, so its likelihood would be infinite. It gets the
    variance of the whole series, so that values that repeat by chance do not become a segment.
    """

    def __init__(self, series: FloatArray) -> None:
        centred = series - np.mean(series)
        standard = centred / np.sqrt(np.mean(centred**2))
        self.size = len(series)
        self._sums = np.concatenate([[0.0], np.cumsum(standard)])
        self._squares = np.concatenate([[0.0], np.cumsum(standard**2)])

    def __call__(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """Return the costs of segments from `starts` to before `ends`; infinite if too short."""
        length = ends - starts
        count = np.maximum(length, SHORTEST_SEGMENT)
        mean = (self._sums[ends] - self._sums[starts]) / count
        variance = (self._squares[ends] - self._squares[starts]) / count - mean * mean
        variance[variance <= _LEAST_VARIANCE] = 1.0
        cost = count * (np.log(variance) + (np.log(2 * np.pi) + 1))
        cost[length < SHORTEST_SEGMENT] = np.inf
        return np.asarray(cost, dtype=np.float64)
