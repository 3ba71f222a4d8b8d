"""Build the benchmarks of a suite from the values of their forks, for the readers of all harnesses.

A reader takes units, rows of values, secondary metrics and facts about forks from a file.
`build_benchmark` makes a benchmark of them, or its failure, and `build_suite` a suite of these.

Arrays are padded to the longest fork, within limits: with one long row among many short ones, a
file of a few megabytes could need an array that does not fit in memory.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from steady.errors import InputError
from steady.harness.fork_facts import ForkFacts, of_forks
from steady.model import Benchmark, Failure, FloatArray, Identity, Level, Metric, Suite
from steady.model.suite import RESUMES
from steady.text.numbers import listed

LEVELS = (Level("fork"), Level("iteration"))
"""The usual levels; a harness that knows the cost of a process's start has its own."""

FREE_CELLS = 2**12
MOST_CELLS_A_VALUE = 32


def is_too_sparse(cells: int, values: int) -> bool:
    """Return whether an array of `cells` is too large for its number of `values`.

    Always False for up to `MOST_CELLS_A_VALUE` rows.

    >>> is_too_sparse(30 * 3000, 20 * 3000)
    False
    >>> is_too_sparse(10_000 * 10_000, 20_000)
    True
    """
    return cells > max(FREE_CELLS, MOST_CELLS_A_VALUE * values)


def stacked_shape(parts: Sequence[FloatArray], axes: int) -> tuple[int, ...]:
    """Return the shape of `stacked`."""
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
        whole = np.full(stacked_shape(parts, axes), np.nan)
        for place, part in zip(whole, parts, strict=True):
            place[tuple(slice(size) for size in part.shape)] = part
    whole.flags.writeable = False  # the benchmark then takes it without a copy
    return whole


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


def failed(identity: Identity, reason: str) -> ReadBenchmark:
    """Return the outcome of a benchmark without valid measurements."""
    return ReadBenchmark(None, Failure(identity, reason))


def unread(error: InputError) -> str:
    """Return the reason for the failure of a benchmark with an invalid record."""
    return f"{error.where}: {error.problem}" if error.where else error.problem


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
    """Return the message on two benchmarks with one name, from their positions in the file."""
    shown = listed(list(filter(None, places)), 2)
    return f"it occurs twice under one name ({shown}); rename one, or give each run its own file"


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


def build_benchmark(
    identity: Identity,
    unit: str,
    rows: Sequence[FloatArray],
    failure: str | None,
    facts: Sequence[ForkFacts] = (),
    **known: Any,
) -> ReadBenchmark:
    """Return the benchmark of rows, or its failure.

    A NaN, infinite or negative value is a failure. If iterations are missing, the others are kept,
    and a failure names the missing ones.

    Parameters
    ----------
    identity : Identity
        The benchmark.
    unit : str
        Unit of the values.
    rows : sequence of ndarray of float64
        One row per fork.
    failure : str, optional
        The failure from the harness, or a sentence on missing measurements.
    facts : sequence of ForkFacts
        Facts about each fork; empty if unknown.
    **known
        Other arguments of `Benchmark`; `levels` is `LEVELS` by default.
    """
    known = {"levels": LEVELS, **known, **of_forks(facts)}
    alike = len({row.size for row in rows}) == 1
    benchmark = Benchmark(identity, unit, stacked(rows), **known) if alike else None
    # The usual case is checked fast.
    if benchmark is None or not (benchmark.extremes[0] >= 0 and benchmark.extremes[1] < np.inf):
        if reason := unusable(rows):
            return failed(identity, reason)
        benchmark = benchmark or Benchmark(identity, unit, stacked(rows), **known)
    return ReadBenchmark(benchmark, None if failure is None else Failure(identity, failure))


def build_suite(
    harness: str, source: str, outcomes: Iterable[ReadBenchmark], **known: Any
) -> Suite:
    """Return the suite of a file, with the first failure of each benchmark.

    Parameters
    ----------
    harness, source : str
        Name of the harness, and of the file.
    outcomes : iterable of ReadBenchmark
        In the order of the file.
    **known
        Other arguments of `Suite`.
    """
    every = list(outcomes)
    return Suite(
        tuple(one.benchmark for one in every if one.benchmark is not None),
        harness=harness,
        sources=(source,),
        failures=one_each(one.failure for one in every if one.failure is not None),
        **known,
    )


def one_each(failures: Iterable[Failure]) -> tuple[Failure, ...]:
    """Return the first failure of each benchmark."""
    first: dict[Identity, Failure] = {}
    for failure in failures:
        first.setdefault(failure.identity, failure)
    return tuple(first.values())


Metrics: TypeAlias = tuple[dict[str, Metric], tuple[str, ...]]
"""Secondary metrics by name, and the names of unreadable ones."""


def collect_metrics(metrics: Iterable[tuple[str, Metric | None]]) -> Metrics:
    """Return secondary metrics by name, and the names of those that are None or occur again."""
    known: dict[str, Metric] = {}
    unread: dict[str, None] = {}
    for name, metric in metrics:
        if metric is None or name in known:
            unread[name] = None
        else:
            known[name] = metric
    return known, tuple(unread)


def metric_of(unit: str, rows: Sequence[FloatArray], like: Sequence[FloatArray]) -> Metric | None:
    """Return a secondary metric from its values in each fork.

    Harnesses omit iterations without a value, so missing values are padded at the end of a fork.

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
        None if the values do not belong to the same iterations: there are more of them, one is
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
    if not (values.size and values.min() >= 0 and values.max() < np.inf):  # the rare case
        values[np.isinf(values)] = np.nan
        if np.isnan(values).all() or (values < 0).any():
            return None
    values.flags.writeable = False  # the metric then takes it without a copy
    return Metric(unit, values)
