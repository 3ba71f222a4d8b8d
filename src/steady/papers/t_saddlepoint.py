"""Saddlepoint approximation of the bootstrap distribution of the studentised mean.

A resample of n values with mean m* and second moment q* (both about the sample's mean, in units
of its standard deviation) has the statistic t* = sqrt(n - 1) a* / sqrt(1 - a*^2), where
a* = m* / sqrt(q*). The pair (m*, q*) is a mean of n independent draws, so the density of a* and
its tail follow without drawing: Daniels and Young, *Saddlepoint approximations for the studentized
mean, with an application to the bootstrap* (Biometrika 78, 1991).

The resamples that reach `a` most easily look as if value y had been drawn with a weight of
exp(-k (y - c)^2). Under these weights second moment = c * mean, and a = mean / sqrt(second moment).
With D the Kullback-Leibler distance of the weights from equal ones,

    P(a* >= a) = P(normal >= r + log(u / r) / r),    r = sqrt(2 n D),
    u = k sqrt(n (variance of (y - c)^2 - 2 k (c / mean) G)),

where G is the determinant of the covariance matrix of y and y^2, all under the weights. Newton's
method finds the (k, c) whose tail is the one asked for; a negative c gives the lower tail.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.special import ndtri
from steady.stats.quantiles import ROUNDING
from steady.stats.samples import BoolArray, Bootstrap, IntArray, Samples, matrix_product

CountArray = npt.NDArray[np.floating | np.unsignedinteger]
"""How often resamples hold each value."""

NEGLIGIBLE = 1e-24
"""Of a sample's variance: less is rounding."""

_ORDERS = 8  # random orders of a sample's values; every set of drawn counts is used with each
_CELLS = 2**21  # statistics computed at a time
_REMEMBERED = 2**20  # counts kept for one sample size; larger tables are drawn anew each time
_EXTREME = 1e6  # statistics beyond are computed once more, in a way that keeps their digits


def drawn_t_widths(samples: Samples, rows: IntArray, bootstrap: Bootstrap) -> FloatArray:
    """Return the bootstrap-t intervals' widths, in standard deviations (over n) of the samples.

    Parameters
    ----------
    samples : Samples
        One or many.
    rows : ndarray of int64
        Which of them; none of these is constant.
    bootstrap : Bootstrap
        How many resamples to draw, and from which seed.

    Returns
    -------
    ndarray of float64, shape (rows,)
    """
    widths = np.zeros(samples.sizes.size)
    for size, part in _parts(samples, rows, bootstrap.resamples):
        widths[part] = _widths(samples.around_median(part, size), bootstrap)
    return widths[rows]


