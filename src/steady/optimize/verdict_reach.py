"""The reach of the verdict: how large a change must be to be found, by the verdict's own rule.

Before a run, nothing is known of its rounds except how far apart they may be. For each spread that
is possible, and for each sample variance that its rounds may then show, the rule's interval is
computed as the verdict will compute it, with what the rule learns from the suite's other benchmarks
(`steady.compare.fork_beliefs`). The change is found if its estimate lies beyond that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from steady.compare.fork_beliefs import (
    NOISE_FACTORS,
    SPREADS,
    belief_logs,
    prior_of,
    shares_of,
)
from steady.compare.fork_effects import Explained, intervals_of
from steady.model import FloatArray
from steady.optimize.pair_components import PairComponents
from steady.scipy_special import chdtri, ndtr, ndtri
from steady.stats.samples import IntArray

_ROUNDS = np.array([2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30])
"""For other numbers of rounds, the result is interpolated."""

_FINE = np.geomspace(SPREADS[0], SPREADS[-1], 4 * len(SPREADS) - 3)
_MOST_FREEDOM = 200.0  # a spread that is known better would lie between two of the fine ones
_LEAST_VARIANCE, _MOST_VARIANCE = 1e-12, 1e2
_STEP = 2.0  # from one variance of the table to the next
_HALVINGS = 25


def _middles(parts: int) -> FloatArray:
    """Return the middles of equally likely parts."""
    return (np.arange(parts) + 0.5) / parts


_SPREAD_PARTS, _SAMPLE_PARTS, _OTHERS_PARTS = 12, 6, 4

_SCATTER = 0.08 + 0.25 * ndtri(_middles(3))
"""Logarithms by which the intervals of one run are wider or narrower than expected. What a run's
other benchmarks and its noise show varies by chance: in rounds that were drawn at random, those of
`evaluation.detect`, the standard deviation was 0.2 to 0.25. The mean was chosen so that the
promises of that evaluation are kept."""


@dataclass(frozen=True, eq=False)
class Reach:
    """What the verdicts of a suite find.

    Parameters
    ----------
    priors : tuple of ndarray of float64, shape (factors, spreads)
        How likely each factor of the noise and spread between pairs of forks are, by what is known
        of the suite: for benchmarks whose forks took no turns, and for those whose forks did.
    rounds : ndarray of int
        Numbers of rounds of the table.
    noise, variances : ndarray of float64
        Logarithms of what iterations explain of a round's variance, and of sample variances of
        rounds.
    halves : ndarray of float64, shape (rounds, noise, variances)
        Logarithm of half the verdict's interval.
    """

    priors: tuple[FloatArray, FloatArray]
    rounds: IntArray
    noise: FloatArray
    variances: FloatArray
    halves: FloatArray

    @classmethod
    def of(
        cls,
        suite: Sequence[PairComponents],
        noise: Sequence[FloatArray],
        rounds: Iterable[int],
        confidence: Callable[[int], float],
    ) -> Reach:
        """Learn what the verdicts of a suite will know from its benchmarks.

        Parameters
        ----------
        suite : sequence of PairComponents
            What is known of its benchmarks; at least one.
        noise : sequence of ndarray of float64
            Of each benchmark, what iterations explain of a round's variance, by ascending
            variance.
        rounds : iterable of int
            Numbers of rounds that may be asked for.
        confidence : callable
            Of the verdict, after a number of rounds.
        """
        priors = _prior(suite, turned=False), _prior(suite, turned=True)
        typical = np.array([float(np.median(values)) for values in noise])
        parts = [_possible(one, priors, _OTHERS_PARTS) for one in suite]
        true = np.array(
            [between + factors * v for (between, factors), v in zip(parts, typical, strict=True)]
        )
        every = np.concatenate(list(noise))
        table = cls(
            priors,
            _nodes(rounds),
            _grid(float(every.min()), float(every.max())),
            _grid(float(every.min()) / 64, 64 * float(every.max() + true.max())),
            np.empty(0),
        )
        halves = [
            table.halves_after(number, true, typical, confidence(number))
            for number in table.rounds.tolist()
        ]
        return cls(table.priors, table.rounds, table.noise, table.variances, np.array(halves))

    def halves_after(
        self, rounds: int, true: FloatArray, noise: FloatArray, confidence: float
    ) -> FloatArray:
        """Return the table for one number of rounds, as logarithms.

        Parameters
        ----------
        rounds : int
            Of every benchmark.
        true : ndarray of float64, shape (benchmarks, parts)
            Equally likely variances of a round of each benchmark.
        noise : ndarray of float64, shape (benchmarks,)
            What iterations explain of a round's variance.
        confidence : float
            Of the intervals.
        """
        benchmarks = len(true)
        samples = true[:, :, np.newaxis] * _sample_shares(rounds, _OTHERS_PARTS)
        each = samples[0].size
        likelihood = _likelihood(samples.ravel(), np.repeat(noise, each), rounds - 1.0)
        logs = belief_logs(likelihood).reshape(benchmarks, each, len(NOISE_FACTORS), -1)
        # A benchmark learns from all others of the suite.
        others = logs.mean(axis=1).sum(axis=0) * (benchmarks - 1) / benchmarks
        prior = prior_of(others[np.newaxis])
        own, sample = (
            np.exp(grid.ravel()) for grid in np.meshgrid(self.noise, self.variances, indexing="ij")
        )
        likelihood = _likelihood(sample, own, rounds - 1.0)
        variance = _variances(own) / rounds
        explained = Explained(
            likelihood, np.zeros_like(likelihood), variance, np.zeros(len(own), dtype=np.bool_)
        )
        _, half = intervals_of(explained, shares_of(prior, likelihood), confidence)
        return np.log(half).reshape(len(self.noise), len(self.variances))

    def sizes(
        self,
        own: PairComponents,
        noise: FloatArray,
        rounds: IntArray,
        power: float,
        min_change: float,
    ) -> FloatArray:
        """Return the change that each configuration of a benchmark finds.

        Parameters
        ----------
        own : PairComponents
            What is known of the benchmark.
        noise : ndarray of float64, shape (configurations,)
            What iterations explain of a round's variance.
        rounds : ndarray of int, shape (configurations,)
            Pairs of forks.
        power : float
            Probability with which it is found.
        min_change : float
            Smallest change that the verdict reports.

        Returns
        -------
        ndarray of float64, shape (configurations,)
            In logarithms.
        """
        between, factors = _possible(own, self.priors, _SPREAD_PARTS)
        true = between + factors * noise[:, np.newaxis]
        counts, places = np.unique(rounds, return_inverse=True)
        shares = np.array([_sample_shares(n, _SAMPLE_PARTS) for n in counts.tolist()])[places]
        samples = true[:, :, np.newaxis] * shares[:, np.newaxis, :]
        halves = self._half(noise, rounds, samples)[..., np.newaxis] * np.exp(_SCATTER)
        limits = np.maximum(halves, np.log1p(min_change)).reshape(len(noise), -1)
        errors = np.sqrt(true / rounds[:, np.newaxis])
        errors = np.repeat(errors, limits.shape[1] // len(between), axis=1)
        low = np.zeros(len(noise))
        high: FloatArray = limits.max(axis=1) + _CERTAIN * errors.max(axis=1)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            found = ndtr((middle[:, np.newaxis] - limits) / errors).mean(axis=1)
            low, high = np.where(found < power, middle, low), np.where(found < power, high, middle)
        return high

    def _half(self, noise: FloatArray, rounds: IntArray, samples: FloatArray) -> FloatArray:
        """Return half the verdict's interval for each sample variance."""
        shape = samples.shape
        logs = (
            np.log(np.maximum(samples, _LEAST_VARIANCE)),
            np.log(np.maximum(noise, _LEAST_VARIANCE)),
        )
        table = (self.rounds.astype(float), self.noise, self.variances)
        asked = (rounds[:, np.newaxis, np.newaxis], logs[1][:, np.newaxis, np.newaxis], logs[0])
        places = [
            np.broadcast_to(np.interp(one, nodes, np.arange(len(nodes))), shape).ravel()
            for one, nodes in zip(asked, table, strict=True)
        ]
        from scipy.ndimage import map_coordinates  # slow to import, and rarely used

        values = map_coordinates(self.halves, places, order=1, mode="nearest")
        return np.asarray(np.exp(values).reshape(shape))


