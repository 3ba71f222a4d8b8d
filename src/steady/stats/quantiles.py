"""Quantiles of discrete distributions."""

from __future__ import annotations

import numpy as np

from steady.model import FloatArray
from steady.stats.samples import BoolArray

ROUNDING = 1e-12
"""Probabilities that differ by less count as equal: sums of products carry rounding."""

_MANY = 256  # atoms, from which on looking at some first is faster
_SHARE = 8  # one in so many is looked at first


def outer_quantiles(
    values: FloatArray, probabilities: FloatArray, tail: float
) -> tuple[FloatArray, FloatArray]:
    """Cut `tail` of the probability off on either side.

    The lower cut is the smallest value that is reached with a probability of at least `tail`,
    the upper one its mirror image. Where a value's edge meets `tail` exactly, resampling would
    stop on either side of it; the outer one is taken.

    Parameters
    ----------
    values : ndarray, shape (distributions, atoms)
        Places, infinite ones included.
    probabilities : ndarray, shape (atoms,)
        Their probabilities, the same in every row.
    tail : float
        Below one half.

    Returns
    -------
    lower, upper : ndarray, shape (distributions,)
    """
    return lower_quantiles(values, probabilities, tail), -lower_quantiles(
        -values, probabilities, tail
    )


def lower_quantiles(values: FloatArray, probabilities: FloatArray, tail: float) -> FloatArray:
    """Cut `tail` of the probability off below; see `outer_quantiles`."""
    atoms = values.shape[1]
    if atoms >= _MANY:
        # A tail is rarely more than a few of many atoms: only these are put in order.
        few = np.argpartition(values, atoms // _SHARE, axis=1)[:, : atoms // _SHARE]
        found, reached = _first_reached(
            np.take_along_axis(values, few, axis=1), probabilities[few], tail
        )
        if reached.all():
            return found
    return _first_reached(values, probabilities, tail)[0]


def _first_reached(
    values: FloatArray, probabilities: FloatArray, tail: float
) -> tuple[FloatArray, BoolArray]:
    """Return each row's first value at which `tail` is reached, and whether it is.

    `probabilities` are those of the values, or the same for every row.
    """
    rows = np.arange(len(values))
    order = np.argsort(values, axis=1)
    alike = probabilities.ndim == 1
    ordered = probabilities[order] if alike else np.take_along_axis(probabilities, order, axis=1)
    reached = np.cumsum(ordered, axis=1) >= tail - ROUNDING
    first = np.argmax(reached, axis=1)
    return values[rows, order[rows, first]], reached[:, -1]
