"""Steps 1 to 3 of a plan: check that there are enough data, steady forks, and similar forks."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from steady.model import Benchmark, FloatArray, Identity, Suite
from steady.optimize.warm_up import ENOUGH_ITERATIONS, shortest_fork, warm_up_of
from steady.parallel import workers
from steady.similarity import Similarity, similarity
from steady.steadystate import BY_LENGTH, SteadyState

Result = TypeVar("Result")

ENOUGH_FORKS = 2
"""Minimum number of forks to compare forks with each other."""

Progress = Callable[[int, int, str], None]
"""Callable that takes the number of finished benchmarks, their total, and the next one's label."""

TOLERANCE: Mapping[str, Mapping[str, float]] = {
    "heuristic": {"tolerance": 0.05},
    "same": {"threshold": 0.05},
}
"""Options of each fork-similarity method in a plan; small differences between forks are normal.

With the papers' options, the forks of most benchmarks are dissimilar; see ``docs/methods.md``.
"""


@dataclass(frozen=True, eq=False)
class Analysis:
    """The analysis of one benchmark in a full run.

    Parameters
    ----------
    identity : Identity
        The benchmark.
    states : tuple of SteadyState
        The detector's result for each fork; empty if there are too few measurements.
    similarity : Similarity, optional
        Similarity of the forks' steady parts; None if there are too few measurements.
    warmup : int, optional
        Recorded iterations after which nearly all forks are steady; None if they are not steady.
    reason : str
        The reason for `warmup`, for the report.
    warmups_without : tuple of int or None
        The value of `warmup` with each fork left out; empty if there are too few measurements.
    judge : str
        Registered name of the detector used, or "drift-test" if the forks are too short for any;
        empty if there are too few measurements.
    """

    identity: Identity
    states: tuple[SteadyState, ...]
    similarity: Similarity | None
    warmup: int | None
    reason: str
    warmups_without: tuple[int | None, ...] = ()
    judge: str = ""

    @property
    def starts(self) -> tuple[int | None, ...]:
        """The first steady iteration of each fork."""
        return tuple(state.start for state in self.states)


def analyze(
    suite: Suite,
    *,
    detector: str = BY_LENGTH,
    forks: str = "heuristic",
    jobs: int | Executor | None = 1,
    progress: Progress | None = None,
) -> list[Analysis]:
    """Analyze every benchmark of a suite.

    Parameters
    ----------
    suite : Suite
        Results of a full run.
    detector : str
        Registered steady-state method; by default chosen by the length of the forks.
    forks : str
        Registered fork-similarity method.
    jobs : int or concurrent.futures.Executor, optional
        Number of processes (None: one per processor), or an executor, which is not shut down. The
        results do not depend on it.
    progress : callable, optional
        Called before each benchmark.

    Returns
    -------
    list of Analysis
        In the suite's order.

    Examples
    --------
    >>> import numpy as np
    >>> import steady
    >>> times = 100 + np.random.default_rng(1).standard_normal((5, 60))
    >>> times[:, :8] += 50
    >>> suite = steady.Suite.of({"parse": times}, unit="ns/op", iteration_seconds=1)
    >>> [analysis] = steady.analyze(suite)
    >>> analysis.warmup
    8
    >>> analysis.starts
    (8, 8, 8, 8, 8)
    """
    work = partial(analyze_benchmark, detector=detector, forks=forks)
    with workers(jobs) as shared:
        return list(reported(suite, progress, shared.map(work, suite.benchmarks)))


def reported(
    suite: Suite,
    progress: Progress | None,
    results: Iterator[Result],
    before: int = 0,
    rounds: int = 1,
) -> Iterator[Result]:
    """Report the progress before each result of one of several rounds over a suite.

    Parameters
    ----------
    suite : Suite
        The benchmarks, in their order.
    progress : callable, optional
        Called before the result of each benchmark.
    results : iterator
        One result for each benchmark.
    before, rounds : int
        Number of finished rounds, and of all rounds.
    """
    benchmarks = suite.benchmarks
    for done, benchmark in enumerate(benchmarks, start=before * len(benchmarks)):
        if progress is not None:
            progress(done // rounds, len(benchmarks), benchmark.identity.label)
        yield next(results)


def analyze_benchmark(
    benchmark: Benchmark, *, detector: str = BY_LENGTH, forks: str = "heuristic"
) -> Analysis:
    """Analyze one benchmark; see `analyze`."""
    series = benchmark.fork_times
    problem = shortage(series, benchmark.warmup)
    if problem is not None:
        return Analysis(benchmark.identity, (), None, None, problem)
    found = warm_up_of(series, detector)
    steady = series[:, found.end if found.end is not None else series.shape[1] // 2 :]
    agreement = None
    if shortest_fork(steady) >= ENOUGH_ITERATIONS:
        agreement = similarity(steady, method=forks, **TOLERANCE.get(forks, {}))
    own = found.states, agreement, found.end, found.reason, found.ends_without, found.judge
    return Analysis(benchmark.identity, *own)


def shortage(series: FloatArray, warmup: int = 0) -> str | None:
    """Return why `series` (forks, iterations) is too short for a plan; None if it is not.

    Its first `warmup` iterations are warm-up iterations of the harness.
    """
    forks, iterations = series.shape
    if np.isinf(series).any():
        return "an iteration without a completed operation; use longer iterations"
    if forks < ENOUGH_FORKS:
        return f"{forks} fork: at least {ENOUGH_FORKS} are needed to compare forks"
    shortest = shortest_fork(series)
    if shortest < ENOUGH_ITERATIONS:
        return (
            f"{shortest} of {iterations} iterations in a fork: at least {ENOUGH_ITERATIONS} are "
            "needed"
        )
    if shortest <= warmup:
        return f"a fork ended in its warm-up, after {shortest} of {iterations} iterations"
    if (np.nanmedian(series[:, shortest // 2 :], axis=1) == 0).any():
        return "the second half of a fork is mostly 0, so relative errors are undefined"
    return None
