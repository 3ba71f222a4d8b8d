"""The last step of every stability metric: spread by location."""

from __future__ import annotations

import numpy as np

from steady.model import FloatArray
from steady.stats.samples import IntArray


def relative_spread(spread: FloatArray, location: FloatArray, sizes: IntArray) -> FloatArray:
    """Divide spreads by the absolute value of their locations.

    A single value shows no spread, and nothing is small beside zero: both give infinity, which
    no threshold calls stable.
    """
    defined = (sizes > 1) & (location != 0)
    return np.where(defined, spread / np.where(defined, np.abs(location), 1.0), np.inf)
