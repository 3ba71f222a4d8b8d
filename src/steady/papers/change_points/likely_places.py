"""Places where good segmentations of a long series change: searching only these is much faster."""

from __future__ import annotations

import numpy as np

from steady.papers.change_points.gaussian_cost import SHORTEST_SEGMENT, GaussianCost
from steady.papers.change_points.pelt import pelt
from steady.papers.change_points.segmentations import Segmentations, best_counts
from steady.stats.samples import IntArray

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
