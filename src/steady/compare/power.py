"""Power, and the smallest detectable effect: after a run, and for a plan before it.

After the run, the smallest detectable effect is the one whose interval just excludes zero. Before
the run, the power of the rule in `steady.compare.variance.posterior` is averaged over the plausible
variances between forks, given the historical data, and over the possible sample variances. In each
case, the half-width of the interval is computed as for the verdict, with the prior expected from
the suite's other benchmarks. An effect is detected if its estimate exceeds that half-width.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from steady.compare.variance.historical import historical_likelihood
from steady.compare.variance.posterior import RoundFits, mixture_intervals
from steady.compare.variance.prior import (
    DEVIATIONS,
    NOISE_FACTORS,
    log_evidence,
    log_likelihood,
    posterior,
    prior_from_others,
    round_variances,
)
from steady.model import FloatArray
from steady.plan.historical_variance import HistoricalVariance
from steady.scipy_special import chdtri, ndtr, ndtri
from steady.stats.samples import IntArray


@dataclass(frozen=True, slots=True)
class DetectableEffect:
    """The smallest relative changes that are detectable, given the variability of results.

    Parameters
    ----------
    decrease, increase : float
        Sizes as positive fractions; infinite if no change is detectable.
    """

    decrease: float
    increase: float

    @classmethod
    def of_half_width(cls, half: float) -> DetectableEffect:
        """Return the effect that is detectable with an interval of this log half-width."""
        return cls(-math.expm1(-half), math.expm1(half))

    def of(self, ratio: float) -> float:
        """Return the detectable size in the direction of `ratio`; for 0, the larger one."""
        if ratio == 0:
            return max(self.decrease, self.increase)
        return self.increase if ratio > 0 else self.decrease

    def widened(self, factor: float) -> DetectableEffect:
        """Return the effect for an interval with endpoints moved outwards by a factor."""
        return DetectableEffect(1 - (1 - self.decrease) / factor, (1 + self.increase) * factor - 1)


NOT_DETECTABLE = DetectableEffect(math.inf, math.inf)
"""No change is detectable."""


def further_rounds(rounds: int, size: float, wanted: float) -> float:
    """Return the number of further rounds needed to detect a smaller effect.

    The result is infinite if no number suffices. The half-width of an interval is inversely
    proportional to the square root of the number of rounds.

    Parameters
    ----------
    rounds : int
        Number of measured rounds.
    size, wanted : float
        Effect detectable with these rounds, and effect to detect; both in [0, inf].
    """
    if not wanted > 0:
        return math.inf
    if wanted == math.inf:  # any finite effect suffices, so the next analysis may give a verdict
        return 0.0
    return max(rounds * ((size / wanted) ** 2 - 1), 0.0)


Historical = tuple[HistoricalVariance, bool]
"""The historical data of a benchmark, and whether those forks were interleaved."""

_ROUNDS = np.array([2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30])
"""Grid of numbers of rounds; results for others are interpolated."""

_FINE = np.geomspace(DEVIATIONS[0], DEVIATIONS[-1], 4 * len(DEVIATIONS) - 3)
_MOST_FREEDOM = 200.0  # with more, the likelihood would be narrower than the fine grid
_LEAST_VARIANCE, _MOST_VARIANCE = 1e-12, 1e2
_STEP = 2.0  # ratio of successive variances of the table
_HALVINGS = 25
_CERTAIN = 6.0  # an effect this many standard errors beyond the limit is always detected


def _midpoints(parts: int) -> FloatArray:
    """Return the midpoints of equiprobable bins."""
    return (np.arange(parts) + 0.5) / parts


_TRUE_PARTS, _SAMPLE_PARTS, _OTHERS_PARTS = 12, 6, 4

_SCATTER = 0.08 + 0.25 * ndtri(_midpoints(3))
"""Deviations of half-widths from their expectation, in logarithms. The noise and the information
from other benchmarks vary by chance: in simulated rounds (`evaluation.detect`), the standard
deviation was 0.2 to 0.25. The mean is calibrated so that the nominal power is reached in that
evaluation."""


@dataclass(frozen=True, eq=False)
class VerdictPower:
    """The power of a suite's verdicts, as a table of half-widths.

    Parameters
    ----------
    priors : tuple of ndarray of float64, shape (factors, deviations)
        The prior for benchmarks whose historical forks were not interleaved, and that for
        benchmarks whose historical forks were.
    rounds : ndarray of int
        Grid points of `halves`: numbers of rounds.
    noise, variances : ndarray of float64
        Grid points of `halves`: log within-round variances, and log sample variances of rounds.
    halves : ndarray of float64, shape (rounds, noise, variances)
        Logarithm of the half-width of the verdict's interval.
    """

    priors: tuple[FloatArray, FloatArray]
    rounds: IntArray
    noise: FloatArray
    variances: FloatArray
    halves: FloatArray

    @classmethod
    def of(
        cls,
        suite: Sequence[Historical],
        noise: Sequence[FloatArray],
        rounds: Iterable[int],
        confidence: Callable[[int], float],
    ) -> VerdictPower:
        """Tabulate the half-widths for a suite.

        Parameters
        ----------
        suite : sequence of Historical
            Historical data of each benchmark; at least one.
        noise : sequence of ndarray of float64
            Within-round variances of each benchmark, ascending.
        rounds : iterable of int
            Numbers of rounds that `detectable` will be called with.
        confidence : callable
            Confidence level of the verdict as a function of the number of rounds.
        """
        priors = (
            _prior([known for known, in_turn in suite if not in_turn]),
            _prior([known for known, in_turn in suite if in_turn]),
        )
        typical = np.array([float(np.median(values)) for values in noise])
        parts = [_quantiles(known, priors[in_turn], _OTHERS_PARTS) for known, in_turn in suite]
        true = np.array(
            [between + factors * v for (between, factors), v in zip(parts, typical, strict=True)]
        )
        every = np.concatenate(list(noise))
        nodes = _nodes(rounds)
        own = _grid(float(every.min()), float(every.max()))
        samples = _grid(float(every.min()) / 64, 64 * float(every.max() + true.max()))
        halves = [
            _half_widths(number, true, typical, confidence(number), own, samples)
            for number in nodes.tolist()
        ]
        return cls(priors, nodes, own, samples, np.array(halves))

    def detectable(
        self,
        own: Historical,
        noise: FloatArray,
        rounds: IntArray,
        power: float,
        min_change: float,
    ) -> FloatArray:
        """Return the smallest change detectable with each configuration of a benchmark.

        Parameters
        ----------
        own : Historical
            Historical data of the benchmark.
        noise : ndarray of float64, shape (configurations,)
            Within-round variance of each configuration.
        rounds : ndarray of int, shape (configurations,)
            Number of pairs of forks of each configuration.
        power : float
            Probability of detection.
        min_change : float
            Smallest change that the verdict reports.

        Returns
        -------
        ndarray of float64, shape (configurations,)
            Smallest detectable changes, in logarithms.
        """
        known, in_turn = own
        between, factors = _quantiles(known, self.priors[in_turn], _TRUE_PARTS)
        true = between + factors * noise[:, np.newaxis]
        counts, places = np.unique(rounds, return_inverse=True)
        shares = np.array([_sample_shares(n, _SAMPLE_PARTS) for n in counts.tolist()])[places]
        samples = true[:, :, np.newaxis] * shares[:, np.newaxis, :]
        halves = self._interpolated(noise, rounds, samples)[..., np.newaxis] * np.exp(_SCATTER)
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

    def _interpolated(self, noise: FloatArray, rounds: IntArray, samples: FloatArray) -> FloatArray:
        """Return the half-width for each sample variance."""
        logs = (
            np.log(np.maximum(samples, _LEAST_VARIANCE)),
            np.log(np.maximum(noise, _LEAST_VARIANCE)),
        )
        table = (self.rounds.astype(float), self.noise, self.variances)
        asked = (rounds[:, np.newaxis, np.newaxis], logs[1][:, np.newaxis, np.newaxis], logs[0])
        places = [
            np.broadcast_to(np.interp(one, nodes, np.arange(len(nodes))), samples.shape).ravel()
            for one, nodes in zip(asked, table, strict=True)
        ]
        from scipy.ndimage import map_coordinates  # slow to import, and rarely used

        values = map_coordinates(self.halves, places, order=1, mode="nearest")
        return np.asarray(np.exp(values).reshape(samples.shape))


def _half_widths(
    rounds: int,
    true: FloatArray,
    noise: FloatArray,
    confidence: float,
    own: FloatArray,
    samples: FloatArray,
) -> FloatArray:
    """Return the log half-widths after a number of rounds, shape (own, samples).

    Parameters
    ----------
    rounds : int
        Number of rounds of every benchmark.
    true : ndarray of float64, shape (benchmarks, parts)
        Equiprobable variances of a round of each benchmark.
    noise : ndarray of float64, shape (benchmarks,)
        Within-round variance of each benchmark.
    confidence : float
        Confidence level of the intervals.
    own, samples : ndarray of float64
        Grid of noise and of sample variances of one benchmark, in logarithms.
    """
    benchmarks = len(true)
    drawn = true[:, :, np.newaxis] * _sample_shares(rounds, _OTHERS_PARTS)
    each = drawn[0].size
    likelihood = log_likelihood(drawn.ravel(), np.repeat(noise, each), rounds - 1.0, DEVIATIONS)
    logs = log_evidence(likelihood).reshape(benchmarks, each, len(NOISE_FACTORS), -1)
    # The prior of a benchmark is informed by all others.
    others = logs.mean(axis=1).sum(axis=0) * (benchmarks - 1) / benchmarks
    prior = prior_from_others(others[np.newaxis])
    explained, sample = (np.exp(grid.ravel()) for grid in np.meshgrid(own, samples, indexing="ij"))
    likelihood = log_likelihood(sample, explained, rounds - 1.0, DEVIATIONS)
    variance = round_variances(explained, DEVIATIONS) / rounds
    none_exact = np.zeros(len(explained), dtype=np.bool_)
    fits = RoundFits(likelihood, np.zeros_like(likelihood), variance, none_exact)
    _, half = mixture_intervals(fits, posterior(prior, likelihood), confidence)
    return np.log(half).reshape(len(own), len(samples))


def _prior(suite: Sequence[HistoricalVariance]) -> FloatArray:
    """Return the prior on the fine grid, from benchmarks measured the same way."""
    if not suite:
        return np.ones((len(NOISE_FACTORS), len(_FINE)))
    logs = log_evidence(historical_likelihood(suite, _MOST_FREEDOM, DEVIATIONS))
    others = logs.sum(axis=0) * (len(suite) - 1) / len(suite)
    [prior] = prior_from_others(others[np.newaxis])
    return np.array([np.interp(np.log(_FINE), np.log(DEVIATIONS), one) for one in prior])


def _quantiles(
    known: HistoricalVariance, prior: FloatArray, parts: int
) -> tuple[FloatArray, FloatArray]:
    """Return equiprobable points of the posterior: between-fork variances and noise factors."""
    [logs] = historical_likelihood([known], _MOST_FREEDOM, _FINE)
    shares = (prior * np.exp(logs - logs.max())).ravel()
    between = np.broadcast_to(np.square(_FINE), logs.shape).ravel()
    factors = np.repeat(NOISE_FACTORS, len(_FINE))
    order = np.argsort(between + factors * known.noise, kind="stable")
    ends = np.cumsum(shares[order])
    chosen = order[np.searchsorted(ends, _midpoints(parts) * ends[-1])]
    return between[chosen], factors[chosen]


def _sample_shares(rounds: int, parts: int) -> FloatArray:
    """Return equiprobable ratios of the sample variance of rounds to the true one."""
    freedom = max(rounds - 1, 1)
    return np.asarray(chdtri(freedom, 1 - _midpoints(parts)) / freedom)


def _nodes(rounds: Iterable[int]) -> IntArray:
    asked = sorted({max(number, 2) for number in rounds})
    between = _ROUNDS[(asked[0] < _ROUNDS) & (asked[-1] > _ROUNDS)]
    return np.unique(np.concatenate([[asked[0], asked[-1]], between]))


def _grid(low: float, high: float) -> FloatArray:
    """Return an equidistant grid of at least two logarithms of variances."""
    low, high = np.log(np.clip([low, high], _LEAST_VARIANCE, _MOST_VARIANCE)).tolist()
    return np.linspace(low, high, max(int(np.ceil((high - low) / np.log(_STEP))), 1) + 1)
