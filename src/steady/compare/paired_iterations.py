"""Pairs of iterations of two forks that took turns, and the difference that they show."""

from __future__ import annotations

import numpy as np

from steady.compare.pair import IntArray
from steady.model import FloatArray

_PAIRS_FOR_A_CUT = 4
"""Of so many pairs, less one, a further one is cut off at either end: one of 3 to 6 pairs, two of
7 to 10, a quarter of many."""

_FREEDOM_OF_TYPICAL = 4
"""So many degrees of freedom the mean of a benchmark's rounds is worth for the noise of one."""


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


def middle_mean(differences: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
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
    staying : ndarray of int, shape (...)
        How many pairs are not cut off.

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
    return location[..., 0], variance[..., 0], np.asarray(left[..., 0])


def _mean(rows: FloatArray, counts: IntArray) -> FloatArray:
    known = np.arange(rows.shape[-1]) < counts
    return _quotient(np.where(known, rows, 0.0).sum(axis=-1, keepdims=True), counts, 1)


def _quotient(above: FloatArray, below: IntArray, least: int) -> FloatArray:
    """Divide; NaN where the divisor is less than `least`."""
    quotient = np.full(above.shape, np.nan)
    np.divide(above, below, out=quotient, where=below >= least)
    return quotient


def steadied(variance: FloatArray, staying: IntArray) -> FloatArray:
    """Draw the variance of each round towards the mean of its benchmark's rounds.

    That of a few pairs is known badly, and one that is too small by chance would give its round
    too much weight.

    Parameters
    ----------
    variance : ndarray of float64, shape (benchmarks, rounds)
        NaN where it is not known.
    staying : ndarray of int, shape (benchmarks, rounds)
        Of how many pairs.
    """
    known = np.isfinite(variance)
    values = np.where(known, variance, 0.0)
    typical = _quotient(values.sum(axis=1, keepdims=True), known.sum(axis=1, keepdims=True), 1)
    freedom = np.maximum(staying - 1, 0)
    drawn = (freedom * values + _FREEDOM_OF_TYPICAL * typical) / (freedom + _FREEDOM_OF_TYPICAL)
    return np.asarray(np.where(known, drawn, np.nan))
