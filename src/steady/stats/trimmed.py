"""Trimmed means and winsorized values, which are robust to a few outliers."""

import numpy as np

from steady.model import FloatArray
from steady.stats.samples import IntArray

TRIMMED = 0.1
"""Fraction trimmed at each end, rounded down: one value at each end of 10 to 19 values."""

_VALUES_PER_CUT = 4
"""Divisor in the number of values that the midmean trims at each end, ``(n + 1) // 4``: one of 3 to
6 values, two of 7 to 10, a quarter of many."""


def kept_ranks(count: int) -> slice:
    """Return the range of `count` sorted values that a trimmed mean keeps."""
    trimmed = int(TRIMMED * count)
    return slice(trimmed, count - trimmed)


def winsorized(ascending: FloatArray) -> FloatArray:
    """Replace the values that a trimmed mean omits by the nearest values that it keeps.

    Parameters
    ----------
    ascending : ndarray of float64, shape (rows, values)
        Values; each row in ascending order.
    """
    kept = ascending[:, kept_ranks(ascending.shape[1])]
    return np.clip(ascending, kept[:, :1], kept[:, -1:])


def midmean(values: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the midmean of each row, which is the mean of its middle half, and its variance.

    Iterations that other processes slowed are outliers in one direction. They are trimmed, so their
    size has no effect.

    Parameters
    ----------
    values : ndarray of float64, shape (..., n)
        Values; NaN if missing.

    Returns
    -------
    location : ndarray of float64, shape (...)
        Midmeans; NaN for a row without values.
    variance : ndarray of float64, shape (...)
        Variances of the midmeans for independent values, estimated from the winsorized rows. NaN if
        fewer than two values are kept.
    kept : ndarray of int, shape (...)
        Numbers of values that are not trimmed.

    References
    ----------
    Tukey, McLaughlin: "Less vulnerable confidence and significance procedures for location based
    on a single sample", Sankhya A 25 (1963), section 4.
    """
    ordered = np.sort(values, axis=-1)  # NaN last
    counts = np.isfinite(ordered).sum(axis=-1, keepdims=True)
    cut = (counts + 1) // _VALUES_PER_CUT
    left = counts - 2 * cut
    places = np.arange(ordered.shape[-1])
    kept = (places >= cut) & (places < counts - cut)
    location = _quotient(np.where(kept, ordered, 0.0).sum(axis=-1, keepdims=True), left, 1)
    nearest = np.clip(places, cut, np.maximum(counts - cut - 1, 0))
    clipped = np.take_along_axis(ordered, nearest, axis=-1)
    known = places < counts
    mean = _quotient(np.where(known, clipped, 0.0).sum(axis=-1, keepdims=True), counts, 1)
    squares = np.where(known, np.square(clipped - mean), 0.0)
    variance = _quotient(squares.sum(axis=-1, keepdims=True), left * (left - 1), 2)
    return location[..., 0], variance[..., 0], np.asarray(left[..., 0])


def _quotient(above: FloatArray, below: IntArray, least: int) -> FloatArray:
    """Divide element by element; the result is NaN if the divisor is less than `least`."""
    quotient = np.full(above.shape, np.nan)
    np.divide(above, below, out=quotient, where=below >= least)
    return quotient