_CERTAIN = 6.0  # so many standard errors beyond the limit, a change is always found


def _prior(suite: Sequence[PairComponents], *, turned: bool) -> FloatArray:
    """Return how likely each factor and fine spread is, by benchmarks that were measured alike."""
    alike = [one for one in suite if bool(one.rounds) is turned]
    if not alike:
        return np.ones((len(NOISE_FACTORS), len(_FINE)))
    logs = belief_logs(np.array([_likelihood_of(one, SPREADS) for one in alike]))
    others = logs.sum(axis=0) * (len(alike) - 1) / len(alike)
    [prior] = prior_of(others[np.newaxis])
    return np.array([np.interp(np.log(_FINE), np.log(SPREADS), one) for one in prior])


def _likelihood_of(own: PairComponents, spreads: FloatArray) -> FloatArray:
    """Return the log likelihood of each factor and spread, shape (factors, spreads)."""
    return own.known.likelihood(spreads, _MOST_FREEDOM)


def _possible(
    own: PairComponents, priors: tuple[FloatArray, FloatArray], parts: int
) -> tuple[FloatArray, FloatArray]:
    """Return equally likely parts of what may be: variances between forks, factors of the noise."""
    logs = _likelihood_of(own, _FINE)
    shares = (priors[bool(own.rounds)] * np.exp(logs - logs.max())).ravel()
    between = np.broadcast_to(np.square(_FINE), logs.shape).ravel()
    factors = np.repeat(NOISE_FACTORS, len(_FINE))
    order = np.argsort(between + factors * own.explained, kind="stable")
    ends = np.cumsum(shares[order])
    chosen = order[np.searchsorted(ends, _middles(parts) * ends[-1])]
    return between[chosen], factors[chosen]


