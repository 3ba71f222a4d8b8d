"""Change points in mean and variance: under a penalty (PELT), or for each number of them.

In long series, the second search is limited to likely positions, which is much faster.
"""

import numpy as np

from steady.model import FloatArray
from steady.stats.samples import IntArray

SHORTEST_SEGMENT = 2
"""Minimum length of a segment; shorter ones have no variance."""

_LEAST_VARIANCE = 1e-12  # as a fraction of the series' variance; smaller values are rounding errors


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
    the whole series is used instead, so that values that are equal by chance do not form a segment.
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


_BORDER_BLOCK = 64  # positions whose costs are computed at once, to stay in the cache

SHORT = 500
"""Maximum length of series in which all positions are searched."""

_FINER = 0.75
"""Factor of the smallest penalty of interest; below 1, to find a few more change points."""

_COARSE = 6
"""Distance between positions of the coarse grid, used for segmentations with few change points."""

_FEW = 20
"""Maximum number of change points on the coarse grid."""

_ROUNDS = 6
"""Maximum number of rounds of moving change points; two are nearly always sufficient."""


class Segmentations:
    """The best segmentations with 0, 1, ... `most` change points (segment neighbourhood).

    Parameters
    ----------
    cost : GaussianCost
        Cost function of the series.
    most : int
        Maximum number of change points of interest.
    places : ndarray of int64, optional
        Allowed starts of segments, ascending; by default all.

    References
    ----------
    I. E. Auger, C. E. Lawrence, *Algorithms for the optimal identification of segment
    neighborhoods*, Bulletin of Mathematical Biology 51, 1989.
    """

    def __init__(self, cost: GaussianCost, most: int, places: IntArray | None = None) -> None:
        self.size = cost.size
        inner = np.arange(1, cost.size) if places is None else places
        self._cost, self._borders = cost, np.concatenate([[0], inner, [cost.size]])
        self._known: dict[int, FloatArray] = {}
        self._best = np.full((most + 1, len(self._borders)), np.inf)
        for first in range(1, len(self._borders), _BORDER_BLOCK):
            ends = np.arange(first, min(first + _BORDER_BLOCK, len(self._borders)))
            starts = self._borders[: ends[-1]]
            costs = cost(starts, self._borders[ends, np.newaxis])
            self._best[0, ends] = costs[:, 0]
            totals = np.empty_like(costs)
            for count in range(1, most + 1):
                np.add(costs, self._best[count - 1, : len(starts)], out=totals)
                self._best[count, ends] = totals.min(axis=1)

    @property
    def costs(self) -> FloatArray:
        """Cost of the best segmentation with each number of change points, shape (most + 1,)."""
        return self._best[:, -1]

    def change_points(self, count: int) -> IntArray:
        """Return the change points of the optimal segmentation with `count` change points."""
        places: list[int] = []
        end = len(self._borders) - 1
        for level in range(count - 1, -1, -1):
            end = int(np.argmin(self._best[level, :end] + self._costs_to(end)))
            places.append(int(self._borders[end]))
        return np.array(places[::-1], dtype=np.int64)

    def _costs_to(self, end: int) -> FloatArray:
        """Return the costs of the segments before a border, which are cached."""
        if end not in self._known:
            borders = self._borders
            self._known[end] = self._cost(borders[:end], borders[end : end + 1])
        return self._known[end]


def best_counts(costs: FloatArray, least: float) -> tuple[FloatArray, IntArray]:
    """Find every number of change points that is optimal for some penalty.

    Parameters
    ----------
    costs : ndarray of float64, shape (most + 1,)
        Costs of the best segmentation with each number of change points.
    least : float
        Smallest penalty of interest, for which the last number is optimal.

    Returns
    -------
    penalties : ndarray of float64, shape (m,)
        Smallest penalty for which each number is optimal, ascending; the first is `least`.
    counts : ndarray of int64, shape (m,)
        Numbers of change points, descending to 0.

    References
    ----------
    K. Haynes, I. A. Eckley, P. Fearnhead, *Computationally efficient changepoint detection for a
    range of penalties*, JCGS 26, 2017 (CROPS). CROPS runs PELT for a sequence of penalties; its
    result is the lower convex hull of the costs as a function of the counts, which this function
    computes directly.
    """
    counts = [len(costs) - 1]
    penalties = [least]
    while counts[-1] > 0:
        fewer = np.arange(counts[-1])
        prices = (costs[fewer] - costs[counts[-1]]) / (counts[-1] - fewer)
        penalties.append(float(np.min(prices)))
        counts.append(int(np.argmin(prices)))
    return np.array(penalties), np.array(counts, dtype=np.int64)


