"""The stability metrics of the µOpTime paper, but for the default one; one takes a bootstrap-t."""

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import FloatArray
from steady.stats.mean_bootstrap import LARGEST_ENUMERATED, all_resamples, mean_intervals
from steady.stats.quantiles import ROUNDING, outer_places
from steady.stats.samples import (
    Bootstrap,
    IntArray,
    Samples,
    matrix_product,
    middle,
    relative_spread,
)

CountArray = npt.NDArray[np.floating | np.unsignedinteger]
"""How often resamples hold each value."""

_NEGLIGIBLE = 1e-24  # of a sample's variance: less is rounding
_ORDERS = 8  # random orders of a sample's values; every set of drawn counts is used with each
_CELLS = 2**21  # statistics computed at a time
_REMEMBERED = 2**20  # counts kept for one sample size; larger tables are drawn anew each time
_EXTREME = 1e6  # statistics beyond are computed once more, in a way that keeps their digits


def t_widths(samples: Samples, bootstrap: Bootstrap) -> FloatArray:
    """Return the widths of the bootstrap-t intervals of the mean (µOpTime, section 2).

    All resamples of up to 8 values are enumerated; of more, resamples are drawn.

    Parameters
    ----------
    samples : Samples
        One or many.
    bootstrap : Bootstrap
        Resamples and seed matter only where resamples are drawn.

    Returns
    -------
    ndarray of float64, shape (samples,)
        0 for a constant sample. Infinite if so many resamples are constant that a limit would
        be a division by zero.

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
    """Upper less lower quantile of t* / sqrt(n - 1), of samples less their medians."""
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
        places = outer_places(statistics, probabilities, bootstrap.tail)
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


def _resample_ratios(centred: FloatArray, counts: CountArray) -> FloatArray:
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


def cv(samples: Samples, _: Bootstrap) -> FloatArray:
    """Divide the population standard deviation (over n) by the mean (µOpTime, section 2).

    The values are added in the order of measurement, as in the prototype. If two configurations
    hold the same values, rounding decides between them there, so it must be the same here.
    """
    inside, sizes = samples.inside, samples.sizes
    means = np.where(inside, samples.values, 0.0).sum(axis=1) / sizes
    deviations = np.where(inside, samples.values - means[:, np.newaxis], 0.0)
    spread = np.sqrt((deviations * deviations).sum(axis=1) / sizes)
    varies = samples.values[:, :1] != np.where(inside, samples.values, samples.values[:, :1])
    return relative_spread(np.where(varies.any(axis=1), spread, 0.0), means, sizes)


def rmad(samples: Samples, _: Bootstrap) -> FloatArray:
    """Divide the median distance to the median by the median (µOpTime, section 2), unscaled."""
    distances = np.abs(samples.values - samples.medians[:, np.newaxis])
    deviation = middle(np.sort(distances, axis=1), samples.sizes)
    return relative_spread(deviation, samples.medians, samples.sizes)


def rciw1(samples: Samples, bootstrap: Bootstrap) -> FloatArray:
    """Divide the width of the percentile interval of the mean by the mean (µOpTime, section 2)."""
    lower, upper = mean_intervals(samples, bootstrap.confidence)
    return relative_spread(upper - lower, samples.means, samples.sizes)


def rciw2(samples: Samples, bootstrap: Bootstrap) -> FloatArray:
    """Divide the width of the bootstrap-t interval of the mean by the mean (µOpTime, section 2)."""
    return relative_spread(t_widths(samples, bootstrap), samples.means, samples.sizes)


def rciw3_mean(samples: Samples, bootstrap: Bootstrap) -> FloatArray:
    """Divide the width of the percentile interval of the mean by the median (the prototype)."""
    lower, upper = mean_intervals(samples, bootstrap.confidence)
    return relative_spread(upper - lower, samples.medians, samples.sizes)
