"""The stability metrics of the µOpTime paper, except the default metric."""

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import FloatArray
from steady.stats.mean_bootstrap import LARGEST_ENUMERATED, all_resamples, mean_intervals
from steady.stats.median_bootstrap import ROUNDING, outer_quantile_positions
from steady.stats.samples import (
    Bootstrap,
    IntArray,
    Samples,
    matrix_product,
    middle,
    relative_spread,
)

CountArray = npt.NDArray[np.floating | np.unsignedinteger]
"""Counts of each value in resamples."""

_NEGLIGIBLE = 1e-24  # fraction of a sample's variance; smaller values are rounding errors
_ORDERS = 8  # number of random permutations of a sample's values; each is combined with all counts
_CELLS = 2**21  # statistics computed at once
_REMEMBERED = 2**20  # maximum number of cached counts per sample size; larger tables are not cached
_EXTREME = 1e6  # larger statistics are recomputed with a more accurate formula


def t_widths(samples: Samples, bootstrap: Bootstrap) -> FloatArray:
    """Return the widths of the bootstrap-t intervals of the mean (µOpTime, section 2).

    For up to 8 values, all resamples are enumerated; for more, resamples are drawn at random.

    Parameters
    ----------
    samples : Samples
        One or many samples.
    bootstrap : Bootstrap
        Options; resamples and seed are used only if resamples are drawn.

    Returns
    -------
    ndarray of float64, shape (samples,)
        Widths; 0 for a constant sample, and infinite if so many resamples are constant that a limit
        is undefined.

    Raises
    ------
    InputError
        If there are too few resamples for the confidence level.
    """
    _require_enough(bootstrap)
    widths = np.zeros(samples.sizes.size)
    for size, same in samples.by_size(np.flatnonzero(samples.standard_deviations > 0)):
        step = max(1, _CELLS // max(bootstrap.resamples, size * _ORDERS))
        for start in range(0, same.size, step):
            rows = same[start : start + step]
            widths[rows] = _widths(samples.around_median(rows, size), bootstrap)
    return widths * samples.standard_deviations


def _require_enough(bootstrap: Bootstrap) -> None:
    needed = math.ceil(1 / bootstrap.tail)
    if bootstrap.resamples < needed:
        raise InputError(
            f"{bootstrap.resamples} resamples cannot show a confidence of "
            f"{bootstrap.confidence}: draw at least {needed}"
        )


def _widths(centred: FloatArray, bootstrap: Bootstrap) -> FloatArray:
    """Return the widths between quantiles of t* / sqrt(n - 1), for median-centred samples."""
    size = centred.shape[1]
    counts: CountArray
    if size <= LARGEST_ENUMERATED:
        counts, probabilities = all_resamples(size)
        orders = np.arange(size)[np.newaxis]
    else:
        counts, orders = _drawn(size, bootstrap.resamples, bootstrap.seed)
    dealt = centred[:, orders]
    statistics = _statistics(dealt.reshape(-1, size), counts).reshape(len(centred), -1)
    if size <= LARGEST_ENUMERATED:
        places = outer_quantile_positions(statistics, probabilities, bootstrap.tail)
    else:
        statistics = statistics[:, : bootstrap.resamples]
        first = math.ceil((bootstrap.tail - ROUNDING) * bootstrap.resamples) - 1
        lower, upper = (np.argpartition(s, first)[:, first] for s in (statistics, -statistics))
        places = lower, upper
    ends = []
    for place in places:
        end = statistics[np.arange(len(place)), place]
        extreme = np.flatnonzero(np.abs(end) > _EXTREME)
        order, resample = np.divmod(place[extreme], counts.shape[1])
        end[extreme] = _resample_ratios(dealt[extreme, order], counts[:, resample].T)
        ends.append(end)
    return np.asarray(ends[1] - ends[0])


def _statistics(centred: FloatArray, counts: CountArray) -> FloatArray:
    """Return the studentized means of resamples, shape (samples, resamples).

    For constant resamples they are huge but finite, or 0 if the value is the sample's mean.
    """
    size = len(counts)
    both = matrix_product(np.concatenate([centred, centred**2]), counts)
    sums, squares = both[: len(centred)], both[len(centred) :]
    # Computed in place, because allocating large arrays takes longer than the arithmetic.
    squares *= size
    squares -= sums * sums
    least = _NEGLIGIBLE * size**2 * centred.var(axis=1, keepdims=True)
    np.maximum(squares, least, out=squares)
    sums -= size * centred.mean(axis=1, keepdims=True)
    sums /= np.sqrt(squares, out=squares)
    return sums


def _drawn(size: int, resamples: int, seed: int) -> tuple[CountArray, IntArray]:
    sets = math.ceil(resamples / _ORDERS)
    draw = _remembered_draw if size * sets <= _REMEMBERED else _draw
    return draw(size, sets, seed)


def _draw(size: int, sets: int, seed: int) -> tuple[CountArray, IntArray]:
    """Draw resamples for all samples of one size, as counts of values.

    A set of counts is a valid resample for any permutation of a sample's values. Combining each set
    with several random permutations reduces the number of draws.

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


def _resample_ratios(centred: FloatArray, counts: CountArray) -> FloatArray:
    """Return the studentized mean of one resample of each sample, computed accurately.

    Parameters
    ----------
    centred : ndarray of float64, shape (samples, size)
        Samples minus their medians. In resamples without an outlier these are small, so their
        differences are accurate.
    counts : ndarray, shape (samples, size)
        Counts of each value in the resample of each sample.

    Returns
    -------
    ndarray of float64, shape (samples,)
        Studentized means with the population standard deviation. Infinite for a constant resample,
        but 0 if its value is the sample's mean.
    """
    size = centred.shape[1]
    mean = (counts * centred).sum(axis=1) / size
    variance = (counts * (centred - mean[:, np.newaxis]) ** 2).sum(axis=1) / size
    excess = mean - centred.mean(axis=1)
    excess[np.abs(excess) <= ROUNDING * np.ptp(centred, axis=1)] = 0.0
    varies = variance > ROUNDING * (counts * centred**2).sum(axis=1) / size
    infinite = np.where(excess == 0, 0.0, np.copysign(np.inf, excess))
    return np.asarray(np.divide(excess, np.sqrt(variance), out=infinite, where=varies))


def cv(samples: Samples, _: Bootstrap) -> FloatArray:
    """Return the population standard deviation divided by the mean (µOpTime, section 2).

    The values are summed in the order of measurement, as in the prototype, because rounding errors
    decide between configurations with the same values.
    """
    inside, sizes = samples.inside, samples.sizes
    means = np.where(inside, samples.values, 0.0).sum(axis=1) / sizes
    deviations = np.where(inside, samples.values - means[:, np.newaxis], 0.0)
    spread = np.sqrt((deviations * deviations).sum(axis=1) / sizes)
    varies = samples.values[:, :1] != np.where(inside, samples.values, samples.values[:, :1])
    return relative_spread(np.where(varies.any(axis=1), spread, 0.0), means, sizes)


def rmad(samples: Samples, _: Bootstrap) -> FloatArray:
    """Return the unscaled median absolute deviation divided by the median (µOpTime, section 2)."""
    distances = np.abs(samples.values - samples.medians[:, np.newaxis])
    deviation = middle(np.sort(distances, axis=1), samples.sizes)
    return relative_spread(deviation, samples.medians, samples.sizes)


def rciw1(samples: Samples, bootstrap: Bootstrap) -> FloatArray:
    """Return the width of the mean's percentile interval divided by the mean (section 2)."""
    lower, upper = mean_intervals(samples, bootstrap.confidence)
    return relative_spread(upper - lower, samples.means, samples.sizes)


def rciw2(samples: Samples, bootstrap: Bootstrap) -> FloatArray:
    """Return the width of the mean's bootstrap-t interval divided by the mean (section 2)."""
    return relative_spread(t_widths(samples, bootstrap), samples.means, samples.sizes)


def rciw3_mean(samples: Samples, bootstrap: Bootstrap) -> FloatArray:
    """Return the width of the mean's percentile interval divided by the median (prototype)."""
    lower, upper = mean_intervals(samples, bootstrap.confidence)
    return relative_spread(upper - lower, samples.medians, samples.sizes)
