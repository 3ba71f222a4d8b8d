"""The measurements of single forks as a benchmark with further results, or why it failed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from steady.model import Benchmark, Failure, FloatArray, Identity, Level, Metric
from steady.model.suite import RESUMES
from steady.model.units import direction_of, seconds_factor
from steady.readers.padding import sprawls, stacked

LEVELS = (Level("fork"), Level("iteration"))
"""JMH's two levels; its files do not say what starting a JVM costs."""


@dataclass(frozen=True, eq=False)
class ReadBenchmark:
    """The outcome of reading one benchmark: a benchmark, a failure, or both.

    Parameters
    ----------
    benchmark : Benchmark, optional
        Its measurements, if they can be used.
    failure : Failure, optional
        What went wrong. If there is a benchmark too, it ran only partly.
    """

    benchmark: Benchmark | None
    failure: Failure | None = None


INTERRUPTED = f"the run was interrupted before all of them ran{RESUMES}"
"""Why forks are missing that nobody started."""


def shortfall(rows: Sequence[FloatArray], forks: int, iterations: int) -> str | None:
    """Describe which of the configured measurements are missing; None if none is."""
    for number, row in enumerate(rows, start=1):
        if row.size < iterations:
            return f"fork {number} gave {row.size} of {iterations} iterations"
    if len(rows) < forks:
        return f"{len(rows)} of {forks} forks gave a result"
    return None


def contradiction(mode: str, unit: str) -> str | None:
    """Say so if JMH's mode and its unit contradict each other; else return None.

    Throughput is operations per time; every other mode is time per operation. If they contradict
    each other, nobody knows which one is wrong, nor which direction is worse.
    """
    expected = "higher" if mode == "thrpt" else "lower"
    if not np.isfinite(seconds_factor(unit)) or direction_of(unit) == expected:
        return None
    return f"its mode {mode} and its unit {unit} contradict each other"


def unusable(rows: Sequence[FloatArray]) -> str | None:
    """Say why the rows are not measurements: a value or their lengths; None if they are."""
    values = np.concatenate(rows) if rows else np.empty(0)
    if not ((values >= 0) & (values < np.inf)).all():
        for number, row in enumerate(rows, start=1):
            bad = np.flatnonzero(~(np.isfinite(row) & (row >= 0)))
            if bad.size:
                value = f"{row[bad[0]]:g}, not a measurement"
                return f"iteration {bad[0] + 1} of fork {number} is {value}"
    sizes = [row.size for row in rows]
    if sprawls(len(sizes) * max(sizes, default=0), sum(sizes)):
        return f"its forks are of too different lengths, up to {max(sizes)} iterations"
    return None


def outcome_of(
    make: Callable[[FloatArray], Benchmark],
    identity: Identity,
    rows: Sequence[FloatArray],
    failure: str | None,
) -> ReadBenchmark:
    """Judge the measured rows of one benchmark, one a fork.

    A benchmark with a NaN, infinite or negative value is refused, because nobody knows what it
    means. If iterations are missing, the others are kept, and a failure names the missing ones.

    Parameters
    ----------
    make : callable
        Makes the benchmark of the rows as one array.
    identity : Identity
        Which benchmark.
    rows : sequence of ndarray of float64
        One a fork.
    failure : str, optional
        The failure that the harness itself reported, or what is missing.
    """
    reason = unusable(rows)
    if reason is not None:
        return ReadBenchmark(None, Failure(identity, reason))
    known = None if failure is None else Failure(identity, failure)
    return ReadBenchmark(make(stacked(rows)), known)


Further: TypeAlias = tuple[dict[str, Metric], tuple[str, ...]]
"""Metrics by name, and the names of what cannot be read as one."""


def metric_of(unit: str, rows: Sequence[FloatArray], like: Sequence[FloatArray]) -> Metric | None:
    """Make a metric of the values of single forks.

    A harness leaves out an iteration without a value, and does not say which one it was; so the
    missing ones stand at the end of their fork.

    Parameters
    ----------
    unit : str
        The harness's unit.
    rows : sequence of ndarray of float64
        One a fork; an empty one where a fork has no value.
    like : sequence of ndarray of float64
        What the same forks measured as the main result.

    Returns
    -------
    Metric, optional
        None if these are not values of the same iterations: there are more of them, one is
        negative, or none is a number.
    """
    if len(rows) != len(like) or any(r.size > own.size for r, own in zip(rows, like, strict=True)):
        return None
    widest = max((row.size for row in like), default=0)
    if all(row.size == widest for row in rows):
        values = np.array(rows)
    else:
        values = np.full((len(rows), widest), np.nan)
        for place, row in zip(values, rows, strict=True):
            place[: row.size] = row
    if not (values.size and values.min() >= 0 and values.max() < np.inf):  # nearly never
        values[np.isinf(values)] = np.nan
        if np.isnan(values).all() or (values < 0).any():
            return None
    values.flags.writeable = False  # so that the metric takes it as it is
    return Metric(unit, values)


def appended(first: Benchmark, second: Benchmark) -> dict[str, Metric]:
    """Return the metrics of two runs of a benchmark, one after the other on the outermost level.

    A run without a metric of the other has NaN there. A metric in two units is left out.
    """
    joined = {}
    for name in dict.fromkeys((*first.metrics, *second.metrics)):
        units = {run.metrics[name].unit for run in (first, second) if name in run.metrics}
        if len(units) == 1:
            rows = [row for run in (first, second) for row in _values(run, name)]
            joined[name] = Metric(units.pop(), stacked(rows, first.measurements.ndim))
    return joined


def _values(run: Benchmark, name: str) -> FloatArray:
    metric = run.metrics.get(name)
    return np.full(run.measured.shape, np.nan) if metric is None else metric.values
