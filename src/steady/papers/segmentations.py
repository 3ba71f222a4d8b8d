"""The best segmentation with each number of change points, and how many are enough.

In a long series only likely places are searched, which is much faster.
"""

import numpy as np

from steady.model import FloatArray
from steady.papers.pelt import SHORTEST_SEGMENT, GaussianCost, pelt
from steady.stats.samples import IntArray

_BLOCK = 64  # places whose costs are computed together, so that they stay in the cache

SHORT = 500
"""In series of at most this many values, all places are searched."""

_FINER = 0.75
"""Share of the smallest penalty of interest: with this share, a few more change points are
found."""

_COARSE = 6
"""Values between the places of a coarse grid, on which segmentations have few change points."""

_FEW = 20
"""Change points of the finest of these."""

_ROUNDS = 6
"""Rounds of moving change points to better places; hardly any series needs more than two."""


class Segmentations:
    """The best segmentations with 0, 1, ... `most` change points (segment neighbourhood).

    Parameters
    ----------
    cost : GaussianCost
        Of the series.
    most : int
        Greatest number of change points of interest.
    places : ndarray of int64, optional
        Where segments may start, ascending; left out, everywhere.

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
        for first in range(1, len(self._borders), _BLOCK):
            ends = np.arange(first, min(first + _BLOCK, len(self._borders)))
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
        """Return where the best segmentation with `count` change points starts new segments."""
        places: list[int] = []
        end = len(self._borders) - 1
        for level in range(count - 1, -1, -1):
            end = int(np.argmin(self._best[level, :end] + self._costs_to(end)))
            places.append(int(self._borders[end]))
        return np.array(places[::-1], dtype=np.int64)

    def _costs_to(self, end: int) -> FloatArray:
        """Return the costs of the segments before a border; good segmentations share many."""
        if end not in self._known:
            borders = self._borders
            self._known[end] = self._cost(borders[:end], borders[end : end + 1])
        return self._known[end]


def best_counts(costs: FloatArray, least: float) -> tuple[FloatArray, IntArray]:
    """Find every number of change points that some penalty makes best.

    Parameters
    ----------
    costs : ndarray of float64, shape (most + 1,)
        Costs of the best segmentation with each number of change points.
    least : float
        Smallest penalty of interest, for which the last number is the best.

    Returns
    -------
    penalties : ndarray of float64, shape (m,)
        The penalty from which on each number is the best, ascending; the first is `least`.
    counts : ndarray of int64, shape (m,)
        These numbers, descending to 0.

    References
    ----------
    K. Haynes, I. A. Eckley, P. Fearnhead, *Computationally efficient changepoint detection for a
    range of penalties*, JCGS 26, 2017 (CROPS). They run PELT with one penalty after the other;
    the result is the lower convex hull of the costs over the counts, which is computed here.
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
    """Find where the number of change points stops falling fast as the penalty rises.

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
    """Return the best segmentations with up to `most` change points, or nearly so in long series.

    Parameters
    ----------
    cost : GaussianCost
        Of the series.
    most : int
        Greatest number of change points of interest.
    least : float
        Smallest penalty of interest, for which `most` is the best.

    Notes
    -----
    A search among all places takes time in proportion to ``most * n**2``. This one looks at the
    change points for a slightly smaller penalty, and at those of a coarse grid. Then every change
    point of a segmentation that some penalty makes best is moved to the best place between its
    neighbours. New places are added, until none is better.
    """
    if cost.size <= SHORT:
        return Segmentations(cost, most)
    places = np.union1d(pelt(cost, _FINER * least), _coarse(cost, most))
    for _ in range(_ROUNDS):
        found = Segmentations(cost, most, places)
        _, counts = best_counts(found.costs, least)
        better = np.setdiff1d(_better(cost, _neighbours(found, counts)), places)
        if not better.size:
            return found
        places = np.union1d(places, better)
    return Segmentations(cost, most, places)


def _coarse(cost: GaussianCost, most: int) -> IntArray:
    """Return all change points of the segmentations of a grid."""
    finest = min(most, _FEW)
    grid = Segmentations(cost, finest, np.arange(_COARSE, cost.size - _COARSE, _COARSE))
    return np.concatenate([grid.change_points(count) for count in range(1, finest + 1)])


def _neighbours(found: Segmentations, counts: IntArray) -> IntArray:
    """Return each change point between its neighbours, shape (triples, 3)."""
    triples = []
    for count in counts[counts > 0].tolist():
        borders = np.concatenate([[0], found.change_points(count), [found.size]])
        triples.append(np.stack([borders[:-2], borders[1:-1], borders[2:]], axis=1))
    return np.unique(np.concatenate(triples), axis=0)


def _better(cost: GaussianCost, triples: IntArray) -> IntArray:
    """Return the best places between neighbours, where they cost less than the change point."""
    before, now, after = triples.T
    tried = after - before - 2 * SHORTEST_SEGMENT + 1  # at least 1: now is among them
    first = np.cumsum(tried) - tried
    whose = np.repeat(np.arange(len(triples)), tried)
    places = np.arange(tried.sum()) - first[whose] + before[whose] + SHORTEST_SEGMENT
    costs = cost(before[whose], places) + cost(places, after[whose])
    least = np.minimum.reduceat(costs, first)
    gains = least < cost(before, now) + cost(now, after)
    return np.asarray(places[(costs == least[whose]) & gains[whose]], dtype=np.int64)
