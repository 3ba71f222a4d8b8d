"""Variance components of the difference between base and head in interleaved forks.

For the k-th iterations of the j-th pair of forks, ``log(head / base) = change + F_j + e_jk``. F_j
is the random effect of two forks (compilation, memory layout), which averages out only over more
pairs of forks. e_jk is the noise of two successive iterations, without the effect that the machine
has on both. With J pairs of forks of n iterations, the variance of the estimated change is
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
_FEWEST_ROUNDS = 2  # one pair of forks has no variance between pairs
_FEWEST_ITERATIONS = 2


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """The variance components of one benchmark.

    Parameters
    ----------
    levels : VarianceEstimate
        Variance between the levels of pairs of forks, including the part due to iterations. The
        level of a pair is the median of its `averaged` differences.
    iterations : float
        Variance of the difference of two iterations.
    averaged : int
        Number of iterations in each level.
    rounds : int
        Number of interleaved pairs of forks. If it is 0, the levels also contain changes of the
        machine between forks, and their variance is an upper bound.
    seconds : float
        Duration of each of these iterations in seconds, including the harness's time between two;
        0 if they are iterations of the full run.
    """

    levels: VarianceEstimate
    iterations: float
    averaged: int
    rounds: int = 0
    seconds: float = 0.0

    @property
    def explained(self) -> float:
        """The part of the variance between levels that is due to iterations."""
        return MEDIAN_INFLATION * self.iterations / self.averaged

    @property
    def historical(self) -> Historical:
        """The components as historical data of a verdict, and whether forks were interleaved."""
        steps = 0.0 if self.rounds else _MEDIAN_DEVIATION * float(np.sqrt(self.iterations))
        levels = self.levels.variance, self.levels.freedom
        return HistoricalVariance(*levels, self.explained, steps), bool(self.rounds)

    def with_iterations_of(self, seconds: float) -> VarianceComponents:
        """Convert to iterations of a different length, with a proportional number of turns."""
        if not (self.seconds and seconds):
            return self
        times = seconds / self.seconds
        averaged = max(round(self.averaged / times), 1)
        return replace(self, iterations=self.iterations / times, averaged=averaged, seconds=seconds)


def from_run(steady: FloatArray) -> VarianceComponents | None:
    """Estimate the components from the forks of one version, which were not interleaved.

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
    The difference of two forks has twice the variance between forks. Interleaved iterations of two
    forks are as close in time as successive iterations of one fork, so successive differences
    estimate their noise (von Neumann 1941), independent of drifts of the machine. The standard
    deviation is the 68 % quantile of their absolute values, which is robust to single disturbed
    iterations.

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
    """Estimate the components from interleaved pairs of forks.

    Parameters
    ----------
    differences : ndarray, shape (pairs of forks, iterations)
        Differences of logarithms, head minus base, of one benchmark; NaN at the end of a shorter
        row. All rows must compare the same two versions.

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
    noise = _one_sigma(around) ** 2 * count / (count - 1)  # the median uses one degree of freedom
    variance = VarianceEstimate(float(levels.var(ddof=1)), len(levels) - 1)
    return VarianceComponents(variance, noise, count, len(differences))


def pooled(parts: Sequence[VarianceComponents]) -> VarianceComponents:
    """Pool the components of several runs of one benchmark, whose changes may differ."""
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
    """Estimate the components from the interleaved pairs of forks in earlier results.

    Parameters
    ----------
    earlier : sequence of Suite
        Results of base and head, one suite each. Two suites belong together if they have the same
        rounds (`Benchmark.blocks`).

    Returns
    -------
    dict of Identity to VarianceComponents
        Components of the benchmarks with at least two pairs of forks in one run.
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
    """Return the differences of two interleaved sides; None if they were not interleaved."""
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
    """Return the measured iterations of each fork; the second half if there was no warm-up."""
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
    """Return the harmonic mean of the number of values in each row."""
    return max(round(1 / float(np.mean(1 / np.isfinite(table).sum(axis=1)))), 1)


def _one_sigma(values: FloatArray) -> float:
    """Return the 68 % quantile of the absolute values, an estimate of the standard deviation."""
    return float(np.quantile(np.abs(values[np.isfinite(values)]), _ONE_SIGMA))
