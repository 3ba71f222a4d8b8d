"""The measurements of single forks as a benchmark, or the reason for its failure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from steady.model import Benchmark, Failure, FloatArray, Identity, Level
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
