"""The stability metrics of the µOpTime paper, but for the default one; one takes a bootstrap-t."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from steady.errors import InputError
from steady.model import FloatArray
from steady.papers.t_saddlepoint import (
    NEGLIGIBLE,
    drawn_t_widths,
    resample_ratios,
    saddlepoint_quantiles,
)
from steady.stats.mean_bootstrap import LARGEST_ENUMERATED, all_resamples, mean_intervals
from steady.stats.quantiles import ROUNDING, Cut, Distributions, outer_cuts
from steady.stats.samples import (
    BoolArray,
    Bootstrap,
    IntArray,
    Samples,
    matrix_product,
    middle,
    relative_spread,
)

_CELLS = 2**15  # values at a time: with what is computed from them, they stay in the cache
_EXTREME = 0.9999  # statistics beyond are computed once more, in a way that keeps their digits


def t_widths(samples: Samples, bootstrap: Bootstrap) -> FloatArray:
    """Return the widths of the bootstrap-t intervals of the mean (µOpTime, section 2).

    All resamples of up to 8 values are enumerated. For more, the quantiles are those of the
    saddlepoint approximation where it holds, and elsewhere those of resamples that are drawn.

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
    varying = np.flatnonzero(samples.standard_deviations > 0)
    large = samples.sizes[varying] > LARGEST_ENUMERATED
    small = varying[~large]
    if small.size:
        widths[small] = _enumerated_widths(samples, small, bootstrap.tail)
    for rows in _by_falling_size(samples, varying[large]):
        widths[rows], reliable = _smooth_widths(samples, rows, bootstrap.tail)
        rest = rows[~reliable]
        widths[rest] = drawn_t_widths(samples, rest, bootstrap)
    return widths * samples.standard_deviations


def _require_enough(bootstrap: Bootstrap) -> None:
    needed = math.ceil(1 / bootstrap.tail)
    if bootstrap.resamples < needed:
        raise InputError(
            f"{bootstrap.resamples} resamples cannot show a confidence of "
            f"{bootstrap.confidence}: draw at least {needed}"
        )


def _by_falling_size(samples: Samples, rows: IntArray) -> Iterator[IntArray]:
    """Yield rows of similar size, as many at a time as the cache holds."""
    rows = rows[np.argsort(-samples.sizes[rows], kind="stable")]
    while rows.size:
        count = max(1, _CELLS // int(samples.sizes[rows[0]]))
        yield rows[:count]
        rows = rows[count:]


def _smooth_widths(samples: Samples, rows: IntArray, tail: float) -> tuple[FloatArray, BoolArray]:
    """Widths in standard deviations by the saddlepoint approximation, and whether it holds."""
    sizes = samples.sizes[rows]
    deviations = samples.deviations[rows, : sizes.max()]
    deviations /= samples.standard_deviations[rows, np.newaxis]
    ends, reliable = saddlepoint_quantiles(deviations, sizes, tail)
    return ends[:, 0] - ends[:, 1], reliable


def _enumerated_widths(samples: Samples, rows: IntArray, tail: float) -> FloatArray:
    """Widths in standard deviations from all resamples, of samples of up to 8 values."""
    widths = np.full(rows.size, np.inf)
    finite = np.flatnonzero(~_constant_at_an_end(samples, rows, tail))
    if finite.size:
        groups = list(samples.by_size(rows[finite]))
        lower, upper = outer_cuts([_bounded(samples, part, size) for size, part in groups], tail)
        ends = [_ratios(samples, groups, cut) for cut in (lower, upper)]
        order = np.argsort(samples.sizes[rows[finite]], kind="stable")
        widths[finite[order]] = ends[1] - ends[0]
    return widths


def _constant_at_an_end(samples: Samples, rows: IntArray, tail: float) -> BoolArray:
    """Whether resamples of one repeated value, which have no spread, make up a whole tail."""
    sizes = samples.sizes[rows, np.newaxis]
    values = samples.deviations[rows, :LARGEST_ENUMERATED]
    inside = samples.inside[rows, :LARGEST_ENUMERATED]
    alike = ((values[:, np.newaxis] == values[..., np.newaxis]) & inside[:, np.newaxis]).sum(axis=2)
    # Each of `alike` equal values stands for its share of the resamples that repeat it.
    masses = np.where(inside, (alike / sizes) ** sizes / np.maximum(alike, 1), 0.0)
    own_mean = np.abs(values) <= ROUNDING * np.ptp(values, axis=1, keepdims=True)
    ends = [(masses * (side & ~own_mean)).sum(axis=1) for side in (values < 0, values > 0)]
    return np.asarray(np.maximum(*ends) >= tail - ROUNDING)


def _bounded(samples: Samples, rows: IntArray, size: int) -> Distributions:
    """Return the distribution of a statistic that rises with t*.

    It is the resample's mean by the root of its second moment, both about the sample's mean; -1
    or 1 for a constant resample.
    """
    counts, probabilities = all_resamples(size)
    deviations = samples.deviations[rows, :size]
    squares = deviations**2
    # Where a value is the sample's mean, a resample of it alone has no ratio; this makes it 0.
    squares += NEGLIGIBLE * samples.standard_deviations[rows, np.newaxis] ** 2
    both = matrix_product(np.concatenate([deviations, squares * size]), counts)
    means, roots = both[: rows.size], both[rows.size :]
    means /= np.sqrt(roots, out=roots)
    ends = np.ones(rows.size)
    return Distributions(means, probabilities, -ends, ends)


def _ratios(samples: Samples, groups: Sequence[tuple[int, IntArray]], cut: Cut) -> FloatArray:
    """Turn bounded statistics into t* / sqrt(n - 1); those near an end are computed anew."""
    ratios = cut.values / np.sqrt(np.maximum(1 - cut.values**2, NEGLIGIBLE))
    extreme = np.abs(cut.values) > _EXTREME
    start = 0
    for size, rows in groups if extreme.any() else ():
        part = start + np.flatnonzero(extreme[start : start + rows.size])
        counts = all_resamples(size)[0][:, cut.atoms[part]].T
        ratios[part] = resample_ratios(samples.around_median(rows[part - start], size), counts)
        start += rows.size
    return np.asarray(ratios)


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
