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
_MARGIN = 1e-6  # of the cells, at either end


@dataclass(frozen=True, slots=True)
class Distributions:
    """Discrete distributions with equal probabilities.

    Parameters
    ----------
    values : ndarray of float64, shape (distributions, atoms)
        The values that can occur, all finite.
    probabilities : ndarray of float64, shape (atoms,)
        Their probabilities, the same in every row.
    least, greatest : ndarray of float64, shape (distributions,)
        Bounds of the values, apart from rounding.
    """

    values: FloatArray
    probabilities: FloatArray
    least: FloatArray
    greatest: FloatArray


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


def outer_cuts(parts: Sequence[Distributions], tail: float) -> tuple[Cut, Cut]:
    """Cut off `tail` of the probability on each side of many distributions.

    The lower cut is the smallest value that is reached with a probability of at least `tail`;
    the upper cut is its mirror image. If the probability up to a value equals `tail` exactly,
    resampling could stop at this value or at the next one; the outer one is taken.

    Parameters
    ----------
    parts : sequence of Distributions
        At least one.
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
    values = np.concatenate([part.values.ravel() for part in parts])
    weights = np.concatenate(
        [np.broadcast_to(part.probabilities, part.values.shape).ravel() for part in parts]
    )
    cells, starts = _dealt(parts)
    masses = np.bincount(cells, weights, starts.size * _CELLS).astype(np.float64, copy=False)
    masses = masses.reshape(-1, _CELLS)
    lower = _cut(values, weights, cells, _cut_cells(masses, tail))
    last, missing = _cut_cells(masses[:, ::-1], tail)
    upper = _cut(-values, weights, cells, (_CELLS - 1 - last, missing))
    return Cut(values[lower], lower - starts), Cut(values[upper], upper - starts)


def _dealt(parts: Sequence[Distributions]) -> tuple[IntArray, IntArray]:
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
        widths = part.greatest - part.least
        # The first and the last value lie a little inside the first and the last cell.
        scales = _CELLS * (1 - 2 * _MARGIN) / np.where(widths > 0, widths, 1.0)
        first = _CELLS * (len(lengths) + np.arange(widths.size) + _MARGIN) - part.least * scales
        place = part.values * scales[:, np.newaxis]
        place += first[:, np.newaxis]
        places.append(place.ravel())
        lengths += [part.values.shape[1]] * widths.size
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
    """Cut off `tail` of the probability at the lower end of each row."""
    return np.asarray(values[np.arange(len(values)), lower_places(values, probabilities, tail)])


def lower_places(values: FloatArray, probabilities: FloatArray, tail: float) -> IntArray:
    """Return which value of each row is the one at which `tail` of the probability is cut off."""
    order = np.argsort(values, axis=1)
    reached = np.cumsum(probabilities[order], axis=1) >= tail - ROUNDING
    return np.asarray(order[np.arange(len(values)), np.argmax(reached, axis=1)])
