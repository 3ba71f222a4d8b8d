"""Measurements as one array, from rows of forks, or from nested JSON lists with null for NaN.

Padding is limited: with one long row among many short ones, a file of a few megabytes could need an
array that does not fit in memory.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from steady.errors import InputError
from steady.harness.fields import Field
from steady.model import Benchmark, Failure, FloatArray, Identity, Level, Metric
from steady.model.suite import RESUMES
from steady.model.units import direction_of, seconds_factor
from steady.text.numbers import listed

LEVELS = (Level("fork"), Level("iteration"))
"""JMH's two levels; its files do not contain the cost of a JVM's start."""

FREE_CELLS = 2**12
MOST_CELLS_A_VALUE = 32

_KINDS = frozenset({int, float, type(None)})


def is_too_sparse(cells: int, values: int) -> bool:
    """Return whether an array of `cells` is too large for its number of `values`.

    An array with at most `MOST_CELLS_A_VALUE` rows is never too large.

    >>> is_too_sparse(30 * 3000, 20 * 3000)
    False
    >>> is_too_sparse(10_000 * 10_000, 20_000)
    True
    """
    return cells > max(FREE_CELLS, MOST_CELLS_A_VALUE * values)


def _stacked_shape(parts: Sequence[FloatArray], axes: int) -> tuple[int, ...]:
    inner = (max((part.shape[axis] for part in parts), default=0) for axis in range(axes - 1))
    return len(parts), *inner


def stacked(parts: Sequence[FloatArray], axes: int = 2) -> FloatArray:
    """Stack arrays of different shapes, read-only, padded with NaN at their ends.

    Parameters
    ----------
    parts : sequence of ndarray of float64
        Arrays with one axis less than the result.
    axes : int
        Number of axes of the result.
    """
    if parts and all(part.shape == parts[0].shape for part in parts):
        whole = np.array(parts)
    else:
        whole = np.full(_stacked_shape(parts, axes), np.nan)
        for place, part in zip(whole, parts, strict=True):
            place[tuple(slice(size) for size in part.shape)] = part
    whole.flags.writeable = False  # the benchmark then takes it without a copy
    return whole


def read_nested(field: Field, axes: int) -> FloatArray:
    """Read nested lists of numbers and nulls, `axes` deep.

    Shorter lists are padded with missing values.

    Returns
    -------
    ndarray of float64, shape (n1, ..., n_axes)

    Raises
    ------
    InputError
        If the depth differs from `axes`, a value is not a number of at least zero, a missing
        repetition comes before one that exists, or there are no measurements.
    """
    array = _read(field, axes)
    if array.size == 0 or np.isnan(array).all():
        raise field.error("has no measurement; leave the benchmark out, or name it in 'failures'")
    place = missing_before_present(array)
    if place is not None:
        raise field.error(
            f"a missing repetition at {list(place)} precedes a present one; put missing "
            "repetitions at the end of their level"
        )
    array.flags.writeable = False  # the benchmark then takes it without a copy
    return array


def missing_before_present(array: FloatArray) -> tuple[int, ...] | None:
    """Return the index of the first missing repetition before a present one."""
    missing = np.isnan(array)
    for axis in range(array.ndim):
        # A repetition of this level is missing if everything in it is missing.
        gone = np.asarray(missing.all(axis=tuple(range(axis + 1, array.ndim))))
        early = gone[..., :-1] & ~gone[..., 1:]
        if early.any():
            return tuple(int(i) for i in np.argwhere(early)[0])
    return None


def write_nested(array: FloatArray) -> list[object]:
    """Return nested lists with null for NaN."""
    if array.ndim > 1:
        return [write_nested(part) for part in array]
    return [None if value != value else value for value in array.tolist()]


def _read(field: Field, axes: int) -> FloatArray:
    if axes == 1:
        return _innermost(field)
    parts = [_read(item, axes - 1) for item in field.items()]
    values = sum(int(np.count_nonzero(~np.isnan(part))) for part in parts)
    if is_too_sparse(math.prod(_stacked_shape(parts, axes)), values):
        raise field.error(
            "contains lists whose lengths differ too much; use the same number of repetitions for "
            "each item of a level"
        )
    return stacked(parts, axes)


def _innermost(field: Field) -> FloatArray:
    values = field.array()
    if not _KINDS.issuperset(map(type, values)):
        wrong = next(item for item in field.items() if type(item.value) not in _KINDS)
        raise wrong.wrong("a number or null, as deep as there are levels")
    try:
        row = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    except OverflowError:
        raise field.error("holds a number too large to be a measurement") from None
    given = np.array([value is not None for value in values], dtype=bool)
    bad = np.flatnonzero(given & ~(np.isfinite(row) & (row >= 0)))
    if bad.size:
        raise field.error(
            f"value {bad[0] + 1} is {row[bad[0]]:g}; a measurement is a finite number of at "
            "least zero, or null if missing"
        )
    return row


@dataclass(frozen=True, eq=False)
class ReadBenchmark:
    """The outcome of reading one benchmark: a benchmark, a failure, or both.

    Parameters
    ----------
    benchmark : Benchmark, optional
        The benchmark, if its measurements are valid.
    failure : Failure, optional
        The failure. Together with a benchmark: it ran only partly.
    """

    benchmark: Benchmark | None
    failure: Failure | None = None


def unread(identity: Identity, error: InputError) -> Failure:
    """Return the failure for an invalid record of a benchmark."""
    where = f"{error.where}: " if error.where else ""
    return Failure(identity, f"{where}{error.problem}")


INTERRUPTED = f"the run was interrupted before all of them ran{RESUMES}"
"""The reason for missing forks that were not started."""


def shortfall(rows: Sequence[FloatArray], forks: int, iterations: int) -> str | None:
    """Return a sentence on missing measurements; None if all are present."""
    for number, row in enumerate(rows, start=1):
        if row.size < iterations:
            return f"fork {number} gave {row.size} of {iterations} iterations"
    if len(rows) < forks:
        return f"{len(rows)} of {forks} forks gave a result"
    return None


def duplicate_message(places: Iterable[str]) -> str:
    """Return the message for two benchmarks of one name in a file.

    Parameters
    ----------
    places : iterable of str
        Their places in the file.
    """
    shown = listed(list(filter(None, places)), 2)
    return f"it occurs twice under one name ({shown}); rename one, or give each run its own file"


def contradiction(mode: str, unit: str) -> str | None:
    """Return a message if JMH's mode and unit contradict each other; otherwise None.

    Throughput is operations per time; every other mode is time per operation. If they contradict
    each other, the direction of a regression is unknown.
    """
    expected = "higher" if mode == "thrpt" else "lower"
    if not math.isfinite(seconds_factor(unit)) or direction_of(unit) == expected:
        return None
    return f"its mode {mode} and its unit {unit} contradict each other"


def unusable(rows: Sequence[FloatArray]) -> str | None:
    """Return the reason why rows are no valid measurements; None if they are."""
    values = np.concatenate(rows) if rows else np.empty(0)
    if not ((values >= 0) & (values < np.inf)).all():
        for number, row in enumerate(rows, start=1):
            bad = np.flatnonzero(~(np.isfinite(row) & (row >= 0)))
            if bad.size:
                value = f"{row[bad[0]]:g}, not a measurement"
                return f"iteration {bad[0] + 1} of fork {number} is {value}"
    sizes = [row.size for row in rows]
    if is_too_sparse(len(sizes) * max(sizes, default=0), sum(sizes)):
        return f"the lengths of its forks differ too much, up to {max(sizes)} iterations"
    return None


def outcome_of(
    make: Callable[[FloatArray], Benchmark],
    identity: Identity,
    rows: Sequence[FloatArray],
    failure: str | None,
) -> ReadBenchmark:
    """Return the benchmark of rows, or its failure.

    A NaN, infinite or negative value is a failure. If iterations are missing, the others are kept
    with a failure that describes the missing ones.

    Parameters
    ----------
    make : callable
        Returns the benchmark of the rows as one array.
    identity : Identity
        The benchmark.
    rows : sequence of ndarray of float64
        One row per fork.
    failure : str, optional
        The failure from the harness, or a sentence on missing measurements.
    """
    known = None if failure is None else Failure(identity, failure)
    if len({row.size for row in rows}) == 1:
        benchmark = make(stacked(rows))
        low, high = benchmark.extremes
        if low >= 0 and high < np.inf:
            return ReadBenchmark(benchmark, known)  # the usual case, and a fast check
    reason = unusable(rows)
    if reason is not None:
        return ReadBenchmark(None, Failure(identity, reason))
    return ReadBenchmark(make(stacked(rows)), known)


SecondaryMetrics: TypeAlias = tuple[dict[str, Metric], tuple[str, ...]]
"""Metrics by name, and the names of unreadable ones."""


def metric_of(unit: str, rows: Sequence[FloatArray], like: Sequence[FloatArray]) -> Metric | None:
    """Return the metric of forks' values.

    Harnesses leave out iterations without a value, so missing values are put at the end of their
    fork.

    Parameters
    ----------
    unit : str
        The harness's unit.
    rows : sequence of ndarray of float64
        One row per fork; empty for a fork without values.
    like : sequence of ndarray of float64
        The primary metric of the same forks.

    Returns
    -------
    Metric, optional
        None if there are more values than iterations, one is negative, or none is a number.
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
    if not (values.size and values.min() >= 0 and values.max() < np.inf):  # the rare case
        values[np.isinf(values)] = np.nan
        if np.isnan(values).all() or (values < 0).any():
            return None
    values.flags.writeable = False  # the metric then takes it without a copy
    return Metric(unit, values)


def appended(first: Benchmark, second: Benchmark) -> dict[str, Metric]:
    """Concatenate the metrics of two runs of a benchmark on the outermost level.

    A metric that one run lacks is NaN there. A metric with different units in the two runs is
    omitted.
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
