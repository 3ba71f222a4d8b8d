"""What Laaber's three criteria have in common."""

from __future__ import annotations

import numpy as np

from steady.model import FloatArray

OUTLIER_FACTOR = 10.0

HISTORY = 5
"""Latest iterations whose results must be close to each other."""


def inlying(values: FloatArray) -> FloatArray:
    """Drop values above ten times the median or below a tenth of it, all without their sign."""
    middle = abs(float(np.median(values)))
    size = np.abs(values)
    return values[(size <= middle * OUTLIER_FACTOR) & (size >= middle / OUTLIER_FACTOR)]


def settled(results: list[float], threshold: float) -> bool:
    """Say whether the latest result is within `threshold` of the others of the history."""
    if len(results) < HISTORY:
        return False
    latest = np.array(results[-HISTORY:])
    return bool(np.isfinite(latest).all() and np.abs(latest - latest[-1]).max() < threshold)
