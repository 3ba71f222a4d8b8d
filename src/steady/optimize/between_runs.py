"""The error that another run adds to a result, beyond the differences between forks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from steady.harness import harness_named
from steady.model import Benchmark, FloatArray, Suite
from steady.optimize.analysis import ENOUGH_FORKS
from steady.special import fdtri

LEAST_DIFFERENCES = 10
"""Fewer differences between runs than this say more about chance than about the machine."""


@dataclass(frozen=True, slots=True)
class BetweenRuns:
    """How much runs of one version differ, compared with the forks of one run.

    Parameters
    ----------
    ratio : float
        Standard deviation between runs, in standard deviations between forks.
    runs : int
        Number of earlier runs that it was learnt from; 0: it is assumed, from public results.
    """

    ratio: float
    runs: int = 0


def between_runs(suite: Suite, earlier: Sequence[Suite] = ()) -> BetweenRuns:
    """Return how much runs of a suite differ, beyond what their forks explain.

    Parameters
    ----------
    suite : Suite
        The full run.
    earlier : sequence of Suite
        Runs before it, in order or in reverse order. Base and head of one run are not two runs, so
        of several results that name the same rounds only the first counts.

    Returns
    -------
    BetweenRuns
        For the whole suite. It is assumed if there are fewer than `LEAST_DIFFERENCES`
        differences between one run of a benchmark and the next.

    Notes
    -----
    A fork's level is the logarithm of the mean of its measurements after the warm-up, or of their
    second half if there was none. With a and b forks of variance s^2, the squared difference of
    two runs' levels is expected to be ``s^2 (1/a + 1/b) + 2 (ratio s)^2``. Divided by s^2, its
    median is known for a ratio of 0 (Fisher's F). The ratio follows from how far the median of
    the suite exceeds it. A few benchmarks that did change do not move a median.
    """
    excesses: list[float] = []
    used: set[int] = set()
    for benchmark in suite.benchmarks:
        held = [(0, benchmark)]
        for number, run in enumerate(earlier, start=1):
            same = run.get(benchmark.identity)
            if same is None or same.unit != benchmark.unit:
                continue
            if not any(_of_one_run(same, known) for _, known in held):
                held.append((number, same))
        levels = [(number, of_forks) for number, b in held if (of_forks := _levels(b)) is not None]
        for (_, one), (number, other) in pairwise(levels):
            excesses.extend(_excess(one, other))
            used.add(number)
    if len(excesses) < LEAST_DIFFERENCES:
        return BetweenRuns(round(harness_named(suite.harness).cost.between_runs, 6))
    ratio = float(np.sqrt(max(float(np.median(excesses)), 0.0)))
    return BetweenRuns(round(ratio, 6), len(used))  # as exact as the plan's file


def _of_one_run(one: Benchmark, other: Benchmark) -> bool:
    """Tell whether two results come from the same rounds of an interleaved run."""
    return not set(filter(None, one.blocks)).isdisjoint(other.blocks)


def _levels(benchmark: Benchmark) -> FloatArray | None:
    """Return the level of each fork; None without two positive ones."""
    times = benchmark.fork_times[:, benchmark.warmup :]
    if benchmark.warmup == 0:
        times = times[:, times.shape[1] // 2 :]
    times = times[np.isfinite(times).any(axis=1)]
    if len(times) < ENOUGH_FORKS or not benchmark.in_range:
        return None
    means = np.nanmean(times, axis=1)
    return np.log(means) if (means > 0).all() and np.isfinite(means).all() else None


def _excess(one: FloatArray, other: FloatArray) -> Iterator[float]:
    """Yield the variance between two runs beyond that of their forks, in variances of a fork.

    A run that is compared with itself is left out.
    """
    if np.array_equal(one, other):
        return
    freedoms = len(one) - 1, len(other) - 1
    squares = freedoms[0] * one.var(ddof=1) + freedoms[1] * other.var(ddof=1)
    share = 1 / len(one) + 1 / len(other)
    forks = float(squares) / sum(freedoms) * share
    if forks > 0:
        quotient = float(one.mean() - other.mean()) ** 2 / forks
        yield (quotient / float(fdtri(1, sum(freedoms), 0.5)) - 1) * share / 2