def _parts(samples: Samples, rows: IntArray, resamples: int) -> Iterator[tuple[int, IntArray]]:
    for size, same in samples.by_size(rows):
        rows_at_a_time = max(1, _CELLS // max(resamples, size * _ORDERS))
        for start in range(0, same.size, rows_at_a_time):
            yield size, same[start : start + rows_at_a_time]


def _widths(centred: FloatArray, bootstrap: Bootstrap) -> FloatArray:
    """Upper less lower quantile of t* / sqrt(n - 1), of samples less their medians."""
    size = centred.shape[1]
    counts, orders = _drawn(size, bootstrap.resamples, bootstrap.seed)
    dealt = centred[:, orders]
    statistics = _statistics(dealt.reshape(-1, size), counts).reshape(len(centred), -1)
    statistics = statistics[:, : bootstrap.resamples]
    first = math.ceil((bootstrap.tail - ROUNDING) * bootstrap.resamples) - 1
    last = bootstrap.resamples - 1 - first
    # One quantile at a time: NumPy is three times as slow if it is asked for both at once.
    ordered = np.partition(statistics, first, axis=1)
    ends = [ordered[:, first].copy()]
    ordered.partition(last, axis=1)
    ends.append(ordered[:, last])
    for end in ends:
        extreme = np.flatnonzero(np.abs(end) > _EXTREME)
        if extreme.size:
            resamples = np.argmax(statistics[extreme] == end[extreme, np.newaxis], axis=1)
            order, drawn = np.divmod(resamples, counts.shape[1])
            end[extreme] = resample_ratios(dealt[extreme, order], counts[:, drawn].T)
    return ends[1] - ends[0]


def _statistics(centred: FloatArray, counts: CountArray) -> FloatArray:
    """Excess of resamples' means by their standard deviations, shape (samples, resamples).

    Those of constant resamples are huge, not infinite; but 0 where it is the sample's mean that
    they repeat.
    """
    size = len(counts)
    both = matrix_product(np.concatenate([centred, centred**2]), counts)
    sums, squares = both[: len(centred)], both[len(centred) :]
    # In place: the arrays are large, and new ones cost more than the arithmetic.
    squares *= size
    squares -= sums * sums
    least = NEGLIGIBLE * size**2 * centred.var(axis=1, keepdims=True)
    np.maximum(squares, least, out=squares)
    sums -= size * centred.mean(axis=1, keepdims=True)
    sums /= np.sqrt(squares, out=squares)
    return sums


def _drawn(size: int, resamples: int, seed: int) -> tuple[CountArray, IntArray]:
    sets = math.ceil(resamples / _ORDERS)
    draw = _remembered_draw if size * sets <= _REMEMBERED else _draw
    return draw(size, sets, seed)


def _draw(size: int, sets: int, seed: int) -> tuple[CountArray, IntArray]:
    """Draw resamples for all samples of one size, as counts of their values.

    A set of counts gives a valid resample with any order of a sample's values. Using each set
    with several random orders saves drawing most of the counts.

    Returns
    -------
    counts : ndarray of unsigned integers, shape (size, sets)
    orders : ndarray of int64, shape (orders, size)
    """
    random = np.random.default_rng([seed, size])
    orders = random.permuted(np.tile(np.arange(size), (_ORDERS, 1)), axis=1)
    step = max(1, _CELLS // size)
    parts = [_counts(random, size, min(step, sets - start)) for start in range(0, sets, step)]
    return np.concatenate(parts, axis=1), orders


def _counts(random: np.random.Generator, size: int, sets: int) -> CountArray:
    drawn = random.integers(size, size=(sets, size)) * sets + np.arange(sets)[:, np.newaxis]
    counts = np.bincount(drawn.ravel(), minlength=size * sets).reshape(size, sets)
    return counts.astype(np.min_scalar_type(counts.max()))


_remembered_draw = lru_cache(maxsize=320)(_draw)


def resample_ratios(centred: FloatArray, counts: CountArray) -> FloatArray:
    """Divide the excess of a resample's mean over the sample's by the resample's deviation.

    Parameters
    ----------
    centred : ndarray of float64, shape (samples, size)
        Samples less their medians. In resamples without an outlier the values are then small,
        and differences between them keep their digits.
    counts : ndarray, shape (samples, size)
        How often the one resample of each sample holds each value.

    Returns
    -------
    ndarray of float64, shape (samples,)
        The deviation is over n. Infinite for a constant resample, but 0 if it repeats the mean.
    """
    size = centred.shape[1]
    mean = (counts * centred).sum(axis=1) / size
    variance = (counts * (centred - mean[:, np.newaxis]) ** 2).sum(axis=1) / size
    excess = mean - centred.mean(axis=1)
    excess[np.abs(excess) <= ROUNDING * np.ptp(centred, axis=1)] = 0.0
    varies = variance > ROUNDING * (counts * centred**2).sum(axis=1) / size
    infinite = np.where(excess == 0, 0.0, np.copysign(np.inf, excess))
    return np.asarray(np.divide(excess, np.sqrt(variance), out=infinite, where=varies))


_SIDES = np.array([1.0, -1.0])  # upper tail, lower tail
_STEPS = 5  # of Newton's method; more change the width by less than 1e-6, mostly
_LARGEST_STEP = 0.5  # of each parameter, relative
_SETTLED = 0.02  # in standard deviations: larger differences before the last step are no solution
_LARGEST_CORRECTION = 0.25  # of r; beyond, the next terms of the expansion count too
_LARGEST_TAIL = 0.4  # r must not be near 0
# Resamples that lie within one cluster of values make a second mode.
_RARE_CLUSTER = 0.1  # of the tail: clusters whose resamples are rarer cannot move the quantile
_FAR_CLUSTER = 1.4  # quantiles that are as rare: a nearer cluster is a part of the smooth tail
_TINY = 1e-12


@dataclass(frozen=True, slots=True)
class _Weighted:
    """Moments under the weights exp(-k (y - c)^2); each array has the shape (samples, 2).

    Parameters
    ----------
    k, c : ndarray of float64
        Parameters of the weights.
    mean, square : ndarray of float64
        Means of y and of y^2.
    variance, covariance : ndarray of float64
        Variance of y, and its covariance with y^2.
    mean_falls, square_falls : ndarray of float64
        Covariances of y and of y^2 with (y - c)^2: how fast the means fall as k grows.
    distance_variance : ndarray of float64
        Variance of (y - c)^2.
    root : ndarray of float64
        r = sqrt(2 n D).
    """

    k: FloatArray
    c: FloatArray
    mean: FloatArray
    square: FloatArray
    variance: FloatArray
    covariance: FloatArray
    mean_falls: FloatArray
    square_falls: FloatArray
    distance_variance: FloatArray
    root: FloatArray

    @classmethod
    def of(
        cls,
        values: FloatArray,
        powers: FloatArray,
        counts: FloatArray,
        k: FloatArray,
        c: FloatArray,
    ) -> _Weighted:
        """Weigh the values; `powers` are theirs from 0 to 4, in the last axis."""
        weights = values[:, np.newaxis] - c[..., np.newaxis]
        weights *= weights
        weights *= -k[..., np.newaxis]
        np.exp(weights, out=weights)
        sums = np.matmul(weights, powers).transpose(2, 0, 1)
        mean, square, cube, fourth = sums[1:] / sums[0]
        twice = 2 * c
        variance = square - mean * mean
        covariance = cube - mean * square
        mean_falls = covariance - twice * variance
        square_falls = fourth - square * square - twice * covariance
        distance = k * (twice * mean - square - c * c) - np.log(sums[0] / counts)
        return cls(
            k,
            c,
            mean,
            square,
            variance,
            covariance,
            mean_falls,
            square_falls,
            distance_variance=square_falls - twice * mean_falls,
            root=np.sqrt(np.maximum(2 * counts * distance, _TINY)),
        )

    def correction(self, counts: FloatArray) -> FloatArray:
        """Return log(u / r) / r, which the expansion adds to r."""
        square_variance = self.square_falls + 2 * self.c * self.covariance
        determinant = self.variance * square_variance - self.covariance**2
        inner = self.distance_variance - 2 * self.k * self.c / self.mean * determinant
        ratio = self.k / self.root
        squared = counts * np.maximum(inner, _TINY) * ratio * ratio
        return np.asarray(0.5 * np.log(squared) / self.root, dtype=np.float64)

    def newton_steps(self, counts: FloatArray, off_tail: FloatArray) -> tuple[FloatArray, ...]:
        """Return how far second moment and c times mean are apart, and the steps of k and c.

        The correction hardly changes with k and c, so its derivative is left out.
        """
        k, c, falls = self.k, self.c, self.mean_falls
        off_curve = self.square - c * self.mean
        curve_k = c * falls - self.square_falls
        curve_c = 2 * k * (self.covariance - c * self.variance) - self.mean
        rate = counts * k / self.root
        tail_k = rate * self.distance_variance
        tail_c = -2 * rate * k * falls
        determinant = curve_k * tail_c - curve_c * tail_k
        step_k = (off_tail * curve_c - off_curve * tail_c) / determinant
        step_c = (off_curve * tail_k - off_tail * curve_k) / determinant
        return off_curve, step_k, step_c

    def ratios_after(self, step_k: FloatArray, step_c: FloatArray) -> FloatArray:
        """Return mean by standard deviation after a step, to first order."""
        twice = 2 * self.k * step_c
        mean = self.mean - self.mean_falls * step_k + self.variance * twice
        square = self.square - self.square_falls * step_k + self.covariance * twice
        return np.asarray(mean / np.sqrt(square - mean * mean), dtype=np.float64)


def saddlepoint_quantiles(
    standardised: FloatArray, sizes: IntArray, tail: float
) -> tuple[FloatArray, BoolArray]:
    """Return quantiles of the bootstrap t statistic, without resampling.

    Parameters
    ----------
    standardised : ndarray of float64, shape (samples, size of the largest)
        Ascending values less their mean, by their standard deviation (over n); 0 in the padding.
    sizes : ndarray of int64, shape (samples,)
        How many values each sample has.
    tail : float
        Probability beyond each quantile.

    Returns
    -------
    quantiles : ndarray of float64, shape (samples, 2)
        Upper and lower quantile of t* / sqrt(n - 1).
    reliable : ndarray of bool, shape (samples,)
        Whether the approximation holds. It does not where resamples from one cluster of values
        make a second mode, where its own correction is large, and where no solution was reached.
    """
    counts = sizes[:, np.newaxis].astype(np.float64)
    wanted = -float(ndtri(tail))
    powers = _powers(standardised, sizes)
    k, c = _start(powers, counts, wanted)
    with np.errstate(all="ignore"):  # what is not finite is not reliable
        for _ in range(_STEPS):
            weighted = _Weighted.of(standardised, powers, counts, k, c)
            correction = weighted.correction(counts)
            off_tail = weighted.root + correction - wanted
            off_curve, step_k, step_c = weighted.newton_steps(counts, off_tail)
            room = _LARGEST_STEP * np.minimum(k / np.abs(step_k), np.abs(c / step_c))
            share = np.minimum(room, 1.0)
            k, c = k + share * step_k, c + share * step_c
        ratios = weighted.ratios_after(step_k, step_c)
        farthest = np.maximum(np.abs(off_curve), np.abs(off_tail))
        reliable = (room > 1) & (farthest < _SETTLED) & (np.abs(correction) < _LARGEST_CORRECTION)
        far = _FAR_CLUSTER * float(ndtri(_RARE_CLUSTER * tail) / ndtri(tail)) * np.abs(ratios)
        reliable &= _cluster_ratios(standardised, sizes, tail) < far
    holds = reliable.all(axis=1) & (tail < _LARGEST_TAIL)
    return ratios, np.asarray(holds, dtype=np.bool_)


def _powers(values: FloatArray, sizes: IntArray) -> FloatArray:
    """Powers 0 to 4 of the values, 0 in the padding, shape (samples, size of the largest, 5)."""
    powers = np.empty((*values.shape, 5))
    powers[..., 0] = np.arange(values.shape[1]) < sizes[:, np.newaxis]
    powers[..., 1] = values
    square = np.multiply(values, values, out=powers[..., 2])
    np.multiply(square, values, out=powers[..., 3])
    np.multiply(square, square, out=powers[..., 4])
    return powers


def _start(powers: FloatArray, counts: FloatArray, wanted: float) -> tuple[FloatArray, FloatArray]:
    """Return k and c of a normal sample, whose quantile is Student's, moved by the skewness.

    The skewness enters as in the Edgeworth expansion of the studentised mean.
    """
    freedom = counts - 1
    student = wanted + wanted * (wanted**2 + 1) / (4 * freedom)  # to first order
    student += wanted * ((5 * wanted**2 + 16) * wanted**2 + 3) / (96 * freedom**2)
    skewness = powers[..., 3].sum(axis=1, keepdims=True) / counts
    moved = student - _SIDES * skewness * (2 * student**2 + 1) / (6 * np.sqrt(counts))
    moved = np.minimum(np.maximum(moved, 0.4 * student), 2 * student)
    squared = moved * moved / (freedom + moved * moved)  # a^2; a normal sample has c = 1 / a
    return 0.5 * squared / (1 - squared), _SIDES / np.sqrt(squared)


def _cluster_ratios(values: FloatArray, sizes: IntArray, tail: float) -> FloatArray:
    """Largest mean by standard deviation of neighbouring values, shape (samples, 2).

    Only sets of neighbours count that contain all of a resample often enough to matter.
    """
    left_out = np.floor(sizes * -np.expm1(math.log(_RARE_CLUSTER * tail) / sizes))
    few = np.arange(int(left_out.max()) + 1)
    outside = few[:, np.newaxis] + few
    counts = np.maximum(sizes[:, np.newaxis, np.newaxis] - outside, 1.0)
    ends = np.maximum(sizes[:, np.newaxis] - few, 0)
    rows = np.arange(sizes.size)[:, np.newaxis]
    mean, square = (
        (sums[rows, ends][:, np.newaxis] - sums[:, : few.size, np.newaxis]) / counts
        for sums in (_running_sums(values), _running_sums(values * values))
    )
    ratios = mean / np.sqrt(np.maximum(square - mean * mean, _TINY))
    ratios[outside > left_out[:, np.newaxis, np.newaxis]] = 0.0
    ratios = ratios.reshape(sizes.size, -1)
    return np.stack([ratios.max(axis=1), -ratios.min(axis=1)], axis=1)


def _running_sums(values: FloatArray) -> FloatArray:
    sums = np.zeros((values.shape[0], values.shape[1] + 1))
    np.cumsum(values, axis=1, out=sums[:, 1:])
    return sums
