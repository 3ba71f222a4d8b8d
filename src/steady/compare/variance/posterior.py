"""The posterior of the change and its variance for rounds with turns: a random-effects model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from steady.compare.round_tables import Rounds, RoundTable
from steady.compare.variance import WIDEST
from steady.compare.variance.historical import posterior_with_history
from steady.compare.variance.prior import (
    DEVIATIONS,
    NOISE_FACTORS,
    log_evidence,
    posterior,
    prior_from_others,
)
from steady.model import FloatArray
from steady.plan.historical_variance import HistoricalVariance
from steady.scipy_special import ndtr
from steady.stats.samples import BoolArray
from steady.stats.trimmed import kept_ranks, winsorized

_EXACT = 1e-12  # largest distance of differences of logarithms that count as equal
_MOST_CELLS = 2**22
_HALVINGS = 40
_NARROWEST = 1e-9  # smallest half-width, in logarithms


@dataclass(frozen=True, eq=False)
class RandomEffects:
    """The posterior of a suite whose forks took turns, for any confidence level.

    The difference of a round deviates from the change by two errors: the noise of its pairs of
    iterations, whose variance is estimated from the pairs, and the random effect of its two forks
    (compilation, memory layout), whose variance is unknown. For each point of a grid of standard
    deviations between forks and noise factors, the change is a weighted mean of the rounds. The
    posterior is an average over the grid. Its weights are the likelihood of the benchmark's own
    rounds times a prior that is informed by the *other* benchmarks of the suite.

    Parameters
    ----------
    fits : RoundFits
        Fits of all benchmarks, in the order of the tables.
    weights : ndarray of float64, shape (benchmarks, factors, deviations)
        Posterior weights.
    tables : sequence of RoundTable
        Rounds of the benchmarks.

    Notes
    -----
    The prior of the deviation is a mixture of a lognormal distribution about a level shared by the
    suite (weight 0.7), and of one for outliers (weight 0.3), such as benchmarks whose forks compile
    in two ways: log-uniform between that level and thirty times the level. Level and width are
    integrated out, weighted by the evidence of the other benchmarks; for small suites, levels are
    also weighted by their frequency in published suites. Since no point estimate is plugged in,
    small suites have no more false alarms than large ones.

    Historical data are weighted by their agreement with the new rounds
    (`steady.compare.variance.historical.posterior_with_history`).

    If all rounds of a benchmark agree exactly, as counts of bytes may, its interval has zero width,
    and it does not affect the prior of the others.

    References
    ----------
    Gelman: "Prior distributions for variance parameters in hierarchical models", Bayesian Analysis
    1 (2006), section 5, for few groups; Harville: "Maximum likelihood approaches to variance
    component estimation and to related problems", J. Am. Stat. Assoc. 72 (1977), for the
    restricted likelihood; Phipson et al.: "Robust hyperparameter estimation protects against
    hypervariable genes", Ann. Appl. Stat. 10 (2016), for outliers.
    """

    fits: RoundFits
    weights: FloatArray
    tables: Sequence[RoundTable]

    @classmethod
    def of(
        cls,
        tables: Sequence[RoundTable],
        process: str = "",
        known: Mapping[int, HistoricalVariance] | None = None,
    ) -> RandomEffects:
        """Fit one or more tables of rounds.

        Parameters
        ----------
        tables : sequence of RoundTable
            Rounds of benchmarks that share a prior; all forks took turns.
        process : str
            A key of `PUBLISHED`; if empty, the hyperprior of the levels is uniform.
        known : mapping of int to HistoricalVariance, optional
            Historical data by the index of the pair.
        """
        parts = [fit_rounds(table) for table in tables]
        fits = RoundFits(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        if known:
            places = np.concatenate([table.indices for table in tables]).tolist()
            earlier = [known.get(place, HistoricalVariance()) for place in places]
            weights = posterior_with_history(fits.likelihood, fits.exact, earlier, process)
        else:
            logs = log_evidence(fits.likelihood)
            logs[fits.exact] = 0.0
            prior = prior_from_others(logs.sum(axis=0) - logs, process)
            weights = posterior(prior, fits.likelihood)
        return cls(fits, weights, tables)

    def intervals(self, confidence: float) -> list[Rounds]:
        """Return the changes of each table with the half-widths of their intervals."""
        ends = np.cumsum([len(table.indices) for table in self.tables])[:-1]
        both = mixture_intervals(self.fits, self.weights, confidence)
        change, half = (np.split(values, ends) for values in both)
        weights = [np.ones(table.order.shape) for table in self.tables]
        return list(zip(change, half, weights, strict=True))


class RoundFits(NamedTuple):
    """The fit of the rounds for each noise factor and standard deviation between forks.

    Parameters
    ----------
    likelihood : ndarray of float64, shape (benchmarks, factors, deviations)
        Restricted log likelihood, up to a constant.
    mean, variance : ndarray of float64, shape (benchmarks, factors, deviations)
        Weighted mean of the rounds, and its variance.
    exact : ndarray of bool, shape (benchmarks,)
        Whether all rounds agree exactly.
    """

    likelihood: FloatArray
    mean: FloatArray
    variance: FloatArray
    exact: BoolArray


def fit_rounds(table: RoundTable) -> RoundFits:
    """Fit the rounds of a table at each point of the grid."""
    differences, noise = _winsorized(table.differences), _noise_of_rounds(table)
    shape = len(differences), len(NOISE_FACTORS), len(DEVIATIONS)
    likelihood, mean, variance = (np.empty(shape) for _ in range(3))
    step = max(1, _MOST_CELLS // (differences.shape[1] * shape[1] * shape[2]))
    for start in range(0, len(differences), step):
        rows = slice(start, start + step)
        likelihood[rows], mean[rows], variance[rows] = _weighted(differences[rows], noise[rows])
    exact = (np.ptp(differences, axis=1) <= _EXACT) & (noise.max(axis=1) <= _EXACT**2)
    return RoundFits(likelihood, mean, variance, exact)


def _weighted(differences: FloatArray, noise: FloatArray) -> tuple[FloatArray, ...]:
    scaled = NOISE_FACTORS[:, np.newaxis, np.newaxis] * noise[:, np.newaxis, np.newaxis, :]
    weights = 1 / (np.square(DEVIATIONS)[:, np.newaxis] + scaled)
    total = weights.sum(axis=-1)
    values = differences[:, np.newaxis, np.newaxis, :]
    mean = (weights * values).sum(axis=-1) / total
    squares = (weights * np.square(values - mean[..., np.newaxis])).sum(axis=-1)
    likelihood = (np.log(weights).sum(axis=-1) - np.log(total) - squares) / 2
    return likelihood, mean, 1 / total


def _winsorized(differences: FloatArray) -> FloatArray:
    """Winsorize the rounds, and rescale them to the variance of their trimmed mean."""
    rounds = differences.shape[1]
    kept = kept_ranks(rounds)
    left = kept.stop - kept.start
    if left == rounds:
        return differences
    mean = differences[:, kept].mean(axis=1, keepdims=True)
    stretch = np.sqrt(rounds * (rounds - 1) / (left * (left - 1)))
    return np.asarray(mean + stretch * (winsorized(differences) - mean))


def _noise_of_rounds(table: RoundTable) -> FloatArray:
    """Return the noise of each round, with unknown values replaced by the typical noise or 0."""
    typical = np.nan_to_num(table.typical_noise, nan=0.0)[:, np.newaxis]
    return np.where(np.isfinite(table.noise), table.noise, typical)


def mixture_intervals(
    fits: RoundFits, weights: FloatArray, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Return the posterior mean of the change, and the half-width of its interval.

    The posterior of the change is a mixture of normal distributions, one for each point of the
    grid. The interval is symmetric about its mean, and has probability `confidence`.

    Parameters
    ----------
    fits : RoundFits
        Fits of the benchmarks.
    weights : ndarray of float64, shape (benchmarks, factors, deviations)
        Posterior weights, which sum to 1 for each benchmark.
    confidence : float
        Confidence level of the intervals.

    Returns
    -------
    change, half : ndarray of float64, shape (benchmarks,)
        In logarithms.
    """
    benchmarks = len(weights)
    weights, means, variances = (
        values.reshape(benchmarks, -1) for values in (weights, fits.mean, fits.variance)
    )
    change = (weights * means).sum(axis=1)
    away, deviations = means - change[:, np.newaxis], np.sqrt(variances)
    low, high = np.full(benchmarks, np.log(_NARROWEST)), np.full(benchmarks, np.log(WIDEST))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        half = np.exp(middle)[:, np.newaxis]
        outside = ndtr((-half - away) / deviations) + ndtr((away - half) / deviations)
        too_narrow = (weights * outside).sum(axis=1) > 1 - confidence
        low, high = np.where(too_narrow, middle, low), np.where(too_narrow, high, middle)
    return change, np.where(fits.exact, 0.0, np.exp(high))