def elbow(penalties: FloatArray, counts: IntArray) -> int | None:
    """Find the elbow of the number of change points as a function of the penalty.

    Parameters
    ----------
    penalties, counts : ndarray, shape (m,)
        Results of `best_counts`, m at least 2.

    Returns
    -------
    int or None
        Position of the elbow, or None if the curve has none.

    References
    ----------
    V. Satopää, J. Albrecht, D. Irwin, B. Raghavan, *Finding a "kneedle" in a haystack*, ICDCS
    Workshops 2011, with sensitivity 1.

    Notes
    -----
    Both axes are scaled to [0, 1]. From the largest penalty down, the elbow is the first local
    maximum of 1 - count - penalty after which this value falls by more than the mean spacing of
    the penalties, or falls below 0 after a local minimum.
    """
    x = (penalties - penalties[0]) / (penalties[-1] - penalties[0])
    y = (counts - counts[-1]) / (counts[0] - counts[-1])
    height = ((1 - y) - x)[::-1]
    left = np.concatenate([height[:1], height[:-1]])
    right = np.concatenate([height[1:], height[-1:]])
    maxima = (height >= left) & (height >= right)
    minima = (height <= left) & (height <= right)
    top: int | None = None
    threshold = -np.inf
    for i in range(len(height) - 1):
        if maxima[i]:
            top, threshold = i, height[i] - 1 / (len(height) - 1)
        if minima[i] and top is not None:
            threshold = 0.0
        if top is not None and height[i + 1] < threshold:
            return len(height) - 1 - top
    return None


def likely_segmentations(cost: GaussianCost, most: int, least: float) -> Segmentations:
    """Return the segmentations with up to `most` change points, near-optimal in long series.

    Parameters
    ----------
    cost : GaussianCost
        Cost function of the series.
    most : int
        Maximum number of change points of interest.
    least : float
        Smallest penalty of interest, for which `most` is optimal.

    Notes
    -----
    An exhaustive search takes O(``most * n**2``) time. This search starts with the change points
    for a slightly smaller penalty, and those on a coarse grid. Then every change point of a
    segmentation that is optimal for some penalty is moved to the best position between its
    neighbours. The new positions are added, until there is no improvement.
    """
    if cost.size <= SHORT:
        return Segmentations(cost, most)
    finest = min(most, _FEW)
    grid = Segmentations(cost, finest, np.arange(_COARSE, cost.size - _COARSE, _COARSE))
    places = pelt(cost, _FINER * least)
    for count in range(1, finest + 1):
        places = np.union1d(places, grid.change_points(count))
    for _ in range(_ROUNDS):
        found = Segmentations(cost, most, places)
        _, counts = best_counts(found.costs, least)
        better = np.setdiff1d(_better(cost, _neighbours(found, counts)), places)
        if not better.size:
            return found
        places = np.union1d(places, better)
    return Segmentations(cost, most, places)


def _neighbours(found: Segmentations, counts: IntArray) -> IntArray:
    """Return each change point with its two neighbours, shape (triples, 3)."""
    triples = []
    for count in counts[counts > 0].tolist():
        borders = np.concatenate([[0], found.change_points(count), [found.size]])
        triples.append(np.stack([borders[:-2], borders[1:-1], borders[2:]], axis=1))
    return np.unique(np.concatenate(triples), axis=0)


def _better(cost: GaussianCost, triples: IntArray) -> IntArray:
    """Return the best positions between neighbours that improve on the change point."""
    before, now, after = triples.T
    tried = after - before - 2 * SHORTEST_SEGMENT + 1  # at least 1, because it includes `now`
    first = np.cumsum(tried) - tried
    whose = np.repeat(np.arange(len(triples)), tried)
    places = np.arange(tried.sum()) - first[whose] + before[whose] + SHORTEST_SEGMENT
    costs = cost(before[whose], places) + cost(places, after[whose])
    least = np.minimum.reduceat(costs, first)
    gains = least < cost(before, now) + cost(now, after)
    return np.asarray(places[(costs == least[whose]) & gains[whose]], dtype=np.int64)
