"""The prior of a benchmark's standard deviation between forks, given the other benchmarks."""

from functools import lru_cache

import numpy as np

from steady.model import FloatArray
from steady.stats.samples import matrix_product

DEVIATIONS = np.geomspace(1e-5, 10.0, 56)
"""Grid of standard deviations between forks, in logarithms; the smallest is 0.001 %."""

NOISE_FACTORS = np.array([1.0, 2.0, 4.0])
"""Grid of variance inflation factors of a round's mean. Neighbouring pairs of iterations are
correlated, so the variance of their mean is larger than for independent pairs."""

_LEVELS = np.geomspace(1e-4, 0.3, 20)
_WIDTHS = np.array([0.25, 0.5, 0.9, 1.5])

PUBLISHED = {"fork": (0.5, 0.012, 0.7)}
"""Informative part of the hyperprior by process: its weight, and the median and log standard
deviation of the levels in published suites (`evaluation.fork_priors`). The remainder is uniform,
for other suites and machines. Only JVMs (`steady.compare.pair.FORK`) have an informative part: for
other processes, too few results are published, and an informative part raised false alarms."""

_OUTLIER_SHARE = 0.3
_OUTLIER_FACTOR = 30.0  # an outlier's largest deviation, as a multiple of the common level

SMALLEST_EVIDENCE = 1e-300  # keeps its logarithm finite


def round_variances(noise: FloatArray, deviations: FloatArray) -> FloatArray:
    """Return the variance of a round, shape (benchmarks, factors, deviations).

    Parameters
    ----------
    noise : ndarray of float64, shape (benchmarks,)
        Within-round variances.
    deviations : ndarray of float64
        Grid of standard deviations between forks.
    """
    scaled = NOISE_FACTORS[:, np.newaxis] * noise[:, np.newaxis, np.newaxis]
    return np.asarray(np.square(deviations) + scaled)


def log_likelihood(
    samples: FloatArray, noise: FloatArray, freedom: FloatArray | float, deviations: FloatArray
) -> FloatArray:
    """Return the log likelihood of sample variances of rounds, up to a constant.

    Parameters
    ----------
    samples, noise, freedom : ndarray of float64, shape (benchmarks,)
        Sample variances, within-round variances, and degrees of freedom.
    deviations : ndarray of float64
        Grid of standard deviations between forks.

    Returns
    -------
    ndarray of float64, shape (benchmarks, factors, deviations)
    """
    weights = 1 / round_variances(noise, deviations)
    half = np.asarray(freedom)[..., np.newaxis, np.newaxis] / 2
    return np.asarray(half * (np.log(weights) - weights * samples[:, np.newaxis, np.newaxis]))


def log_evidence(likelihood: FloatArray) -> FloatArray:
    """Return the log marginal likelihood of each benchmark, by noise factor and hyperparameter.

    Parameters
    ----------
    likelihood : ndarray of float64, shape (benchmarks, factors, deviations)
        Restricted log likelihood, up to a constant.

    Returns
    -------
    ndarray of float64, shape (benchmarks, factors, hyperparameters)
        Values up to a constant for each benchmark.
    """
    return np.log(np.maximum(evidence(relative_likelihood(likelihood)), SMALLEST_EVIDENCE))


def prior_from_others(others: FloatArray, process: str = "") -> FloatArray:
    """Return the prior of each benchmark, given the evidence of the suite's other benchmarks.

    The fewer other benchmarks there are, the larger is the influence of the hyperprior.

    Parameters
    ----------
    others : ndarray of float64, shape (benchmarks, factors, hyperparameters)
        Sums of the others' `log_evidence`.
    process : str
        A key of `PUBLISHED`, or empty.

    Returns
    -------
    ndarray of float64, shape (benchmarks, factors, deviations)
        Probabilities up to a constant factor for each benchmark.
    """
    return mixture(relative_likelihood(others) * hyperprior(process))


def posterior(prior: FloatArray, likelihood: FloatArray) -> FloatArray:
    """Return the posterior weights of each benchmark, which sum to 1.

    Parameters
    ----------
    prior : ndarray of float64, shape (benchmarks or 1, factors, deviations)
        See `prior_from_others`.
    likelihood : ndarray of float64, shape (benchmarks, factors, deviations)
        Restricted log likelihood, up to a constant.
    """
    weights = prior * relative_likelihood(likelihood)
    return np.asarray(weights / weights.sum(axis=(1, 2), keepdims=True))


def hyperprior(process: str) -> FloatArray:
    """Return the prior probability of each pair of level and width, shape (hyperparameters,)."""
    share, middle, width = PUBLISHED.get(process, (0.0, 1.0, 1.0))
    near = np.exp(-np.square(np.log(_LEVELS / middle) / width) / 2)
    return np.tile((1 - share) / len(_LEVELS) + share * near / near.sum(), len(_WIDTHS))


@lru_cache(maxsize=1)
def _densities() -> FloatArray:
    """Return the prior of the deviation for each pair of level and width.

    It is a mixture of a lognormal distribution about the level, and of one for outliers that is
    log-uniform between the level and `_OUTLIER_FACTOR` times the level.

    Returns
    -------
    ndarray of float64, shape (hyperparameters, deviations)
        Each row sums to 1.
    """
    logs = np.log(DEVIATIONS)
    levels, widths = (grid.reshape(-1, 1) for grid in np.meshgrid(np.log(_LEVELS), _WIDTHS))
    usual = np.exp(-np.square((logs - levels) / widths) / 2)
    outlying = (logs >= levels) & (logs <= levels + np.log(_OUTLIER_FACTOR))
    parts = (usual, outlying.astype(np.float64))
    usual, outliers = (rows / rows.sum(axis=1, keepdims=True) for rows in parts)
    return np.asarray((1 - _OUTLIER_SHARE) * usual + _OUTLIER_SHARE * outliers)


def relative_likelihood(logs: FloatArray) -> FloatArray:
    """Return the exponentials of log likelihoods, scaled so that each benchmark's largest is 1."""
    return np.asarray(np.exp(logs - logs.max(axis=(1, 2), keepdims=True)))


def evidence(likelihood: FloatArray) -> FloatArray:
    """Integrate over the deviations, and replace the last axis by that of the hyperparameters."""
    return last_axis_product(likelihood, _densities().T)


def mixture(weights: FloatArray) -> FloatArray:
    """Mix the priors of the hyperparameters, and replace the last axis by that of deviations."""
    return last_axis_product(weights, _densities())


def last_axis_product(rows: FloatArray, matrix: FloatArray) -> FloatArray:
    """Multiply the last axis by a matrix."""
    flat = matrix_product(rows.reshape(-1, len(matrix)), matrix)
    return flat.reshape(*rows.shape[:-1], -1)
