"""How large a change must be for a verdict to find it with a given power."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import chdtri, nctdtr, ndtri, stdtrit

_QUANTILES = (np.arange(16) + 0.5) / 16
"""Where the unknown variance is looked at: in the middle of sixteen equally likely parts."""

_HALVINGS = 20  # of an interval of a few standard errors: exact to five digits
_LARGEST_FREEDOM = 1e6  # Student's t is normal long before
_STEPS_AN_OCTAVE = 24  # three percent


def errors_to_find(
    verdict_freedom: float, known_freedom: float, power: float, confidence: float
) -> float:
    """Return how many standard errors a change must have to be found.

    Parameters
    ----------
    verdict_freedom : float
        Degrees of freedom of the verdict's Student's t.
    known_freedom : float
        Degrees of freedom with which the variance is known beforehand.
    power : float
        Probability with which it is found.
    confidence : float
        Of the verdict's interval.

    Returns
    -------
    float
        In standard errors that are computed from the variance as it is known beforehand.

    Notes
    -----
    With a known variance this is the noncentrality of Student's t (Cohen 1988). The variance is
    only an estimate, and the true one is larger or smaller: the power is the mean over what it may
    be, a scaled inverse chi-squared distribution, which is what moderation assumes (Smyth 2004).
    """
    return _errors(_rounded(verdict_freedom), _rounded(known_freedom), power, confidence)


@lru_cache(maxsize=4096)
def _errors(verdict: float, known: float, power: float, confidence: float) -> float:
    limit = float(stdtrit(verdict, (1 + confidence) / 2))
    scales = np.sqrt(known / chdtri(known, _QUANTILES))  # true errors over expected ones
    low, high = 0.0, limit + float(ndtri(power)) + 1.0

    def reached(size: float) -> bool:
        places = size / scales
        missed = np.where(places > limit + _CERTAIN, 0.0, nctdtr(verdict, places, limit))
        return bool(1 - missed.mean() >= power)

    while not reached(high):
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def _rounded(freedom: float) -> float:
    """Return degrees of freedom on a grid, a little fewer rather than more, so that few differ."""
    if freedom >= _LARGEST_FREEDOM:
        return _LARGEST_FREEDOM
    step = np.floor(_STEPS_AN_OCTAVE * np.log2(max(freedom, 1.0)) + 1e-9)
    return float(2 ** (step / _STEPS_AN_OCTAVE))


_CERTAIN = 30.0  # so many standard errors beyond the limit, a change is always found
