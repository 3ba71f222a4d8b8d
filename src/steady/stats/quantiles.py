"""Quantiles of discrete distributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steady.model import FloatArray
from steady.stats.samples import IntArray

ROUNDING = 1e-12
"""Probabilities that differ by less count as equal, because sums of products are rounded."""

_CELLS = 512  # of one distribution


@dataclass(frozen=True, slots=True)
class Cut:
    """Where `tail` of the probability is cut off at one end.

    Parameters
    ----------
    values : ndarray of float64, shape (distributions,)
        The last value that is cut off.
    atoms : ndarray of int64, shape (distributions,)
        Which of the distribution's values it is.
    """

    values: FloatArray
    atoms: IntArray


def outer_cuts(parts: Sequence[tuple[FloatArray, FloatArray]], tail: float) -> tuple[Cut, Cut]:
    """Cut off `tail` of the probability on each side of many distributions.

    The lower cut is the smallest value that is reached with a probability of at least `tail`;
    the upper cut is its mirror image. If the probability up to a value equals `tail` exactly,
    resampling could stop at this value or at the next one; the outer one is taken.

    Parameters
    ----------
    parts : sequence of pairs
        Values that can occur, all finite, shape (distributions, atoms), and their probabilities,
        the same in every row, shape (atoms,). There is at least one part.
    tail : float
        Below one half.

    Returns
    -------
    lower, upper : Cut
        Those of all distributions, part after part.

    Notes
    -----
    Sorting all values would cost more than anything else. Each distribution is dealt to cells of
    equal width, and only the cells in which the cuts lie are sorted.
    """
    values = np.concatenate([part.ravel() for part, _ in parts])
    weights = np.concatenate([np.broadcast_to(alike, part.shape).ravel() for part, alike in parts])
    cells, starts = _dealt([part for part, _ in parts])
    masses = np.bincount(cells, weights, starts.size * _CELLS).astype(np.float64, copy=False)
    masses = masses.reshape(-1, _CELLS)
    lower = _cut(values, weights, cells, _cut_cells(masses, tail))
    last, missing = _cut_cells(masses[:, ::-1], tail)
    upper = _cut(-values, weights, cells, (_CELLS - 1 - last, missing))
    return Cut(values[lower], lower - starts), Cut(values[upper], upper - starts)


def _dealt(parts: Sequence[FloatArray]) -> tuple[IntArray, IntArray]:
    """Deal values to cells, numbered through all distributions.

    Returns
    -------
    cells : ndarray of int64, shape (values,)
        The cell of each value.
    starts : ndarray of int64, shape (distributions,)
        Where the values of each distribution begin.
    """
    places: list[FloatArray] = []
    lengths: list[int] = []
    for part in parts:
        least = part.min(axis=1, keepdims=True)
        widths = part.max(axis=1, keepdims=True) - least
        # A little under the number of cells, so that the largest value falls in the last one.
        place = (part - least) * ((_CELLS * (1 - 1e-9)) / np.where(widths > 0, widths, 1.0))
        place += _CELLS * (len(lengths) + np.arange(len(part))[:, np.newaxis])
        places.append(place.ravel())
        lengths += [part.shape[1]] * len(part)
    return np.concatenate(places).astype(np.int64), np.cumsum([0, *lengths[:-1]])


def _cut_cells(masses: FloatArray, tail: float) -> tuple[IntArray, FloatArray]:
    """Find the cell of each row at which the sum reaches `tail`, and what it has to add."""
    reached = np.cumsum(masses, axis=1)
    cells = np.argmax(reached >= tail - ROUNDING, axis=1)
    rows = np.arange(len(masses))
    return cells, tail - ROUNDING - (reached[rows, cells] - masses[rows, cells])


def _cut(
    values: FloatArray,
    weights: FloatArray,
    cells: IntArray,
    cut_cells: tuple[IntArray, FloatArray],
) -> IntArray:
    """Go through the values in one cell of each distribution, up to what its sum has to add."""
    own, missing = cut_cells
    wanted = np.zeros(own.size * _CELLS, dtype=np.bool_)
    wanted[own + _CELLS * np.arange(own.size)] = True
    inside = np.flatnonzero(wanted[cells])
    inside = inside[np.lexsort((values[inside], cells[inside]))]
    sums = np.cumsum(weights[inside])
    begins = np.searchsorted(cells[inside], own + _CELLS * np.arange(own.size))
    before = sums[begins] - weights[inside[begins]]
    return np.asarray(inside[np.searchsorted(sums, before + missing)])


def lower_quantiles(values: FloatArray, probabilities: FloatArray, tail: float) -> FloatArray:
    """Cut off `tail` of the probability at the lower end; see `outer_quantiles`."""
    order = np.argsort(values, axis=1)
    reached = np.cumsum(probabilities[order], axis=1) >= tail - ROUNDING
    rows = np.arange(len(values))
    return np.asarray(values[rows, order[rows, np.argmax(reached, axis=1)]])
