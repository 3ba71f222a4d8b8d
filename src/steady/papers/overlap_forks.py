"""Intervals that respect forks: resample forks first, then the iterations within them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steady.compare.benchmark_change import Estimate
from steady.compare.judgement import Judgement, apart_intervals, estimate
from steady.compare.pair import Pair
from steady.compare.rule import Rule, RuleOptions
from steady.compare.rules import MEASURED
from steady.model import FloatArray
from steady.stats.samples import IntArray, row_medians


def judge_overlap_forks(pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
    """Call base and head different if intervals from a two-level bootstrap do not overlap.

    The statistic is the mean of the forks' medians. A resample draws as many forks as there
    are, with replacement, and within each drawn fork as many iterations as it has.

    Parameters
    ----------
    pairs : sequence of Pair
        One for each benchmark; each is judged by itself.
    options : RuleOptions
        `confidence`, `resamples` and `seed`. All benchmarks of the same shape use the same
        random numbers, so a benchmark's result does not depend on its neighbours.

    Returns
    -------
    list of Judgement
        In the order of the pairs.

    Notes
    -----
    With f forks the interval cannot reach beyond the outermost forks, and it is too narrow by
    about sqrt((f - 1) / f): with two forks on each side this rule raises more false alarms
    than its confidence promises.

    References
    ----------
    Davison and Hinkley: "Bootstrap Methods and their Application", 1997, section 3.8
    (hierarchical data); Kalibera and Jones: "Rigorous Benchmarking in Reasonable Time",
    ISMM 2013, for forks as a separate level.
    """
    draws = _Draws(options)
    return [
        apart_intervals(_side(pair.base, draws, options), _side(pair.head, draws, options))
        for pair in pairs
    ]


@dataclass(frozen=True, eq=False)
class _Draw:
    """Random numbers for one shape of measurements.

    Parameters
    ----------
    forks : ndarray of int64, shape (resamples, forks)
        Which fork is drawn.
    lower, upper : ndarray of float64, shape (resamples, forks)
        Positions of the two middle values of the drawn iterations, as a share of the fork's
        iterations; equal for an odd number.
    """

    forks: IntArray
    lower: FloatArray
    upper: FloatArray


class _Draws(dict[tuple[int, int], _Draw]):
    """Random numbers by (forks, iterations), drawn once each from the same seed."""

    def __init__(self, options: RuleOptions) -> None:
        super().__init__()
        self._options = options

    def __missing__(self, shape: tuple[int, int]) -> _Draw:
        forks, iterations = shape
        size = (self._options.resamples, forks)
        generator = np.random.default_rng([self._options.seed, forks, iterations])
        chosen = generator.integers(0, forks, size)
        lower, upper = middle_positions(generator, iterations, size)
        draw = _Draw(chosen, lower, upper)
        self[shape] = draw
        return draw


def middle_positions(
    generator: np.random.Generator, iterations: int, size: tuple[int, ...]
) -> tuple[FloatArray, FloatArray]:
    """Draw the positions of the two middle values of `iterations` uniform draws from [0, 1).

    Order statistics of uniform numbers are beta distributed, so two numbers replace a whole
    resample: if U is the upper middle value of n = 2h draws, the lower one is U times a
    Beta(h, 1) (Devroye, "Non-Uniform Random Variate Generation", 1986, section V.3).
    """
    half = iterations // 2
    if iterations % 2:
        middle = generator.beta(half + 1, half + 1, size)
        return middle, middle
    upper = generator.beta(half + 1, half, size)
    return upper * generator.beta(half, 1, size), upper


def _side(table: FloatArray, draws: _Draws, options: RuleOptions) -> Estimate:
    ascending = np.sort(table, axis=1)  # NaN goes to the end
    counts = np.isfinite(table).sum(axis=1)
    center = float(row_medians(table).mean())
    draw = draws[len(table), int(counts.max())]
    sizes = counts[draw.forks]
    medians = 0.5 * (
        ascending[draw.forks, _ranks(draw.lower, sizes)]
        + ascending[draw.forks, _ranks(draw.upper, sizes)]
    )
    tail = (1 - options.confidence) / 2
    low, high = np.quantile(medians.mean(axis=1), [tail, 1 - tail])
    return estimate(table, center, low, high)


def _ranks(positions: FloatArray, sizes: IntArray) -> IntArray:
    return np.minimum((positions * sizes).astype(np.int64), sizes - 1)


RULE = Rule(
    judge_overlap_forks,
    resampled=True,
    statement="A change is two intervals of the mean of the forks' medians, from a "
    "bootstrap of forks and of iterations within them, that do not overlap.",
    false_alarms=f"{MEASURED}: 1.3 to 2.5 % of Java benchmarks with three or more forks "
    "a side, 6 % with two, 16 % with one, and 0.5 to 1.5 % of Go benchmarks.",
)
