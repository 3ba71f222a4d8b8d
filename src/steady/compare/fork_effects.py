"""The effects of forks on rounds in turn, beside what pairs of iterations explain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from steady.compare.fork_beliefs import (
    NOISE_FACTORS,
    SPREADS,
    belief_logs,
    prior_of,
    shares_of,
)
from steady.compare.known_forks import told_shares
from steady.compare.moderated_t import WIDEST
from steady.compare.round_tables import RoundTable
from steady.compare.round_weights import drawn_in, kept_rounds
from steady.model import FloatArray
from steady.plan.known_forks import KnownForks
from steady.scipy_special import ndtr
from steady.stats.samples import BoolArray

_EXACT = 1e-12  # differences of logarithms that are closer together than this are equal
_MOST_CELLS = 2**22
_HALVINGS = 40
_NARROWEST = 1e-9  # of half an interval, in logarithms


@dataclass(frozen=True, eq=False)
class Changes:
    """What the rounds of some benchmarks say about their change.

    Parameters
    ----------
    change, half : ndarray of float64, shape (benchmarks,)
        Of head against base, and half its interval; in logarithms.
    """

    change: FloatArray
    half: FloatArray


@dataclass(frozen=True, eq=False)
class ForkEffects:
    """What the rounds of a suite show whose forks took turns, at any confidence level.

    A round's difference strays from the change for two reasons: the noise of its pairs of
    iterations, which they tell themselves, and the way in which its two forks happened to compile
    and to lie in memory. How much the second adds is not known. Every possible spread between
    forks, and every possible factor of the noise, gives a weighted mean of the rounds and an
    interval. They count by how well they explain how far the benchmark's rounds lie apart, and by
    how well they agree with the suite's *other* benchmarks.

    Parameters
    ----------
    explained : Explained
        Of all benchmarks, one table after the other.
    weights : ndarray of float64, shape (benchmarks, factors, spreads)
        How much each factor and spread counts for each benchmark.
    tables : tuple of int
        How many benchmarks each table has.

    Notes
    -----
    Of the benchmarks' spreads between forks it is known beforehand that most lie about a common
    level, as a normal distribution of their logarithm, and that three tenths may be of
    another kind, whose forks compile in two ways, say: anything from that level to thirty times as
    much. Level and width are not known; again, all count by how well they explain the other
    benchmarks, and levels by how common they are in published suites, which matters where the
    others are few. Nothing is estimated and then taken for true, which is why small suites raise no
    more false alarms than large ones.

    Where earlier runs show how much the forks of a benchmark differ, that counts as far as the new
    rounds agree (`steady.compare.known_forks.told_shares`).

    If all rounds of a benchmark agree exactly, as counts of bytes do, its interval has no width,
    and the others learn nothing from it.

    References
    ----------
    Gelman: "Prior distributions for variance parameters in hierarchical models", Bayesian Analysis
    1 (2006), section 5, for few groups; Harville: "Maximum likelihood approaches to variance
    component estimation and to related problems", J. Am. Stat. Assoc. 72 (1977), for the
    restricted likelihood; Phipson et al.: "Robust hyperparameter estimation protects against
    hypervariable genes", Ann. Appl. Stat. 10 (2016), for benchmarks of another kind.
    """

    explained: Explained
    weights: FloatArray
    tables: tuple[int, ...]

    @classmethod
    def of(
        cls,
        tables: Sequence[RoundTable],
        process: str = "",
        known: Mapping[int, KnownForks] | None = None,
    ) -> ForkEffects:
        """Learn from one table of rounds or more.

        Parameters
        ----------
        tables : sequence of RoundTable
            Benchmarks that learn from each other; every round of them in turn.
        process : str
            A key of `PUBLISHED`; without one, every level is as likely as the others beforehand.
        known : mapping of int to KnownForks, optional
            What earlier runs show of some benchmarks, by their places among the pairs.
        """
        parts = [explained_by(table) for table in tables]
        together = Explained(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        if known:
            places = np.concatenate([table.indices for table in tables]).tolist()
            earlier = [known.get(place, KnownForks()) for place in places]
            weights = told_shares(together.likelihood, together.exact, earlier, process)
        else:
            weights = _weights(together, process)
        return cls(together, weights, tuple(len(table.indices) for table in tables))

    def changes(self, confidence: float) -> list[Changes]:
        """Return the changes of each table, with intervals of one confidence level."""
        change, half = intervals_of(self.explained, self.weights, confidence)
        ends = np.cumsum(self.tables)[:-1]
        sides = zip(np.split(change, ends), np.split(half, ends), strict=True)
        return [Changes(*both) for both in sides]


class Explained(NamedTuple):
    """What each possible factor of the noise and spread between forks makes of the rounds.

    Parameters
    ----------
    likelihood : ndarray of float64, shape (benchmarks, factors, spreads)
        Restricted log likelihood, but for a constant.
    mean, variance : ndarray of float64, shape (benchmarks, factors, spreads)
        Weighted mean of the rounds, and its variance.
    exact : ndarray of bool, shape (benchmarks,)
        Whether all rounds agree exactly.
    """

    likelihood: FloatArray
    mean: FloatArray
    variance: FloatArray
    exact: BoolArray


def explained_by(table: RoundTable) -> Explained:
    """Return what the rounds of a table allow."""
    differences, noise = _stretched(table.differences), _known_noise(table)
    shape = len(differences), len(NOISE_FACTORS), len(SPREADS)
    likelihood, mean, variance = (np.empty(shape) for _ in range(3))
    step = max(1, _MOST_CELLS // (differences.shape[1] * shape[1] * shape[2]))
    for start in range(0, len(differences), step):
        rows = slice(start, start + step)
        likelihood[rows], mean[rows], variance[rows] = _weighted(differences[rows], noise[rows])
    exact = (np.ptp(differences, axis=1) <= _EXACT) & (noise.max(axis=1) <= _EXACT**2)
    return Explained(likelihood, mean, variance, exact)


def _weighted(differences: FloatArray, noise: FloatArray) -> tuple[FloatArray, ...]:
    scaled = NOISE_FACTORS[:, np.newaxis, np.newaxis] * noise[:, np.newaxis, np.newaxis, :]
    weights = 1 / (np.square(SPREADS)[:, np.newaxis] + scaled)
    total = weights.sum(axis=-1)
    values = differences[:, np.newaxis, np.newaxis, :]
    mean = (weights * values).sum(axis=-1) / total
    squares = (weights * np.square(values - mean[..., np.newaxis])).sum(axis=-1)
    likelihood = (np.log(weights).sum(axis=-1) - np.log(total) - squares) / 2
    return likelihood, mean, 1 / total


def _stretched(differences: FloatArray) -> FloatArray:
    """Draw in the tenths at the ends, and all so far apart as the trimmed mean's variance asks."""
    rounds = differences.shape[1]
    kept = kept_rounds(rounds)
    left = kept.stop - kept.start
    if left == rounds:
        return differences
    mean = differences[:, kept].mean(axis=1, keepdims=True)
    stretch = np.sqrt(rounds * (rounds - 1) / (left * (left - 1)))
    return np.asarray(mean + stretch * (drawn_in(differences) - mean))


def _known_noise(table: RoundTable) -> FloatArray:
    """Return the noise of each round; where it is not known, the benchmark's typical one, or 0."""
    typical = np.nan_to_num(table.typical_noise, nan=0.0)[:, np.newaxis]
    return np.where(np.isfinite(table.noise), table.noise, typical)


def _weights(explained: Explained, process: str) -> FloatArray:
    logs = belief_logs(explained.likelihood)
    logs[explained.exact] = 0.0
    return shares_of(prior_of(logs.sum(axis=0) - logs, process), explained.likelihood)


def intervals_of(
    explained: Explained, weights: FloatArray, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Return the mean over all that is possible, and half the interval about it.

    Parameters
    ----------
    explained : Explained
        Of some benchmarks.
    weights : ndarray of float64, shape (benchmarks, factors, spreads)
        How much each factor and spread counts; the sum of each benchmark is 1.
    confidence : float
        Confidence level of the intervals.

    Returns
    -------
    change, half : ndarray of float64, shape (benchmarks,)
        In logarithms.
    """
    benchmarks = len(weights)
    weights, means, variances = (
        values.reshape(benchmarks, -1) for values in (weights, explained.mean, explained.variance)
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
    return change, np.where(explained.exact, 0.0, np.exp(high))
