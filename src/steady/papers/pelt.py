"""Optimal change points in mean and variance under a penalty (PELT)."""

import numpy as np

from steady.model import FloatArray
from steady.stats.samples import IntArray

SHORTEST_SEGMENT = 2
"""Minimum length of a segment; shorter ones have no variance."""

_LEAST_VARIANCE = 1e-12  # fraction of the series' variance; smaller variances are rounding errors


class GaussianCost:
    """The cost of segments: twice the negative log-likelihood, each with its own mean and variance.

    A segment of n values costs n (log 2π + log σ² + 1) with its maximum-likelihood variance σ²
    (Killick, Fearnhead and Eckley 2012).

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
        Series in any unit; not constant.

    Notes
    -----
    A segment of equal values has no variance, so its likelihood would be infinite. The variance of
    the whole series is used instead, so that equal values by chance do not become a segment.
    """

    def __init__(self, series: FloatArray) -> None:
        centred = series - np.mean(series)
        standard = centred / np.sqrt(np.mean(centred**2))
        self.size = len(series)
        self._sums = np.concatenate([[0.0], np.cumsum(standard)])
        self._squares = np.concatenate([[0.0], np.cumsum(standard**2)])

    def __call__(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """Return the costs of segments [`starts`, `ends`); infinite if too short."""
        length = ends - starts
        count = np.maximum(length, SHORTEST_SEGMENT)
        mean = (self._sums[ends] - self._sums[starts]) / count
        variance = (self._squares[ends] - self._squares[starts]) / count - mean * mean
        variance[variance <= _LEAST_VARIANCE] = 1.0
        cost = count * (np.log(variance) + (np.log(2 * np.pi) + 1))
        cost[length < SHORTEST_SEGMENT] = np.inf
        return np.asarray(cost, dtype=np.float64)


_BLOCK = 32  # number of positions whose costs are computed at once


def pelt(cost: GaussianCost, penalty: float) -> IntArray:
    """Find the segmentation with the least penalized cost.

    Parameters
    ----------
    cost : GaussianCost
        Cost function of the series.
    penalty : float
        Penalty for each change point.

    Returns
    -------
    ndarray of int64, shape (changes,)
        Starts of the segments after the first one, ascending.

    References
    ----------
    R. Killick, P. Fearnhead, I. A. Eckley, *Optimal detection of changepoints with a linear
    computational cost*, JASA 107, 2012.

    Notes
    -----
    A candidate is pruned once it has been worse by more than the penalty for the length of the
    shortest segment, so the result is exact.
    """
    n = cost.size
    best = np.full(n + 1, np.inf)
    best[0] = -penalty
    before = np.zeros(n + 1, dtype=np.int64)
    candidates = np.array([0])
    for first in range(SHORTEST_SEGMENT, n + 1, _BLOCK):
        ends = np.arange(first, min(first + _BLOCK, n + 1))
        _extend(cost, penalty, candidates, ends, best, before)
        candidates = np.concatenate([candidates, ends])
        decided = ends[-1:] - SHORTEST_SEGMENT + 1
        with np.errstate(invalid="ignore"):
            lost = best[candidates] + cost(candidates, decided) > best[decided]
        candidates = candidates[~lost | (candidates > decided - SHORTEST_SEGMENT)]
    return _traced(before)


def _extend(
    cost: GaussianCost,
    penalty: float,
    candidates: IntArray,
    ends: IntArray,
    best: FloatArray,
    before: IntArray,
) -> None:
    """Set `best` and `before` at the positions `ends`."""
    # The best last segment among those that start before this block ...
    totals = best[candidates] + cost(candidates, ends[:, np.newaxis])
    chosen = np.argmin(totals, axis=1)
    least = totals[np.arange(len(ends)), chosen]
    origin = candidates[chosen]
    # ... and then among those that start inside it, as soon as their own cost is known.
    inside = cost(ends[:, np.newaxis], ends)
    for i in range(len(ends)):
        least[i] += penalty
        offer = least[i] + inside[i, i + SHORTEST_SEGMENT :]
        better = np.flatnonzero(offer < least[i + SHORTEST_SEGMENT :])
        if better.size:
            least[i + SHORTEST_SEGMENT + better] = offer[better]
            origin[i + SHORTEST_SEGMENT + better] = ends[i]
    best[ends], before[ends] = least, origin


def _traced(before: IntArray) -> IntArray:
    places: list[int] = []
    place = int(before[-1])
    while place:
        places.append(place)
        place = int(before[place])
    return np.array(places[::-1], dtype=np.int64)
