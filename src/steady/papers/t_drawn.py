"""Bootstrap-t interval of the mean from resamples that are drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.stats.quantiles import ROUNDING
from steady.stats.samples import Bootstrap, IntArray, Samples, matrix_product

CountArray = npt.NDArray[np.floating | np.unsignedinteger]
"""How often resamples hold each value."""

NEGLIGIBLE = 1e-24
"""Of a sample's variance: less is rounding."""

_ORDERS = 8  # random orders of a sample's values; every set of drawn counts is used with each
_CELLS = 2**21  # statistics computed at a time
_REMEMBERED = 2**20  # counts kept for one sample size; larger tables are drawn anew each time
_EXTREME = 1e6  # statistics beyond are computed once more, in a way that keeps their digits


def drawn_t_widths(samples: Samples, rows: IntArray, bootstrap: Bootstrap) -> FloatArray:
    """Widths of the bootstrap-t intervals, in standard deviations (over n) of the samples.

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
