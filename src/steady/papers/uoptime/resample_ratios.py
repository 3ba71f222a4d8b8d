"""Excess of one resample's mean by its standard deviation."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.stats.quantiles import ROUNDING

CountArray = npt.NDArray[np.floating | np.unsignedinteger]
"""How often resamples hold each value."""

NEGLIGIBLE = 1e-24
"""Of a sample's variance: less is rounding."""


def resample_ratios(centred: FloatArray, counts: CountArray) -> FloatArray:
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
