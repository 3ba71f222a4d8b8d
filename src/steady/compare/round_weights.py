"""Weights of rounds: what a suite says about rounds with noisy iterations."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steady.compare.round_tables import RoundTable
from steady.compare.spread import FEWEST_TO_LEARN_FROM
from steady.model import FloatArray

TRIMMED = 0.1
"""Share of the rounds, rounded down, that is left out on either side: one of 10 to 19."""

EXPONENTS = np.linspace(0, 1, 21)
"""Those that are tried; 0 is equal weights, 1 says that the iterations explain everything."""

_EVIDENCE = 0.5
"""The smallest exponent is taken whose log likelihood is so close to the best one's: one
standard error of the estimate below it."""

_LEAST_NOISE = 0.05
"""Of the benchmark's typical noise: no round counts as quieter than that."""


def relative_noise(table: RoundTable) -> FloatArray:
    """Return the logarithm of each round's noise over the benchmark's typical noise.

    It is zero for a round with unknown noise, and if no round has any noise.

    Returns
    -------
    ndarray of float64, shape (benchmarks, rounds)
    """
    typical = table.typical_noise[:, np.newaxis]
    known = np.isfinite(table.noise) & (typical > 0)
    shares = np.divide(table.noise, typical, out=np.ones(table.noise.shape), where=known)
    return np.asarray(np.log(np.maximum(shares, _LEAST_NOISE)))


def learnt_exponent(tables: Sequence[RoundTable]) -> float:
    """Estimate how the variance of a round's difference grows with the noise inside the round.

    The variance of a round is taken to be proportional to a power of the noise inside it, each
    benchmark with a factor of its own. The power is 0 if forks differ whatever their iterations
    do, and 1 if the machine disturbs rounds as much as it disturbs their iterations.

    Parameters
    ----------
    tables : sequence of RoundTable
        The benchmarks that share it.

    Returns
    -------
    float
        One of `EXPONENTS`: the smallest that is within a standard error of the most likely. It is
        0 for fewer than ten benchmarks, which tell too little.

    References
    ----------
    Davidian, Carroll: "Variance function estimation", J. Am. Stat. Assoc. 82 (1987), for the
    power; Harville: "Maximum likelihood approaches to variance component estimation and to
    related problems", J. Am. Stat. Assoc. 72 (1977), for the restricted likelihood.
    """
    if sum(len(table.indices) for table in tables) < FEWEST_TO_LEARN_FROM:
        return 0.0
    likelihood = sum(_likelihood(table) for table in tables)
    close = likelihood >= np.max(likelihood) - _EVIDENCE
    return float(EXPONENTS[int(np.argmax(close))])


def _likelihood(table: RoundTable) -> FloatArray:
    """Restricted log likelihood of each exponent, but for a constant."""
    noise = relative_noise(table)
    differences = drawn_in(table.differences)
    likelihoods = []
    for exponent in EXPONENTS:
        squares, weights = _weighted(differences, exponent * noise)
        telling = squares > 0
        freedom = differences.shape[1] - 1
        terms = freedom * np.log(squares[telling]) + np.log(weights[telling].sum(axis=1))
        likelihoods.append(-(terms - np.log(weights[telling]).sum(axis=1)).sum() / 2)
    return np.array(likelihoods)


@dataclass(frozen=True, eq=False)
class RoundMean:
    """The change that the rounds of each benchmark show together.

    Parameters
    ----------
    mean : ndarray of float64, shape (benchmarks,)
        Weighted mean of the differences of the rounds that stay.
    variance : ndarray of float64, shape (benchmarks,)
        Of that mean.
    freedom : int
        Degrees of freedom of `variance`.
    weights : ndarray of float64, shape (benchmarks, rounds)
        Of each round, 0 for those that are left out; their sum is 1.
    """

    mean: FloatArray
    variance: FloatArray
    freedom: int
    weights: FloatArray


def round_mean(table: RoundTable, exponent: float) -> RoundMean:
    """Take the weighted mean of each benchmark's rounds; a weight is a power of the inverse noise.

    The tenths with the smallest and with the largest differences are left out. For the variance
    they are replaced by the nearest that stays. The variance is estimated from how far the rounds
    lie apart, never from the noise alone.

    References
    ----------
    Tukey, McLaughlin: "Less vulnerable confidence and significance procedures for location based
    on a single sample", Sankhya A 25 (1963), section 4.
    Hartung, Knapp: "On tests of the overall treatment effect in meta-analysis with normally
    distributed responses", Stat. Med. 20 (2001), for the variance of the weighted mean.
    """
    rounds = table.differences.shape[1]
    kept = kept_rounds(rounds)
    left = kept.stop - kept.start
    squares, weights = _weighted(drawn_in(table.differences), exponent * relative_noise(table))
    staying = np.zeros(weights.shape)
    staying[:, kept] = weights[:, kept] / weights[:, kept].sum(axis=1, keepdims=True)
    return RoundMean(
        mean=np.asarray((staying * table.differences).sum(axis=1)),
        variance=squares / weights.sum(axis=1) * rounds / (left * (left - 1)),
        freedom=left - 1,
        weights=staying,
    )


def _weighted(differences: FloatArray, logs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the weighted squares about the weighted mean, and the weights."""
    weights = np.exp(-logs)
    mean = (weights * differences).sum(axis=1) / weights.sum(axis=1)
    squares = (weights * np.square(differences - mean[:, np.newaxis])).sum(axis=1)
    return squares, weights


def kept_rounds(rounds: int) -> slice:
    """Return which of the rounds stay, by ascending difference."""
    trimmed = int(TRIMMED * rounds)
    return slice(trimmed, rounds - trimmed)


def drawn_in(differences: FloatArray) -> FloatArray:
    """Replace the differences left out, of ascending ones, by the nearest that stays."""
    kept = differences[:, kept_rounds(differences.shape[1])]
    return np.clip(differences, kept[:, :1], kept[:, -1:])
