"""Quantiles of discrete distributions that share their probabilities."""

import numpy as np

from steady.model import FloatArray
from steady.stats.samples import IntArray

ROUNDING = 1e-12
"""Tolerance for comparing probabilities, which have rounding errors."""


def outer_quantile_positions(
    values: FloatArray, probabilities: FloatArray, tail: float
) -> tuple[IntArray, IntArray]:
    """Return the positions of the lower and the upper quantile in each row.

    The lower quantile is the smallest value with a cumulative probability of at least `tail`; the
    upper quantile is its mirror image. If the cumulative probability of a value equals `tail`
    exactly, resampling could return this value or the next one; this function returns the outer
    one.

    Parameters
    ----------
    values : ndarray of float64, shape (distributions, atoms)
        Possible values of each distribution.
    probabilities : ndarray of float64, shape (atoms,)
        Their probabilities, the same in every row.
    tail : float
        Tail probability at each end, below 0.5.

    Returns
    -------
    lower, upper : ndarray of int64, shape (distributions,)
    """
    order = np.argsort(values, axis=1)
    return _cut(order, probabilities, tail), _cut(order[:, ::-1], probabilities, tail)


def lower_quantiles(values: FloatArray, probabilities: FloatArray, tail: float) -> FloatArray:
    """Return the lower quantile of each row; see `outer_quantile_positions`."""
    places = _cut(np.argsort(values, axis=1), probabilities, tail)
    return np.asarray(values[np.arange(len(values)), places])


def _cut(order: IntArray, probabilities: FloatArray, tail: float) -> IntArray:
    reached = np.cumsum(probabilities[order], axis=1) >= tail - ROUNDING
    return np.asarray(order[np.arange(len(order)), np.argmax(reached, axis=1)])
