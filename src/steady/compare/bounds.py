"""Thresholds of a change, the outcome of a judgement, and the noise floor from earlier runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steady.compare.benchmark_change import Change, Outcome
from steady.compare.pair import fork_values, grouped
from steady.compare.rule import Judgement
from steady.compare.variance import moderated_widths
from steady.model import Benchmark, Direction, FloatArray, Identity, Suite
from steady.stats.samples import row_medians

LEAST_RUNS = 5
"""Minimum number of runs for a noise floor; an estimate from fewer runs is too uncertain."""

NOTE = "only changes above the noise floor count: runs of one version differ by that much"
"""The note on a benchmark whose threshold is raised to the noise floor."""

_NORMAL_QUARTILE = 0.6744897501960817
"""Median of the absolute value of a standard normal variable."""


def changed_outcome(judgement: Judgement, direction: Direction) -> Outcome:
    """Return the outcome of a change, given whether ``lower`` or ``higher`` is better."""
    ratio = judgement.ratio
    worse = ratio > 0 if direction == "lower" else ratio < 0
    return "regression" if worse else "improvement"


def outcome_of(
    judgement: Judgement,
    direction: Direction,
    min_change: float,
    floor: float = 0.0,
    excluded: float | None = None,
) -> Outcome:
    """Return the outcome of a benchmark from the judgement of a rule.

    Parameters
    ----------
    judgement : Judgement
        Judgement of the rule.
    direction : {"lower", "higher"}
        Which direction is better.
    min_change : float
        Smallest relative change to report, as a fraction.
    floor : float
        Noise floor: relative difference between runs of one version, which the confidence interval
        does not include.
    excluded : float, optional
        Upper bound on the size of the change; by default from the judgement's own interval.
    """
    ratio = judgement.ratio
    if judgement.apart and abs(ratio) >= max(min_change, floor) and ratio != 0:
        return changed_outcome(judgement, direction)
    beyond = max(judgement.excluded if excluded is None else excluded, floor)
    return "unchanged" if beyond < min_change or beyond == 0 else "unclear"


@dataclass(frozen=True, slots=True)
class Bounds:
    """The thresholds of one benchmark.

    Parameters
    ----------
    direction : {"lower", "higher"}
        Which direction is better.
    usual : float
        Smallest relative change to report in this comparison.
    own : float or None
        The benchmark's own threshold in the settings, if any.
    floor : float
        Noise floor: relative difference between runs of one version.
    """

    direction: Direction
    usual: float
    own: float | None
    floor: float

    @property
    def min_change(self) -> float:
        """The smallest relative change of this benchmark to report."""
        return self.usual if self.own is None else self.own

    def outcome(self, judgement: Judgement, excluded: float | None = None) -> Outcome:
        """Return the outcome of a judgement; see `outcome_of`."""
        return outcome_of(judgement, self.direction, self.min_change, self.floor, excluded)

    def reports(self, judgement: Judgement) -> bool:
        """Return whether a judgement is reported as a change."""
        return self.outcome(judgement) in ("regression", "improvement")

    def change(
        self,
        head: Benchmark,
        judgement: Judgement,
        outcome: Outcome,
        excluded: float,
        notes: tuple[str, ...] = (),
        metric: str = "",
    ) -> Change:
        """Return the change of a benchmark, or of one of its metrics.

        Parameters
        ----------
        head : Benchmark
            Result of the benchmark in head.
        judgement : Judgement
            Judgement of the rule.
        outcome : {"regression", "improvement", "unchanged", "unclear"}
            Outcome of the benchmark.
        excluded : float
            Upper bound on the size of the change.
        notes : tuple of str
            Additional remarks for the reader.
        metric : str
            Name of the metric; empty for the main result.
        """
        return Change(
            identity=head.identity,
            metric=metric,
            unit=head.unit,
            direction=self.direction,
            base=judgement.base,
            head=judgement.head,
            outcome=outcome,
            smallest=max(self.min_change, self.floor, judgement.detectable.of(judgement.ratio)),
            notes=judgement.notes + notes,
            interval=judgement.interval,
            min_change=self.own,
            excluded=max(excluded, self.floor),
            lacking=judgement.lacking,
        )


def noise_floors(earlier: Sequence[Suite], confidence: float = 0.99) -> dict[Identity, float]:
    """Estimate the noise floors: the largest differences between two runs of one version.

    Parameters
    ----------
    earlier : sequence of Suite
        Earlier runs of the suite, the oldest or the newest first.
    confidence : float
        Share of pairs of runs that differ by less than the floor.

    Returns
    -------
    dict of Identity to float
        Noise floor of each benchmark, as a relative change. It requires positive values in one
        unit in at least `LEAST_RUNS` runs. Runs with values out of range (`Benchmark.in_range`)
        are excluded.

    Notes
    -----
    A run's level is the mean of the logarithms of its forks' medians. The variance of a level is
    estimated from the differences between successive runs: the median of their absolute values is
    divided by that of a standard normal variable, squared and halved. A single permanent change
    thus does not count as noise. With n runs, the estimate has about 0.75 + 0.32 (n - 1) degrees of
    freedom; on average, it is too large by 50 % with five runs and by 10 % with thirty (both
    simulated with normal numbers). As in rule ``moderated-t``, it is shrunk towards the variance
    shared by the benchmarks of one unit. The floor is the half-width of the t interval of the
    difference between two levels.
    """
    levels = _levels(earlier)
    floors: dict[Identity, float] = {}
    for alike in grouped(levels, lambda key, _: key[1]):
        counts = np.array([len(runs) for runs in alike.values()])
        sizes = np.array([np.median(np.abs(np.diff(runs))) for runs in alike.values()])
        variances = np.square(sizes / _NORMAL_QUARTILE) / 2
        widths = moderated_widths(variances, 0.75 + 0.32 * (counts - 1), confidence)
        changes = np.expm1(np.sqrt(2) * widths).tolist()
        floors |= {identity: change for (identity, _), change in zip(alike, changes, strict=True)}
    return floors


def _levels(earlier: Sequence[Suite]) -> dict[tuple[Identity, str], FloatArray]:
    """Return the levels of each benchmark in the unit of its last run, shape (runs,)."""
    units = {identity: b.unit for suite in earlier for identity, b in suite.items()}
    levels: dict[tuple[Identity, str], list[float]] = {}
    for suite in earlier:
        for identity, benchmark in suite.items():
            level = _level(benchmark)
            if benchmark.unit == units[identity] and level is not None:
                levels.setdefault((identity, benchmark.unit), []).append(level)
    return {key: np.array(runs) for key, runs in levels.items() if len(runs) >= LEAST_RUNS}


def _level(benchmark: Benchmark) -> float | None:
    """Return the logarithm of a run's result; None unless all values are positive and in range."""
    table = fork_values(benchmark)
    if table.size == 0 or not benchmark.in_range:
        return None
    medians = row_medians(table)
    return float(np.log(medians).mean()) if medians.min() > 0 else None
