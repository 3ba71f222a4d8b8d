"""Quantiles of discrete distributions."""

from __future__ import annotations

import numpy as np

from steady.model import FloatArray
from steady.stats.samples import IntArray

ROUNDING = 1e-12
"""Probabilities that differ by less count as equal: sums of products carry rounding."""


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
    order = np.argsort(values, axis=1)
    lower = _first_reached(probabilities[order], tail)
    upper = _first_reached(probabilities[order[:, ::-1]], tail)
    rows = np.arange(len(values))
    return values[rows, order[rows, lower]], values[rows, order[rows, -1 - upper]]


def _first_reached(probabilities: FloatArray, tail: float) -> IntArray:
    return np.asarray(np.argmax(np.cumsum(probabilities, axis=1) >= tail - ROUNDING, axis=1))
