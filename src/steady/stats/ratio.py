"""The last step of every stability metric: divide the spread by the location."""

from __future__ import annotations

import numpy as np

from steady.model import FloatArray
from steady.stats.samples import IntArray


def relative_spread(spread: FloatArray, location: FloatArray, sizes: IntArray) -> FloatArray:
    """Divide spreads by the absolute value of their locations.

    A single value and a location of zero give infinity: the spread is unknown, or cannot be
    compared with anything. No threshold calls infinity stable.
    """
    defined = (sizes > 1) & (location != 0)
    return np.where(defined, spread / np.where(defined, np.abs(location), 1.0), np.inf)
