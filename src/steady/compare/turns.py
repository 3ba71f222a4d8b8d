"""Two forks that took turns: the difference that their pairs of iterations show."""

from __future__ import annotations

import numpy as np

from steady.model import FloatArray

_PAIRS_FOR_A_CUT = 4
"""Of so many pairs, less one, a further one is cut off at either end: one of 3 to 6 pairs, two of
7 to 10, a quarter of many."""


def paired_differences(base: FloatArray, head: FloatArray) -> FloatArray:
    """Subtract each iteration of base from the one of head that ran right beside it.

    Parameters
    ----------
    base, head : ndarray of float64, shape (..., iterations)
        Logarithms; NaN where a fork has fewer iterations. The two may differ in length.

    Returns
    -------
    ndarray of float64, shape (..., pairs)
        NaN where one of the two iterations is missing.
    """
    pairs = min(base.shape[-1], head.shape[-1])
    return np.asarray(head[..., :pairs] - base[..., :pairs])


def middle_mean(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Take the mean of the middle half of each row, and its variance as the row explains it.

    An iteration during which something else woke up is far out in one direction: it is cut off,
    whatever its size.

    Parameters
    ----------
    differences : ndarray of float64, shape (..., pairs)
        NaN where a pair is missing.

    Returns
    -------
    location : ndarray of float64, shape (...)
        NaN of a row without any pair.
    variance : ndarray of float64, shape (...)
        Of that mean if pairs are independent of one another: of the row with its ends drawn in to
        what stays. NaN where fewer than two pairs stay.

    References
    ----------
    Tukey, McLaughlin: "Less vulnerable confidence and significance procedures for location based
    on a single sample", Sankhya A 25 (1963), section 4.
    """
    ordered = np.sort(differences, axis=-1)  # NaN last
    counts = np.isfinite(ordered).sum(axis=-1, keepdims=True)
    cut = (counts + 1) // _PAIRS_FOR_A_CUT
    left = counts - 2 * cut
    places = np.arange(ordered.shape[-1])
    staying = (places >= cut) & (places < counts - cut)
    location = _quotient(np.where(staying, ordered, 0.0).sum(axis=-1, keepdims=True), left, 1)
    nearest = np.clip(places, cut, np.maximum(counts - cut - 1, 0))
    drawn_in = np.take_along_axis(ordered, nearest, axis=-1)
    squares = np.where(places < counts, np.square(drawn_in - _mean(drawn_in, counts)), 0.0)
    variance = _quotient(squares.sum(axis=-1, keepdims=True), left * (left - 1), 2)
    return location[..., 0], variance[..., 0]


def _mean(rows: FloatArray, counts: np.ndarray) -> FloatArray:
    known = np.arange(rows.shape[-1]) < counts
    return _quotient(np.where(known, rows, 0.0).sum(axis=-1, keepdims=True), counts, 1)


def _quotient(above: FloatArray, below: np.ndarray, least: int) -> FloatArray:
    """Divide; NaN where the divisor is less than `least`."""
    return np.divide(above, below, out=np.full(above.shape, np.nan), where=below >= least)
