"""Relative confidence interval widths."""

from __future__ import annotations

from steady.model import FloatArray
from steady.papers.uoptime.t_bootstrap import t_widths
from steady.stats.mean_bootstrap import mean_intervals
from steady.stats.median_bootstrap import median_intervals
from steady.stats.options import Bootstrap
from steady.stats.ratio import relative_spread
from steady.stats.samples import Samples


def rciw1(samples: Samples, bootstrap: Bootstrap) -> FloatArray:
    """Divide the width of the percentile interval of the mean by the mean (µOpTime, section 2)."""
    lower, upper = mean_intervals(samples, bootstrap.confidence)
    return relative_spread(upper - lower, samples.means, samples.sizes)


def rciw2(samples: Samples, bootstrap: Bootstrap) -> FloatArray:
    """Divide the width of the bootstrap-t interval of the mean by the mean (µOpTime, section 2)."""
    return relative_spread(t_widths(samples, bootstrap), samples.means, samples.sizes)


def rciw3(samples: Samples, bootstrap: Bootstrap) -> FloatArray:
    """Divide the width of the percentile interval of the median by the median (section 2)."""
    lower, upper = median_intervals(samples, bootstrap.confidence)
    return relative_spread(upper - lower, samples.medians, samples.sizes)


def rciw3_mean(samples: Samples, bootstrap: Bootstrap) -> FloatArray:
    """Divide the width of the percentile interval of the mean by the median (the prototype)."""
    lower, upper = mean_intervals(samples, bootstrap.confidence)
    return relative_spread(upper - lower, samples.medians, samples.sizes)
