"""Quantiles of discrete distributions."""

from __future__ import annotations

import numpy as np

from steady.model import FloatArray
from steady.stats.samples import BoolArray

ROUNDING = 1e-12
"""Probabilities that differ by less count as equal, because sums of products are rounded."""

_MANY = 256  # from this many atoms on, it is faster to look at some of them first
_SHARE = 8  # one in eight is looked at first


def outer_quantiles(
    values: FloatArray, probabilities: FloatArray, tail: float
) -> tuple[FloatArray, FloatArray]:
    """Cut off `tail` of the probability on each side.

    The lower cut is the smallest value that is reached with a probability of at least `tail`;
    the upper cut is its mirror image. If the probability up to a value equals `tail` exactly,
    resampling could stop at this value or at the next one; the outer one is taken.

    Parameters
    ----------
    values : ndarray, shape (distributions, atoms)
        The values that can occur; they may be infinite.
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
    """Cut off `tail` of the probability at the lower end; see `outer_quantiles`."""
    atoms = values.shape[1]
    if atoms >= _MANY:
        # A tail rarely holds more than a few of many atoms: only these are sorted.
        few = np.argpartition(values, atoms // _SHARE, axis=1)[:, : atoms // _SHARE]
        quantiles, reached = _first_reached(
            np.take_along_axis(values, few, axis=1), probabilities[few], tail
        )
        if reached.all():
            return quantiles
    return _first_reached(values, probabilities, tail)[0]


def _first_reached(
    values: FloatArray, probabilities: FloatArray, tail: float
) -> tuple[FloatArray, BoolArray]:
    """Return each row's first value at which `tail` is reached, and whether it is reached.

    `probabilities` has a row for each row of values, or one row for all.
    """
    rows = np.arange(len(values))
    order = np.argsort(values, axis=1)
    alike = probabilities.ndim == 1
    ordered = probabilities[order] if alike else np.take_along_axis(probabilities, order, axis=1)
    reached = np.cumsum(ordered, axis=1) >= tail - ROUNDING
    first = np.argmax(reached, axis=1)
    return values[rows, order[rows, first]], reached[:, -1]
