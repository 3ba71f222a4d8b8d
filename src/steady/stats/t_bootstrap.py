"""Bootstrap-t interval of the mean."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import FloatArray
from steady.stats.enumeration import LARGEST_ENUMERATED, all_resamples
from steady.stats.matrix_product import matrix_product
from steady.stats.options import Bootstrap
from steady.stats.quantiles import ROUNDING, outer_quantiles
from steady.stats.samples import IntArray, Samples

CountArray = npt.NDArray[np.floating | np.unsignedinteger]
"""How often resamples hold each value, shape (size, resamples)."""

_ORDERS = 8  # random orders of a sample's values; every set of drawn counts is used with each
_CELLS = 2**21  # statistics computed at a time
_REMEMBERED = 2**20  # counts kept for one sample size; larger tables are drawn anew each time


def t_widths(samples: Samples, bootstrap: Bootstrap) -> FloatArray:
    """Widths of the bootstrap-t intervals of the mean (µOpTime, section 2).

    Parameters
    ----------
    samples : Samples
        One or many.
    bootstrap : Bootstrap
        Resamples and seed matter for more than 8 values; all resamples of fewer are enumerated.

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
    widths = np.zeros(samples.sizes.size)
    _require_enough(bootstrap)
    varies = samples.standard_deviations > 0
    for size, rows in _parts(samples, bootstrap.resamples):
        varying = rows[varies[rows]]
        if varying.size:
            centred = samples.ascending[varying, :size] - samples.medians[varying, np.newaxis]
            lower, upper = _studentised_quantiles(centred, bootstrap)
            error = samples.standard_deviations[varying] / math.sqrt(size - 1)
            widths[varying] = (upper - lower) * error
    return widths


def _require_enough(bootstrap: Bootstrap) -> None:
    needed = math.ceil(1 / bootstrap.tail)
    if bootstrap.resamples < needed:
        raise InputError(
            f"{bootstrap.resamples} resamples cannot show a confidence of "
            f"{bootstrap.confidence}: draw at least {needed}"
        )


def _parts(samples: Samples, resamples: int) -> Iterator[tuple[int, IntArray]]:
    for size, rows in samples.by_size():
        rows_at_a_time = max(1, _CELLS // max(resamples, size * _ORDERS))
        for start in range(0, rows.size, rows_at_a_time):
            yield size, rows[start : start + rows_at_a_time]


def _studentised_quantiles(
    centred: FloatArray, bootstrap: Bootstrap
) -> tuple[FloatArray, FloatArray]:
    """Quantiles of (mean* - mean) / (s* / sqrt n) for samples of equal size, shape (samples, n)."""
    size = centred.shape[1]
    if size <= LARGEST_ENUMERATED:
        counts, probabilities = all_resamples(size)
        return outer_quantiles(_studentised(centred, counts), probabilities, bootstrap.tail)
    drawn, orders = _drawn(size, bootstrap.resamples, bootstrap.seed)
    dealt = centred[:, orders].reshape(-1, size)
    statistics = _studentised(dealt, drawn).reshape(len(centred), -1)
    statistics = statistics[:, : bootstrap.resamples]
    first = math.ceil((bootstrap.tail - ROUNDING) * bootstrap.resamples) - 1
    last = bootstrap.resamples - 1 - first
    # One quantile at a time: NumPy is three times as slow if it is asked for both at once.
    statistics.partition(first, axis=1)
    lower = statistics[:, first].copy()
    statistics.partition(last, axis=1)
    return lower, statistics[:, last]


def _studentised(centred: FloatArray, counts: CountArray) -> FloatArray:
    """Bootstrap t statistics, shape (samples, resamples); infinite for constant resamples.

    Values are centred on the median, so that few of them are large. The difference of squares
    then keeps its digits in resamples without an outlier.
    """
    size = len(counts)
    sums, squares = np.split(matrix_product(np.concatenate([centred, centred**2]), counts), 2)
    # In place: the arrays are large, and new ones cost more than the arithmetic.
    spread = sums * sums
    spread /= size
    np.subtract(squares, spread, out=spread)
    sums /= size
    sums -= centred.mean(axis=1, keepdims=True)
    squares *= ROUNDING
    constant = np.flatnonzero(spread <= squares)
    row = constant // sums.shape[1]
    excess = sums.reshape(-1)[constant]
    spread.reshape(-1)[constant] = 1.0
    sums *= math.sqrt(size * (size - 1))
    sums /= np.sqrt(spread, out=spread)
    own_mean = np.abs(excess) <= ROUNDING * np.ptp(centred, axis=1)[row]
    sums.reshape(-1)[constant] = np.where(own_mean, 0.0, np.copysign(np.inf, excess))
    return np.asarray(sums, dtype=np.float64)


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
