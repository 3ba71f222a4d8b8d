"""Weighted trimmed means of rounds in which base and head ran one after the other.

The weights depend on the noise within the rounds; how strongly is estimated from the suite.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steady.compare.round_tables import Rounds, RoundTable
from steady.compare.variance import FEWEST_BENCHMARKS, WIDEST, moderated_widths
from steady.model import FloatArray
from steady.stats.trimmed import kept_ranks, winsorized

EXPONENTS = np.linspace(0, 1, 21)
"""Grid of exponents: 0 gives equal weights, and 1 weights inversely proportional to the variance
within the rounds."""

_EVIDENCE = 0.5
"""The exponent is the smallest one with a log likelihood within this distance of the maximum: one
standard error of the estimate."""

_LEAST_NOISE = 0.05
"""Lower bound on the noise of a round, as a fraction of the benchmark's typical noise."""


def round_intervals(
    tables: Sequence[RoundTable], confidence: float, most_shared: float
) -> list[Rounds]:
    """Return the change of each benchmark, with a moderated-t interval.

    The variance of a benchmark is shrunk towards that of the suite.

    Parameters
    ----------
    tables : sequence of RoundTable
        Rounds of the benchmarks.
    confidence, most_shared : float
        See `steady.compare.variance.moderated_widths`.
    """
    exponent = variance_exponent(tables)
    means = [weighted_mean(table, exponent) for table in tables]
    if not tables:
        return []
    # The variance of one round is shared: that of a mean also depends on the number of rounds.
    rounds = np.concatenate([np.full(len(t.indices), float(t.order.shape[1])) for t in tables])
    widths = moderated_widths(
        rounds * np.concatenate([mean.variance for mean in means]),
        np.concatenate([np.full(len(mean.mean), float(mean.freedom)) for mean in means]),
        confidence,
        most_shared=most_shared,
        noise=np.concatenate([table.typical_noise for table in tables]),
    )
    ends = np.cumsum([len(table.indices) for table in tables])[:-1]
    halves = np.split(np.minimum(widths / np.sqrt(rounds), WIDEST), ends)
    return [(mean.mean, half, mean.weights) for mean, half in zip(means, halves, strict=True)]


def relative_noise(table: RoundTable) -> FloatArray:
    """Return the logarithm of the ratio of each round's noise to the benchmark's typical noise.

    It is 0 if the noise of the round is unknown, or if no round has any noise.

    Returns
    -------
    ndarray of float64, shape (benchmarks, rounds)
    """
    typical = table.typical_noise[:, np.newaxis]
    known = np.isfinite(table.noise) & (typical > 0)
    shares = np.divide(table.noise, typical, out=np.ones(table.noise.shape), where=known)
    return np.asarray(np.log(np.maximum(shares, _LEAST_NOISE)))


def variance_exponent(tables: Sequence[RoundTable]) -> float:
    """Estimate how the variance of a round's difference depends on the noise within the round.

    The variance of a round is modelled as a power of its noise, with a factor for each benchmark.
    The exponent is 0 if the variance between rounds does not depend on the noise of the iterations,
    and 1 if it is proportional to that noise.

    Parameters
    ----------
    tables : sequence of RoundTable
        Benchmarks that share the exponent.

    Returns
    -------
    float
        The smallest value of `EXPONENTS` within one standard error of the maximum-likelihood
        estimate; 0 for fewer than ten benchmarks.

    References
    ----------
    Davidian, Carroll: "Variance function estimation", J. Am. Stat. Assoc. 82 (1987), for the
    power; Harville: "Maximum likelihood approaches to variance component estimation and to
    related problems", J. Am. Stat. Assoc. 72 (1977), for the restricted likelihood.
    """
    if sum(len(table.indices) for table in tables) < FEWEST_BENCHMARKS:
        return 0.0
    likelihood = sum(_likelihood(table) for table in tables)
    close = likelihood >= np.max(likelihood) - _EVIDENCE
    return float(EXPONENTS[int(np.argmax(close))])


def _likelihood(table: RoundTable) -> FloatArray:
    """Return the restricted log likelihood of each exponent, up to a constant."""
    noise = relative_noise(table)
    differences = winsorized(table.differences)
    likelihoods = []
    for exponent in EXPONENTS:
        squares, weights = _weighted(differences, exponent * noise)
        positive = squares > 0
        freedom = differences.shape[1] - 1
        terms = freedom * np.log(squares[positive]) + np.log(weights[positive].sum(axis=1))
        likelihoods.append(-(terms - np.log(weights[positive]).sum(axis=1)).sum() / 2)
    return np.array(likelihoods)


@dataclass(frozen=True, eq=False)
class WeightedMean:
    """Weighted trimmed means of the rounds of each benchmark.

    Parameters
    ----------
    mean : ndarray of float64, shape (benchmarks,)
        Weighted mean of the differences of the untrimmed rounds.
    variance : ndarray of float64, shape (benchmarks,)
        Variance of the mean.
    freedom : int
        Degrees of freedom of `variance`.
    weights : ndarray of float64, shape (benchmarks, rounds)
        Weight of each round, 0 for trimmed ones; their sum is 1.
    """

    mean: FloatArray
    variance: FloatArray
    freedom: int
    weights: FloatArray


def weighted_mean(table: RoundTable, exponent: float) -> WeightedMean:
    """Return the weighted trimmed mean of each benchmark's rounds.

    Weights are powers of the inverse noise. The variance is estimated from the winsorized
    differences between rounds, never from the noise alone.

    References
    ----------
    Tukey, McLaughlin: "Less vulnerable confidence and significance procedures for location based
    on a single sample", Sankhya A 25 (1963), section 4.
    Hartung, Knapp: "On tests of the overall treatment effect in meta-analysis with normally
    distributed responses", Stat. Med. 20 (2001), for the variance of the weighted mean.
    """
    rounds = table.differences.shape[1]
    kept = kept_ranks(rounds)
    left = kept.stop - kept.start
    squares, weights = _weighted(winsorized(table.differences), exponent * relative_noise(table))
    trimmed = np.zeros(weights.shape)
    trimmed[:, kept] = weights[:, kept] / weights[:, kept].sum(axis=1, keepdims=True)
    return WeightedMean(
        mean=np.asarray((trimmed * table.differences).sum(axis=1)),
        variance=squares / weights.sum(axis=1) * rounds / (left * (left - 1)),
        freedom=left - 1,
        weights=trimmed,
    )


def _weighted(differences: FloatArray, logs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the weighted sums of squares about the weighted mean, and the weights."""
    weights = np.exp(-logs)
    mean = (weights * differences).sum(axis=1) / weights.sum(axis=1)
    squares = (weights * np.square(differences - mean[:, np.newaxis])).sum(axis=1)
    return squares, weights
