"""The difference between runs of one version: a smaller one is not a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from steady.compare.moderated_t import moderated_widths
from steady.compare.pair import by_unit, fork_values
from steady.model import Benchmark, FloatArray, Identity, Suite
from steady.stats.samples import row_medians

LEAST_RUNS = 5
"""From fewer runs nothing is learnt: chance would decide."""

NOTE = "earlier runs of one version differ, so only a larger change counts (noise floor)"
"""The note on a benchmark whose threshold the floor widens."""

_NORMAL_QUARTILE = 0.6744897501960817
"""Median of the absolute value of a standard normal number."""


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """How far runs of a benchmark differ although nothing changed.

    Parameters
    ----------
    change : float
        The relative change that two runs of one version stay within, at the confidence asked for.
    spread : float
        Standard deviation of one run, as a fraction of the benchmark's time.
    runs : int
        How many runs it was learnt from.
    """

    change: float
    spread: float
    runs: int


def noise_floors(earlier: Sequence[Suite], confidence: float = 0.99) -> dict[Identity, NoiseFloor]:
    """Learn from earlier runs how far two runs of one version may lie apart.

    Parameters
    ----------
    earlier : sequence of Suite
        Runs of the suite in the order in which they were made, or the reverse.
    confidence : float
        Share of the pairs of runs that lie within the floor.

    Returns
    -------
    dict of Identity to NoiseFloor
        Of the benchmarks that at least `LEAST_RUNS` runs hold, with positive values in one unit.
        Runs with values out of range (`steady.model.Benchmark.in_range`) do not count.

    Notes
    -----
    A run's level is the mean of the logarithms of its forks' medians. The variance of a level
    comes from the differences between successive runs: take the median of their absolute values,
    divide it by that of a standard normal number, square it, and halve it. So a benchmark that
    became faster once, for good, does not count as noisy. With n runs this estimate is worth
    about 0.75 + 0.32 (n - 1) degrees of freedom. On average it is too large by a half with five
    runs and by a tenth with thirty. (Both were simulated with normal numbers.) As in rule
    ``moderated-t``, it is drawn towards the variance that the benchmarks of one unit share. The
    floor is Student's t for the difference of two levels.
    """
    levels = _levels(earlier)
    floors: dict[Identity, NoiseFloor] = {}
    for alike in by_unit(levels, lambda key, _: key[1]):
        floors |= _floors_alike({i: runs for (i, _), runs in alike.items()}, confidence)
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
    """Return the logarithm of a run's result; None without positive values that are in range."""
    table = fork_values(benchmark)
    if table.size == 0 or not benchmark.in_range:
        return None
    medians = row_medians(table)
    return float(np.log(medians).mean()) if medians.min() > 0 else None


def _floors_alike(
    levels: Mapping[Identity, FloatArray], confidence: float
) -> dict[Identity, NoiseFloor]:
    """Return the floors of benchmarks of one unit."""
    counts = np.array([len(runs) for runs in levels.values()])
    sizes = np.array([np.median(np.abs(np.diff(runs))) for runs in levels.values()])
    variances = np.square(sizes / _NORMAL_QUARTILE) / 2
    widths = moderated_widths(variances, 0.75 + 0.32 * (counts - 1), confidence)
    return {
        identity: NoiseFloor(float(np.expm1(np.sqrt(2) * width)), float(np.sqrt(variance)), count)
        for identity, width, variance, count in zip(
            levels, widths, variances, counts.tolist(), strict=True
        )
    }