def _likelihood(samples: FloatArray, noise: FloatArray, freedom: float) -> FloatArray:
    """Return the rule's log likelihood, shape (benchmarks, factors, spreads)."""
    weights = 1 / _variances(noise)
    return np.asarray(freedom / 2 * (np.log(weights) - weights * samples[:, None, None]))


def _variances(noise: FloatArray) -> FloatArray:
    """Return the variance of a round by each factor and spread."""
    scaled = NOISE_FACTORS[:, np.newaxis] * noise[:, np.newaxis, np.newaxis]
    return np.asarray(np.square(SPREADS) + scaled)


def _sample_shares(rounds: int, parts: int) -> FloatArray:
    """Return sample variances of rounds as equally likely multiples of the true one."""
    freedom = max(rounds - 1, 1)
    return np.asarray(chdtri(freedom, 1 - _middles(parts)) / freedom)


def _nodes(rounds: Iterable[int]) -> IntArray:
    asked = sorted({max(number, 2) for number in rounds})
    between = _ROUNDS[(asked[0] < _ROUNDS) & (asked[-1] > _ROUNDS)]
    return np.unique(np.concatenate([[asked[0], asked[-1]], between]))


def _grid(low: float, high: float) -> FloatArray:
    """Return logarithms of variances in equal steps; two at least."""
    low, high = np.log(np.clip([low, high], _LEAST_VARIANCE, _MOST_VARIANCE)).tolist()
    return np.linspace(low, high, max(int(np.ceil((high - low) / np.log(_STEP))), 1) + 1)
