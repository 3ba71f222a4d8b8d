"""Percentile-bootstrap interval of the median, in the limit of infinitely many resamples.

The median of a resample is an order statistic of the sample, or the mean of two. The probabilities
of the order statistics depend only on the sample's size, so they are computed once for each size.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from steady.model import FloatArray
from steady.scipy_special import betainc, betaincinv, gammaln
from steady.stats.samples import Bootstrap, IntArray, Samples, relative_spread

ROUNDING = 1e-12
"""Tolerance in comparisons of probabilities, for rounding errors."""


def outer_quantile_positions(
    values: FloatArray, probabilities: FloatArray, tail: float
) -> tuple[IntArray, IntArray]:
    """Return the positions of the lower and the upper quantile in each row.

    The rows are discrete distributions. The lower quantile is the smallest value with a cumulative
    probability of at least `tail`; the upper quantile is its mirror image. If the cumulative
    probability of a value equals `tail` exactly, resampling may return this value or the next one;
    this function returns the outer one.

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
    return _reaching(order, probabilities, tail), _reaching(order[:, ::-1], probabilities, tail)


def lower_quantiles(values: FloatArray, probabilities: FloatArray, tail: float) -> FloatArray:
    """Return the lower quantile of each row; see `outer_quantile_positions`."""
    places = _reaching(np.argsort(values, axis=1), probabilities, tail)
    return np.asarray(values[np.arange(len(values)), places])


def _reaching(order: IntArray, probabilities: FloatArray, tail: float) -> IntArray:
    reached = np.cumsum(probabilities[order], axis=1) >= tail - ROUNDING
    return np.asarray(order[np.arange(len(order)), np.argmax(reached, axis=1)])


_GAP = 40  # maximum rank difference of the middle values; larger ones have a probability < exp(-39)
_NEGLIGIBLE = 1e-12  # pairs with a lower probability are ignored


@dataclass(frozen=True, slots=True)
class _Cut:
    """Position of the lower quantile of the bootstrap median, for one sample size.

    Parameters
    ----------
    lower, upper : ndarray of int64, shape (pairs,)
        0-based ranks of the two middle values of a resample, for every pair whose mean may be the
        quantile. The two ranks are equal for an odd size.
    probabilities : ndarray of float64, shape (pairs,)
        Probabilities of these pairs.
    below : float
        Total probability of all pairs that certainly lie below the quantile.
    """

    lower: IntArray
    upper: IntArray
    probabilities: FloatArray
    below: float


def rciw3(samples: Samples, bootstrap: Bootstrap) -> FloatArray:
    """Return the width of the median's percentile interval divided by the median (section 2)."""
    lower, upper = median_intervals(samples, bootstrap.confidence)
    return relative_spread(upper - lower, samples.medians, samples.sizes)


def median_intervals(samples: Samples, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Percentile-bootstrap intervals of the median (µOpTime, section 2).

    Parameters
    ----------
    samples : Samples
        One or many samples.
    confidence : float
        Confidence level.

    Returns
    -------
    lower, upper : ndarray of float64, shape (samples,)
        Exact limits; each is a value of the sample, or the mean of two values.
    """
    tail = (1 - confidence) / 2
    lower = np.empty(samples.sizes.size)
    upper = np.empty(samples.sizes.size)
    for size, rows in samples.by_size():
        cut = _cut(size, tail)
        ascending = samples.ascending[rows, :size]
        both = _lower_quantile(np.concatenate([ascending, -ascending[:, ::-1]]), cut, tail)
        lower[rows], upper[rows] = both[: len(rows)], -both[len(rows) :]
    return lower, upper


def _lower_quantile(ascending: FloatArray, cut: _Cut, tail: float) -> FloatArray:
    if cut.probabilities.size == 1:
        return np.asarray((ascending[:, cut.lower[0]] + ascending[:, cut.upper[0]]) / 2)
    medians = (ascending[:, cut.lower] + ascending[:, cut.upper]) / 2
    return lower_quantiles(medians, cut.probabilities, tail - cut.below)


@lru_cache(maxsize=4096)
def _cut(size: int, tail: float) -> _Cut:
    if size % 2:
        rank = np.array([_reached(size, (size + 1) // 2, tail)])
        return _Cut(rank, rank, np.ones(1), 0.0)
    return _even_cut(size, tail)


def _among(size: int, rank: int, smallest: IntArray) -> FloatArray:
    """Return P(the `rank`-th value of a resample is among the `smallest` lowest of the sample).

    This is the binomial probability that at least `rank` of n draws are among these values.
    """
    return np.asarray(betainc(rank, size - rank + 1, smallest / size), dtype=np.float64)


def _reached(size: int, rank: int, tail: float) -> int:
    """Return the 0-based sample rank of the `tail` quantile of a resample's `rank`-th value."""
    near = math.ceil(size * betaincinv(rank, size - rank + 1, tail))
    smallest = np.clip(np.arange(near - 1, near + 2), 1, size)
    reached = _among(size, rank, smallest) >= tail - ROUNDING
    return int(smallest[np.argmax(reached)]) - 1


def _even_cut(size: int, tail: float) -> _Cut:
    """Return the pairs (i, j) of middle ranks whose mean may be the lower quantile.

    The median lies between the two middle values, so its quantile lies between the quantiles
    of these two, at ranks a and b. Pairs with j < a lie below it, and pairs with i > b above it.
    The other pairs are returned.
    """
    half = size // 2
    a, b = _reached(size, half, tail), _reached(size, half + 1, tail)
    lower = np.arange(max(0, a - _GAP), b + 1)
    upper = np.arange(a, min(size, b + _GAP + 1))
    i, j = np.meshgrid(lower, upper, indexing="ij")
    apart = np.where(i < j, _pair_probability(i, j, size), 0.0)
    alike = _among(size, half, lower + 1) - _among(size, half, lower) - apart.sum(axis=1)
    probabilities = np.where(i == j, alike[:, np.newaxis], apart)
    listed = (i <= j) & (probabilities > _NEGLIGIBLE)
    below = float(_among(size, half + 1, np.array(a)))
    return _Cut(i[listed], j[listed], probabilities[listed], below)


def _pair_probability(i: IntArray, j: IntArray, size: int) -> FloatArray:
    """Return P(the two middle values of a resample have the 0-based ranks i < j), for an even size.

    Half of the draws have ranks of at most i, and at least one has rank i; the other half is the
    mirror image for j.
    """
    half = size // 2
    to_left, to_right = i + 1, size - j
    ways = gammaln(size + 1) - 2 * gammaln(half + 1)
    logarithm = ways + half * (np.log(to_left / size) + np.log(to_right / size))
    touched = (1 - (i / to_left) ** half) * (1 - (1 - 1 / to_right) ** half)
    return np.asarray(np.exp(logarithm) * touched, dtype=np.float64)
