"""Relative median absolute deviation."""

from __future__ import annotations

import numpy as np

from steady.model import FloatArray
from steady.stats.options import Bootstrap
from steady.stats.ratio import relative_spread
from steady.stats.samples import Samples, middle


def rmad(samples: Samples, _: Bootstrap) -> FloatArray:
    """Divide the median distance to the median by the median (µOpTime, section 2), unscaled."""
    distances = np.abs(samples.values - samples.medians[:, np.newaxis])
    deviation = middle(np.sort(distances, axis=1), samples.sizes)
    return relative_spread(deviation, samples.medians, samples.sizes)
