"""The predicted error of a smaller configuration, and its cross-validation on held-out forks.

The result of a fork is the mean of a window of its iterations, as harnesses report it. Its error
has two parts: a bias common to all forks, if the window starts too early or is too short, and a
standard deviation between forks, which decreases with their number. The error of ``f`` forks is
``sqrt(bias^2 + sd^2 / f)``.

Step 5 of a plan (`held_out_error`) is leave-one-out cross-validation: each fork is left out once,
the strategy chooses on the others, and the chosen window of the held-out fork is compared with the
steady result of the others. The mean of these errors is the bias of the choice, and their standard
deviation is that of a fork. The variance between runs, which cannot be estimated from one run, is
added as a multiple of it (`HarnessCost.between_runs`).

On a busy machine, the compiler may get so little time that a fork is still in its warm-up in the
planned window, hundreds of times slower than at its end. Such a fork is omitted, and if too few
forks remain, the error is unknown.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.optimize.strategy import Choice, Material, fork_counts
from steady.optimize.warm_up import shortest_fork
from steady.stats.samples import IntArray

STEP = 2 ** (1 / 3)
"""Ratio of neighbouring counts. With finer steps, the choice of the window would more often be due
to chance."""

USELESS = 0.25
"""Maximum predicted error of a candidate. If twice the smallest error is larger, the maximum is
that."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """The Pareto-optimal configurations of one benchmark by cost and error, cheapest first.

    Each costs more than the previous one and has a smaller predicted error.

    Parameters
    ----------
    warmups, iterations, forks : ndarray of int, shape (configurations,)
        Warm-up and measurement iterations of a fork, and forks.
    seconds : ndarray of float64, shape (configurations,)
        Cost, including the start-up of forks.
    pair_seconds : ndarray of float64, shape (configurations,)
        Cost of interleaved base and head together.
    errors : ndarray of float64, shape (configurations,)
        Predicted relative error.
    """

    warmups: IntArray
    iterations: IntArray
    forks: IntArray
    seconds: FloatArray
    pair_seconds: FloatArray
    errors: FloatArray

    @property
    def least_seconds(self) -> float:
        """Seconds of base and head with the cheapest configuration."""
        return float(self.pair_seconds[0])


def candidates(material: Material) -> Candidates:
    """Return the Pareto-optimal configurations of a benchmark.

    Configurations with a very large error are omitted: if the time is too short, it is better to
    measure a part of the suite than all of it during its warm-up.
    """
    rows = windows(material)
    forks = fork_counts(material)
    fork_seconds = material.cost.fork_seconds(rows[:, 0], rows[:, 0], rows[:, 1])
    seconds = np.ravel(fork_seconds[:, np.newaxis] * forks)
    errors = np.ravel(predicted_errors(material.series, rows, forks))
    order = np.lexsort((errors, seconds))
    before = np.minimum.accumulate(np.concatenate([[np.inf], errors[order][:-1]]))
    kept = order[errors[order] < before]
    kept = kept[errors[kept] <= max(USELESS, 2 * errors[kept[-1]])]
    row, column = np.divmod(kept, len(forks))
    warmup, iterations, count = rows[row, 0], rows[row, 1], forks[column]
    pairs = count * material.cost.pair_seconds(warmup, warmup, iterations)
    return Candidates(warmup, iterations, count, seconds[kept], pairs, errors[kept])


def predicted_errors(series: FloatArray, rows: IntArray, forks: IntArray) -> FloatArray:
    """Return the predicted relative error of every window with every number of forks.

    Parameters
    ----------
    series : ndarray of float64, shape (forks, iterations)
        Times of the full run; NaN at the end of a shorter fork.
    rows : ndarray of int, shape (windows, 2)
        Warm-up and measurement iterations of each window.
    forks : ndarray of int, shape (counts,)
        Numbers of forks.

    Returns
    -------
    ndarray, shape (windows, counts)
        ``sqrt(bias^2 + sd^2 / forks)``, as a fraction.

    Notes
    -----
    The reference value of a fork is the mean of the second half of its run, which does not depend
    on the detector. The bias is the mean over forks of the distance between window and reference.
    Its square overestimates the squared bias by its variance. This is not corrected, because
    otherwise the cheapest of hundreds of windows would be one whose bias is small by chance.

    The variance between forks is the variance of their references plus that of the distances.
    """
    values = series[:, : shortest_fork(series)]
    sums = np.concatenate([np.zeros((len(values), 1)), np.cumsum(values, axis=1)], axis=1)
    starts, lengths = rows.T
    means = (sums[:, starts + lengths] - sums[:, starts]) / lengths
    truths = np.nanmean(series[:, values.shape[1] // 2 :], axis=1)
    misses = means / truths[:, np.newaxis] - 1.0
    spread_squared = (truths / truths.mean()).var(ddof=1) + misses.var(axis=0, ddof=1)
    bias_squared = misses.mean(axis=0) ** 2
    squares = bias_squared[:, np.newaxis] + spread_squared[:, np.newaxis] / forks
    return np.asarray(np.sqrt(squares), dtype=np.float64)


def windows(material: Material) -> IntArray:
    """Return the candidate windows: rows of warm-up and measurement iterations.

    The warm-up takes at most half of the run, whose second half is the reference.
    """
    shortest = shortest_fork(material.series)
    warmups = np.concatenate([[0], steps(shortest // 2)])
    warmups = warmups[warmups >= material.first]
    starts = warmups if warmups.size else np.array([material.measured_from])
    lengths = steps(shortest)
    lengths = lengths[lengths >= min(material.min_iterations, shortest - int(starts.max()))]
    start, length = (grid.ravel() for grid in np.meshgrid(starts, lengths, indexing="ij"))
    inside = start + length <= shortest
    return np.stack([start[inside], length[inside]], axis=1)


def steps(most: int) -> IntArray:
    """Return the candidate counts from 1 to `most`, a third of an octave apart."""
    octaves = np.log(most) / np.log(STEP)
    counts = np.round(STEP ** np.arange(np.floor(octaves) + 1)).astype(np.int64)
    return np.unique(np.append(counts, most))


HELD_OUT_FORKS = 3
"""Minimum number of forks for cross-validation."""

WARMING_UP = 2.0
"""A value that differs by more than this factor from the end of the fork is from its warm-up."""


def held_out_error(
    choose: Callable[[Material], Choice],
    material: Material,
    warmups: Sequence[int | None],
    forks: int,
    ratio: float = 0.0,
) -> float | None:
    """Return the cross-validated relative error of `forks` forks of a choice.

    Parameters
    ----------
    choose : callable
        Function that makes the strategy's choice from the other forks.
    material : Material
        The full run.
    warmups : sequence of int or None
        Warm-up of the other forks, for each held-out fork; None if it is the warm-up of `material`.
    forks : int
        Number of forks in the plan.
    ratio : float
        Ratio of the standard deviation between runs to that between forks.

    Returns
    -------
    float or None
        Error as a fraction; None with fewer than three warm forks, or if their result is 0.
    """
    if len(material.series) < HELD_OUT_FORKS:
        return None
    ends = np.array([_median(row[4 * len(row) // 5 :]) for row in map(_known, material.series)])
    medians: dict[int, FloatArray] = {}
    found: list[float] = []
    for fork, warmup in enumerate(warmups):
        seen = _without(material, fork, warmup)
        start = seen.measured_from
        if start not in medians:
            levels = np.array([_median(row[start:]) for row in material.series])
            medians[start] = np.where(_warm(levels, ends), levels, np.nan)
        others = _known(np.delete(medians[start], fork))
        truth = float(np.median(others)) if others.size else 0.0
        if truth == 0:
            return None
        result = _result(choose(seen), material, fork)
        if _warm(result, ends[fork]):
            found.append(result / truth - 1.0)
    if len(found) < HELD_OUT_FORKS:
        return None
    errors = np.array(found)
    deviation = float(errors.std(ddof=1))
    return float(np.sqrt(errors.mean() ** 2 + deviation**2 * (1 / forks + ratio**2)))


def _warm(values: FloatArray | float, ends: FloatArray | float) -> npt.NDArray[np.bool_]:
    """Return a mask of values that are not from a warm-up; it is True for NaN."""
    larger, smaller = np.maximum(values, ends), np.minimum(values, ends)
    return np.asarray(~(larger > WARMING_UP * smaller))


def _median(values: FloatArray) -> float:
    """Return the median of the known values; NaN if none is known."""
    present = _known(values)
    return float(np.median(present)) if present.size else np.nan


def _known(values: FloatArray) -> FloatArray:
    return np.asarray(values[~np.isnan(values)])


def _without(material: Material, fork: int, warmup: int | None) -> Material:
    others = np.delete(material.series, fork, axis=0)
    return replace(
        material,
        series=others,
        warmup=material.warmup if warmup is None else warmup,
        min_forks=min(material.min_forks, len(others)),
    )


def _result(choice: Choice, material: Material, fork: int) -> float:
    """Return the result of a held-out fork in the chosen window."""
    start = max(choice.warmup, material.first)
    return _median(material.series[fork, start : start + choice.iterations])
