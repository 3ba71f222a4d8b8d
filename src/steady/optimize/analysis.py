"""Steps 1 to 3 of a plan: check the number of measurements, steady state and fork similarity.

If a benchmark cannot be planned because measurements are missing, `advice` describes a full run
that would help.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Literal, TypeVar

import numpy as np

from steady.model import Benchmark, FloatArray, Identity, Suite
from steady.optimize.cost import configuration_of
from steady.optimize.strategy import MIN_FORKS
from steady.optimize.warm_up import ENOUGH_ITERATIONS, shortest_fork, warm_up_of
from steady.parallel import workers
from steady.plan.suite_plan import BenchmarkPlan, Plan
from steady.similarity import Similarity, similarity
from steady.steadystate import BY_LENGTH, SHORTEST, SteadyState

Result = TypeVar("Result")

ENOUGH_FORKS = 2
"""Minimum number of forks to compare forks with each other."""

Progress = Callable[[int, int, str], None]
"""Callable with the number of finished benchmarks, their total, and the label of the next."""

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
    passes: int = 1,
) -> Iterator[Result]:
    """Yield the results of one pass over a suite, and report the progress before each.

    Parameters
    ----------
    suite : Suite
        The benchmarks, in their order.
    progress : callable, optional
        Called before the result of each benchmark.
    results : iterator
        One result for each benchmark.
    before, passes : int
        Number of finished passes, and of all passes.
    """
    benchmarks = suite.benchmarks
    for done, benchmark in enumerate(benchmarks, start=before * len(benchmarks)):
        if progress is not None:
            progress(done // passes, len(benchmarks), benchmark.identity.label)
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
    """Return the reason why a benchmark cannot be planned; None if it can.

    The first `warmup` iterations of `series`, shape (forks, iterations), are warm-up iterations of
    the harness.
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


LONGER = 2
"""The suggested run has this many times the length of the run that was too short."""

Why = Literal["no operation", "too few", "unsteady"]


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice for some benchmarks.

    Parameters
    ----------
    why : {"no operation", "too few", "unsteady"}
        The missing property: an operation in each iteration, enough forks and iterations, or a
        steady state.
    benchmarks : tuple of Identity
        The benchmarks concerned.
    forks, iterations : int
        Number of forks of the new full run, and of iterations of a fork.
    iteration_seconds : float
        Length of its iterations, in seconds.
    can_reduce : bool
        Whether they can be planned from the second half of the measurements (``unsteady`` only).
    """

    why: Why
    benchmarks: tuple[Identity, ...]
    forks: int
    iterations: int
    iteration_seconds: float
    can_reduce: bool = False


def advice(suite: Suite, plan: Plan) -> tuple[Advice, ...]:
    """Return advice for the benchmarks that have no plan because measurements are missing.

    Parameters
    ----------
    suite : Suite
        The full run.
    plan : Plan
        The plan made from it.

    Returns
    -------
    tuple of Advice
        One item for each reason. Benchmarks for which another run would not help are omitted.
    """
    by_reason: dict[Why, list[Benchmark]] = {}
    for benchmark in suite.benchmarks:
        why = _reason(benchmark, plan[benchmark.identity])
        if why is not None:
            by_reason.setdefault(why, []).append(benchmark)
    reducing = plan.options.get("unsteady") == "reduce"
    return tuple(_advice(why, those, reducing) for why, those in by_reason.items())


def _reason(benchmark: Benchmark, entry: BenchmarkPlan) -> Why | None:
    series = benchmark.fork_times
    if np.isinf(series).any():
        return "no operation"
    if entry.status != "full" or entry.stability is not None:
        return None  # a strategy has chosen its configuration
    if shortage(series, benchmark.warmup) is None:
        return "unsteady"
    few = len(series) < ENOUGH_FORKS or shortest_fork(series) < ENOUGH_ITERATIONS
    return "too few" if few else None


def _advice(why: Why, benchmarks: list[Benchmark], reducing: bool) -> Advice:
    configurations = [configuration_of(benchmark) for benchmark in benchmarks]
    iterations = max(max(benchmark.forks.shape[1] for benchmark in benchmarks), ENOUGH_ITERATIONS)
    seconds = max(configuration.iteration_seconds for configuration in configurations)
    halves = (b.fork_times[:, b.fork_times.shape[1] // 2 :] for b in benchmarks)
    return Advice(
        why,
        tuple(benchmark.identity for benchmark in benchmarks),
        max(MIN_FORKS, *(benchmark.forks.shape[0] for benchmark in benchmarks)),
        max(iterations * LONGER, SHORTEST) if why == "unsteady" else iterations,
        ceil(seconds * LONGER * 1000) / 1000 if why == "no operation" else seconds,
        why == "unsteady" and not reducing and max(map(shortest_fork, halves)) >= ENOUGH_ITERATIONS,
    )
