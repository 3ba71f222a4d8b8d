"""The stability metrics of the µOpTime paper, but for the default one."""

from __future__ import annotations

import numpy as np

from steady.model import FloatArray
from steady.papers.t_bootstrap import t_widths
from steady.stats.bootstrap import Bootstrap
from steady.stats.mean_bootstrap import mean_intervals
from steady.stats.samples import Samples, middle, relative_spread


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
