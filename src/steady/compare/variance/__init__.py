"""The variance between forks: of one benchmark, and the moderated variance of a whole suite."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steady.model import FloatArray
from steady.scipy_special import polygamma, psi, stdtrit
from steady.stats.samples import BoolArray

WIDEST = 50.0
"""Largest half-width of a confidence interval, in logarithms, so that endpoints are finite."""

FEWEST_BENCHMARKS = 10
"""Minimum number of benchmarks for a regression on their noise. With fewer, the slope would be due
to chance."""


@dataclass(frozen=True, slots=True)
class VarianceEstimate:
    """A sample variance with its degrees of freedom.

    Parameters
    ----------
    variance : float
        Variance of the logarithms of the forks' values.
    freedom : float
        Degrees of freedom; 0 if the variance is unknown.
    """

    variance: float = 0.0
    freedom: float = 0.0

    def __add__(self, other: VarianceEstimate) -> VarianceEstimate:
        """Pool two estimates by their degrees of freedom."""
        freedom = self.freedom + other.freedom
        squares = self.freedom * self.variance + other.freedom * other.variance
        return VarianceEstimate(squares / freedom, freedom) if freedom else VarianceEstimate()


@dataclass(frozen=True, slots=True)
class SharedVariance:
    """The prior of a benchmark's variance, estimated from the suite (empirical Bayes).

    Parameters
    ----------
    variance : float, or ndarray of float64, shape (benchmarks,)
        Prior variance between forks; an array if it depends on the noise of each benchmark.
    freedom : float
        Prior degrees of freedom: 0 if the variance is unknown, infinite if the sample variances of
        the benchmarks differ only by chance.
    """

    variance: float | FloatArray
    freedom: float

    def moderate(self, variances: FloatArray, freedoms: FloatArray) -> FloatArray:
        """Shrink sample variances towards the prior variance, weighted by degrees of freedom."""
        if np.isinf(self.freedom):
            return np.full_like(variances, self.variance)
        total = self.freedom + freedoms
        weighted = self.freedom * self.variance + freedoms * variances
        return np.divide(weighted, total, out=np.full_like(weighted, np.nan), where=total > 0)


def moderated_widths(
    variances: FloatArray,
    freedoms: FloatArray,
    confidence: float,
    most_freedom: float = np.inf,
    noise: FloatArray | None = None,
    most_shared: float = np.inf,
) -> FloatArray:
    """Return the half-width of a moderated t interval for a single value of each benchmark.

    Parameters
    ----------
    variances, freedoms : ndarray of float64, shape (benchmarks,)
        Sample variances and their degrees of freedom.
    confidence : float
        Confidence level of the interval.
    most_freedom : float
        Upper bound on the degrees of freedom of a moderated variance.
    noise : ndarray of float64, shape (benchmarks,), optional
        Within-fork variance of each benchmark; see `shared_variance`.
    most_shared : float
        Upper bound on the prior degrees of freedom.

    Returns
    -------
    ndarray of float64, shape (benchmarks,)
        Quantile of Student's t times the moderated standard deviation. It is 0 for a benchmark
        without any variance, and NaN if the variance is unknown.
    """
    shared = shared_variance(variances, freedoms, noise)
    shared = replace(shared, freedom=min(shared.freedom, most_shared))
    exact = (freedoms > 0) & (variances == 0)
    moderated = np.where(exact, 0.0, shared.moderate(variances, freedoms))
    total = np.minimum(freedoms + shared.freedom, min(freedoms.sum(), most_freedom))
    known = total > 0
    quantiles = stdtrit(np.where(known, total, 1), (1 + confidence) / 2)
    return np.asarray(np.where(known, np.sqrt(moderated) * quantiles, np.nan))


def shared_variance(
    variances: FloatArray, freedoms: FloatArray, noise: FloatArray | None = None
) -> SharedVariance:
    """Estimate the prior variance of a suite and its degrees of freedom.

    Mean and variance of the logarithms of the sample variances are matched to those of a scaled F
    distribution. Benchmarks without variance or degrees of freedom are excluded. If the noise
    within forks is given for at least ten benchmarks, the mean is a linear regression on the
    logarithm of that noise, with a slope between 0 and 1.

    Parameters
    ----------
    variances : ndarray of float64, shape (benchmarks,)
        Unbiased sample variances between forks.
    freedoms : ndarray of float64, shape (benchmarks,)
        Degrees of freedom of the variances.
    noise : ndarray of float64, shape (benchmarks,), optional
        Within-fork variance of each benchmark; NaN and 0 are replaced by the mean.

    Returns
    -------
    SharedVariance
        The prior; its degrees of freedom are 0 with fewer than two usable benchmarks.

    References
    ----------
    Smyth: "Linear models and empirical Bayes methods for assessing differential expression in
    microarray experiments", Stat. Appl. Genet. Mol. Biol. 3 (2004), section 6.2.
    Sartor et al.: "Intensity-based hierarchical Bayes method improves testing for differentially
    expressed genes in microarray experiments", BMC Bioinformatics 7 (2006), for the regression.
    """
    informative = (freedoms > 0) & (variances > 0)
    if informative.sum() < 2:
        return SharedVariance(0.0, 0.0)
    half = freedoms[informative] / 2
    centered = np.log(variances[informative]) - psi(half) + np.log(half)
    mean, excess = _regression(centered, informative, noise)
    excess -= float(polygamma(1, half).mean())
    if excess <= polygamma(1, _HALF_FREEDOMS[1]):
        return SharedVariance(np.exp(mean), float("inf"))
    own_half = _inverse_trigamma(excess)
    return SharedVariance(np.exp(mean + psi(own_half) - np.log(own_half)), 2 * own_half)


def _regression(
    logs: FloatArray, informative: BoolArray, noise: FloatArray | None
) -> tuple[float | FloatArray, float]:
    """Fit the mean of the logarithms, and return it with the residual variance."""
    level = float(logs.mean())
    flat = level, float(logs.var(ddof=1))
    if noise is None or informative.sum() < FEWEST_BENCHMARKS:
        return flat
    known = np.isfinite(noise) & (noise > 0)
    if not (known & informative).any():
        return flat
    places = np.log(noise, out=np.full(noise.shape, np.nan), where=known)
    places = np.where(known, places, places[known & informative].mean())
    places -= places[informative].mean()
    ours = places[informative]
    if np.ptp(ours) < _SMALLEST_RANGE:
        return flat
    slope = min(max(float(ours @ logs / (ours @ ours)), 0.0), 1.0)
    residuals = logs - level - slope * ours
    return level + slope * places, float(residuals @ residuals / (len(logs) - 2))


_SMALLEST_RANGE = 1e-9  # logarithms of noise within this range are equal
_HALF_FREEDOMS = (1e-3, 1e6)  # range of half the degrees of freedom, in place of 0 and infinity
_NEWTON_STEPS = 16  # 13 are enough at both ends of `_HALF_FREEDOMS`


def _inverse_trigamma(value: float) -> float:
    """Return the inverse of the trigamma function by Newton's method (Smyth), which is monotone."""
    if value >= polygamma(1, _HALF_FREEDOMS[0]):
        return _HALF_FREEDOMS[0]
    place = 0.5 + 1 / value
    for _ in range(_NEWTON_STEPS):
        trigamma = float(polygamma(1, place))
        place += trigamma * (1 - trigamma / value) / float(polygamma(2, place))
    return place
