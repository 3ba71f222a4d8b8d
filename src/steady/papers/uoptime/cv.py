"""Coefficient of variation."""

from __future__ import annotations

import numpy as np

from steady.model import FloatArray
from steady.stats.options import Bootstrap
from steady.stats.ratio import relative_spread
from steady.stats.samples import Samples


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
