"""Variance components of the difference between base and head if their forks take turns.

For the k-th iterations of the j-th pair of forks, ``log(head / base) = change + F_j + e_jk``. F_j
is the random effect of two forks (compilation, memory layout); only more pairs of forks average it
out. e_jk is the noise of two iterations, one right after the other, without the effect that the
machine has on both. With J pairs of forks of n iterations, the variance of the estimated change is
``(var(F) + var(e) / n) / J``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from steady.compare.power import Historical
from steady.compare.variance import VarianceEstimate
from steady.model import Benchmark, FloatArray, Identity, Suite
from steady.optimize.cost import BETWEEN_SECONDS
from steady.plan.historical_variance import HistoricalVariance
from steady.stats.samples import row_medians

MEDIAN_INFLATION = float(np.pi / 2)
"""Variance of the median of many normal values, as a multiple of that of their mean."""

_MEDIAN_DEVIATION = 0.6744897501960817  # absolute, of a standard normal number
_ONE_SIGMA = 0.682689492137086  # share of a normal distribution within one standard deviation
_FEWEST_ROUNDS = 2  # one pair of forks does not show how much pairs differ
_FEWEST_ITERATIONS = 2


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """The variance components of one benchmark.

    Parameters
    ----------
    levels : VarianceEstimate
        Variance between the levels of pairs of forks, iterations included: the level of a pair is
        the median of its `averaged` differences.
    iterations : float
        Variance of the difference of two iterations.
    averaged : int
        Iterations behind each level.
    rounds : int
        Pairs of forks in turn behind the estimate. Without any, the levels also differ by what the
        machine did between forks, and their variance is an upper bound.
    seconds : float
        Seconds of each of these iterations, with the time of the harness between two; 0 if they
        are those of the full run.
    """

    levels: VarianceEstimate
    iterations: float
    averaged: int
    rounds: int = 0
    seconds: float = 0.0

    @property
    def explained(self) -> float:
        """The part of the variance between levels that iterations explain."""
        return MEDIAN_INFLATION * self.iterations / self.averaged

    @property
    def historical(self) -> Historical:
        """The same as historical data of a verdict, and whether the forks took turns."""
        steps = 0.0 if self.rounds else _MEDIAN_DEVIATION * float(np.sqrt(self.iterations))
        levels = self.levels.variance, self.levels.freedom
        return HistoricalVariance(*levels, self.explained, steps), bool(self.rounds)

    def with_iterations_of(self, seconds: float) -> VarianceComponents:
        """Return the same for iterations of another length, each of which has several turns."""
        if not (self.seconds and seconds):
            return self
        times = seconds / self.seconds
        averaged = max(round(self.averaged / times), 1)
        return replace(self, iterations=self.iterations / times, averaged=averaged, seconds=seconds)


def from_run(steady: FloatArray) -> VarianceComponents | None:
    """Estimate the components from the forks of one version, without turns.

    Parameters
    ----------
    steady : ndarray, shape (forks, iterations)
        Times after the warm-up; NaN at the end of a shorter fork.

    Returns
    -------
    VarianceComponents or None
        None if a time is not positive, or with fewer than two forks or iterations.

    Notes
    -----
    Two forks differ by twice the variance between forks. Two iterations that take turns are as
    close in time as two successive ones of one fork, so successive differences show their noise
    (von Neumann 1941), however the machine drifts. The quantile that holds 68 % of their sizes is
    their standard deviation, whatever a few disturbed iterations do.

    References
    ----------
    von Neumann: "Distribution of the ratio of the mean square successive difference to the
    variance", Ann. Math. Statist. 12 (1941).
    Kalibera, Jones: "Rigorous benchmarking in reasonable time", ISMM 2013, for the two levels.
    """
    logs = _logarithms(steady)
    if logs is None:
        return None
    levels = row_medians(logs)
    variance = VarianceEstimate(2 * float(levels.var(ddof=1)), len(levels) - 1)
    noise = _one_sigma(np.diff(logs, axis=1)) ** 2
    return VarianceComponents(variance, noise, _typical_count(logs))


def from_rounds(differences: FloatArray) -> VarianceComponents | None:
    """Estimate the components from pairs of forks that took turns.

    Parameters
    ----------
    differences : ndarray, shape (pairs of forks, iterations)
        Of logarithms, head less base, of one benchmark in any versions; NaN at the end of a
        shorter row. The change between the versions is the same in all rows.

    Returns
    -------
    VarianceComponents or None
        None with fewer than two rows or columns.
    """
    if not _enough(differences):
        return None
    levels = row_medians(differences)
    count = _typical_count(differences)
    around = differences - levels[:, np.newaxis]
    noise = _one_sigma(around) ** 2 * count / (count - 1)  # the median has taken one of them
    variance = VarianceEstimate(float(levels.var(ddof=1)), len(levels) - 1)
    return VarianceComponents(variance, noise, count, len(differences))


def pooled(parts: Sequence[VarianceComponents]) -> VarianceComponents:
    """Pool the components of several runs of one benchmark; each run has its own change."""
    weights = np.array([part.levels.freedom for part in parts])
    alike = [part.with_iterations_of(parts[0].seconds) for part in parts]
    return VarianceComponents(
        sum((part.levels for part in alike), VarianceEstimate()),
        float(np.average([part.iterations for part in alike], weights=weights)),
        max(round(float(np.average([part.averaged for part in alike], weights=weights))), 1),
        sum(part.rounds for part in alike),
        parts[0].seconds,
    )


def from_recorded_rounds(earlier: Sequence[Suite]) -> dict[Identity, VarianceComponents]:
    """Estimate the components from the pairs of forks that took turns in earlier results.

    Parameters
    ----------
    earlier : sequence of Suite
        Results of base and of head, each a suite; two belong together if they name the same rounds
        (`Benchmark.blocks`).

    Returns
    -------
    dict of Identity to VarianceComponents
        Only of benchmarks with two pairs of forks or more in one run.
    """
    parts: dict[Identity, list[VarianceComponents]] = {}
    for one, other in combinations(earlier, 2):
        for identity in one:
            if identity in other:
                differences = _in_turn(one[identity], other[identity])
                if differences is not None and (part := from_rounds(differences)) is not None:
                    part = replace(part, seconds=_seconds(one[identity]))
                    parts.setdefault(identity, []).append(part)
    return {identity: pooled(of_benchmark) for identity, of_benchmark in parts.items()}


def _seconds(benchmark: Benchmark) -> float:
    configuration = benchmark.configuration
    if configuration is None or not configuration.iteration_seconds:
        return 0.0
    return configuration.iteration_seconds + BETWEEN_SECONDS


def _in_turn(one: Benchmark, other: Benchmark) -> FloatArray | None:
    """Return the differences of two sides that took turns; None if they did not."""
    if not (any(one.in_turn) and any(other.in_turn)) or one.unit != other.unit:
        return None
    rows = list(_shared_rounds(one, other))
    if not rows or not (one.in_range and other.in_range):
        return None
    ours, theirs = (
        _after_warmup(side)[list(column)]
        for side, column in zip((one, other), zip(*rows, strict=True), strict=True)
    )
    count = min(ours.shape[1], theirs.shape[1])
    both = ours[:, :count], theirs[:, :count]
    if any((~(side > 0) & ~np.isnan(side)).any() for side in both):
        return None
    differences = np.log(both[1]) - np.log(both[0])
    return np.asarray(differences[np.isfinite(differences).any(axis=1)])


def _after_warmup(benchmark: Benchmark) -> FloatArray:
    """Return the measured iterations of each fork; of forks without warm-up, the second half."""
    measured = benchmark.measured.reshape(len(benchmark.measurements), -1)
    warmed = benchmark.configuration and benchmark.configuration.warmup_iterations
    return measured if warmed else measured[:, measured.shape[1] // 2 :]


def _shared_rounds(one: Benchmark, other: Benchmark) -> Iterator[tuple[int, int]]:
    theirs = {
        block: row
        for row, (block, turned) in enumerate(zip(other.blocks, other.in_turn, strict=True))
        if block and turned
    }
    for row, (block, turned) in enumerate(zip(one.blocks, one.in_turn, strict=True)):
        if turned and block in theirs:
            yield row, theirs[block]


def _logarithms(times: FloatArray) -> FloatArray | None:
    if not _enough(times) or (np.isfinite(times) & (times <= 0)).any() or np.isinf(times).any():
        return None
    return np.asarray(np.log(times))


def _enough(table: FloatArray) -> bool:
    known = np.isfinite(table).sum(axis=1)
    return len(known) >= _FEWEST_ROUNDS and bool((known >= _FEWEST_ITERATIONS).all())


def _typical_count(table: FloatArray) -> int:
    """Return how many values a row has, as the harmonic mean over the rows."""
    return max(round(1 / float(np.mean(1 / np.isfinite(table).sum(axis=1)))), 1)


def _one_sigma(values: FloatArray) -> float:
    """Return the size that 68 % of the values stay within."""
    return float(np.quantile(np.abs(values[np.isfinite(values)]), _ONE_SIGMA))
