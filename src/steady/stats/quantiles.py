"""Quantiles of discrete distributions: rows of values that share their probabilities."""

import numpy as np

from steady.model import FloatArray
from steady.stats.samples import IntArray

ROUNDING = 1e-12
"""Probabilities that differ by less count as equal, because sums of products are rounded."""


def outer_places(
    values: FloatArray, probabilities: FloatArray, tail: float
) -> tuple[IntArray, IntArray]:
    """Return which value of each row is the last that is cut off at its lower and its upper end.

    The lower one is the smallest value that is reached with a probability of at least `tail`; the
    upper one is its mirror image. If the probability up to a value equals `tail` exactly,
    resampling could stop at this value or at the next one; the outer one is taken.

    Parameters
    ----------
    values : ndarray of float64, shape (distributions, atoms)
        The values that can occur.
    probabilities : ndarray of float64, shape (atoms,)
        Their probabilities, the same in every row.
    tail : float
        The probability to cut off at each end; below one half.

    Returns
    -------
    lower, upper : ndarray of int64, shape (distributions,)
    """
    order = np.argsort(values, axis=1)
    return _cut(order, probabilities, tail), _cut(order[:, ::-1], probabilities, tail)


def lower_quantiles(values: FloatArray, probabilities: FloatArray, tail: float) -> FloatArray:
    """Cut off `tail` of the probability at the lower end of each row."""
    places = _cut(np.argsort(values, axis=1), probabilities, tail)
    return np.asarray(values[np.arange(len(values)), places])


def _cut(order: IntArray, probabilities: FloatArray, tail: float) -> IntArray:
    reached = np.cumsum(probabilities[order], axis=1) >= tail - ROUNDING
    return np.asarray(order[np.arange(len(order)), np.argmax(reached, axis=1)])
