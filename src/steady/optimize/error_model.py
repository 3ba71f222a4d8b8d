"""Predicted error of a smaller configuration, and its error on held-out forks.

A fork's result is the mean of a window of its iterations, as harnesses report it. Its error has two
components: the bias, common to all forks, of a window that starts too early or is too short; and
the standard deviation between forks (``spread``), which averages out over more forks. The error of
``f`` forks is ``sqrt(bias^2 + spread^2 / f)``.

Step 5 of a plan (`held_out_error`) is leave-one-out cross-validation: for each fork, the strategy
chooses a window from the other forks, and the held-out fork's result in it is compared with the
steady result of the others. The mean of these errors is the bias of the choice; their standard
deviation is that of one fork. The variance between runs cannot be estimated from the forks of one
run, so it is added as a fraction of the standard deviation (`HarnessCost.between_runs`).

On a busy machine, the compiler can be delayed so long that a fork is still in its warm-up when the
plan measures, and hundreds of times slower than at its end. Such a fork reflects the load of the
machine, not the plan, so it is excluded. If too few forks remain, the error is unknown.
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
"""Ratio of successive counts to try; finer steps select windows that are good only by chance."""

USELESS = 0.25
"""Largest useful predicted error; twice a benchmark's smallest error applies if that is larger."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pareto-optimal configurations of one benchmark, cheapest first.

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
        """Minimum seconds of base and head."""
        return float(self.pair_seconds[0])


def candidates(material: Material) -> Candidates:
    """Return the Pareto-optimal configurations of a benchmark.

    Configurations with a useless error are excluded. If the time is too short for the suite, a
    subset of the benchmarks is then measured, rather than all of them during warm-up.
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
        ``sqrt(bias^2 + spread^2 / forks)``, as a fraction.

    Notes
    -----
    A fork's true value is taken to be the mean of the second half of its run, which does not depend
    on the steady-state detector and its mistakes. The bias is the mean over forks of the relative
    difference between window and true value. The square of this mean is biased upwards by its
    variance. This is not corrected, because the cheapest of hundreds of windows would then be one
    whose bias is small only by chance.

    ``spread^2`` is the variance between forks of their true values, plus that of the differences.
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
    """Return the windows to try: rows of warm-up and measurement iterations.

    The warm-up is at most half of the run, because the second half gives the true value.
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
    """Return the counts from 1 to `most` to try, a third of an octave apart."""
    octaves = np.log(most) / np.log(STEP)
    counts = np.round(STEP ** np.arange(np.floor(octaves) + 1)).astype(np.int64)
    return np.unique(np.append(counts, most))


HELD_OUT_FORKS = 3
"""Minimum number of forks for leave-one-out cross-validation."""

STILL_WARM = 2.0
"""Ratio, in either direction, of a window to the last fifth of its fork, above which the fork
counts as still warming up."""


def held_out_error(
    choose: Callable[[Material], Choice],
    material: Material,
    warmups: Sequence[int | None],
    forks: int,
    ratio: float = 0.0,
) -> float | None:
    """Return the expected relative error of `forks` forks with the configuration of `choose`.

    Parameters
    ----------
    choose : callable
        Strategy's choice, repeated with each fork left out.
    material : Material
        The full run.
    warmups : sequence of int or None
        Warm-up that the other forks require, for each fork left out; None for `material`'s own.
    forks : int
        Number of forks in the plan.
    ratio : float
        Ratio of the standard deviation between runs to that between forks.

    Returns
    -------
    float or None
        As a fraction; None if fewer than three forks have left their warm-up, or if their result
        is 0.
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
    spread = float(errors.std(ddof=1))
    return float(np.sqrt(errors.mean() ** 2 + spread**2 * (1 / forks + ratio**2)))


def _warm(values: FloatArray | float, ends: FloatArray | float) -> npt.NDArray[np.bool_]:
    """Return which values are not from a warm-up; NaN counts as not from a warm-up."""
    larger, smaller = np.maximum(values, ends), np.minimum(values, ends)
    return np.asarray(~(larger > STILL_WARM * smaller))


def _median(values: FloatArray) -> float:
    """Return the median of the values that are not NaN; NaN if there are none."""
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
    """Return the result of held-out `fork` in the window chosen without it."""
    start = max(choice.warmup, material.first)
    return _median(material.series[fork, start : start + choice.iterations])
