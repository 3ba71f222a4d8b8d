"""Steps 1 to 3 of a plan: whether the data are enough, the forks agree, and they become steady."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from steady.model import Benchmark, FloatArray, Identity, Suite
from steady.optimize.drift import Drift
from steady.parallel import workers
from steady.similarity import Similarity, similarity
from steady.stats.samples import IntArray
from steady.steadystate import SteadyState, detect

Result = TypeVar("Result")

ENOUGH_FORKS = 2
"""Fewest forks that can agree or disagree."""
ENOUGH_ITERATIONS = 10
"""Fewest iterations of a fork in which a steady state is looked for."""
NEARLY_ALL = 0.9
"""The warm-up must be long enough for this share of the steady forks."""
DRIFT = 0.03
"""Largest relative distance between first and last steady iterations that counts as steady."""

Progress = Callable[[int, int, str], None]
"""Called with the number of finished benchmarks, their total, and the label of the next one."""

TOLERANCE: Mapping[str, Mapping[str, float]] = {
    "heuristic": {"tolerance": 0.05},
    "same": {"threshold": 0.05},
}
"""Options of each fork-similarity method in a plan: forks that differ a little are normal.

With the papers' options, most benchmarks are dissimilar; ``docs/methods.md`` has the figures.
"""


@dataclass(frozen=True, eq=False)
class Analysis:
    """What the full run shows about one benchmark.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    states : tuple of SteadyState
        The detector's answer for each fork; empty if there are too few measurements.
    similarity : Similarity, optional
        Whether the steady parts of the forks agree; None if there are too few measurements.
    warmup : int, optional
        Recorded iterations after which nearly all forks are steady; None: not steady.
    reason : str
        The reason for `warmup`, in plain words.
    warmups_without : tuple of int or None
        What `warmup` would be without each of the forks in turn; empty if there are too few
        measurements.
    """

    identity: Identity
    states: tuple[SteadyState, ...]
    similarity: Similarity | None
    warmup: int | None
    reason: str
    warmups_without: tuple[int | None, ...] = ()

    @property
    def starts(self) -> tuple[int | None, ...]:
        """The first steady iteration of each fork."""
        return tuple(state.start for state in self.states)


def analyze(
    suite: Suite,
    *,
    detector: str = "kb-kssd",
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
        Registered steady-state method.
    forks : str
        Registered fork-similarity method.
    jobs : int or concurrent.futures.Executor, optional
        Number of processes (None: as many as there are processors), or an executor of threads,
        processes or other machines, which is used and not shut down. The results are
        always the same.
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
    (8, 7, 8, 8, 7)
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
        Is told of each before its result is there.
    results : iterator
        One for each benchmark.
    before, rounds : int
        How many rounds are over, and how many there will be.
    """
    benchmarks = suite.benchmarks
    for done, benchmark in enumerate(benchmarks, start=before * len(benchmarks)):
        if progress is not None:
            progress(done // rounds, len(benchmarks), benchmark.identity.label)
        yield next(results)


def analyze_benchmark(
    benchmark: Benchmark, *, detector: str = "kb-kssd", forks: str = "heuristic"
) -> Analysis:
    """Analyze one benchmark; see `analyze`."""
    series = benchmark.fork_times
    problem = shortage(series, benchmark.warmup)
    if problem is not None:
        return Analysis(benchmark.identity, (), None, None, problem)
    states = tuple(detect(fork, method=detector) for fork in series)
    drift, starts = Drift(series), [state.start for state in states]
    every = np.arange(len(series))
    warmup, reason = required_warmup(drift, starts, every)
    without = tuple(required_warmup(drift, starts, np.delete(every, i))[0] for i in every)
    steady = series[:, warmup if warmup is not None else series.shape[1] // 2 :]
    agreement = None
    if shortest_fork(steady) >= ENOUGH_ITERATIONS:
        agreement = similarity(steady, method=forks, **TOLERANCE.get(forks, {}))
    return Analysis(benchmark.identity, states, agreement, warmup, reason, without)


def shortage(series: FloatArray, warmup: int = 0) -> str | None:
    """Return why `series` (forks, iterations) is too short for a plan; None if it is not.

    Its first `warmup` iterations were no measurement.
    """
    forks, iterations = series.shape
    if np.isinf(series).any():
        return "an iteration ended without a single operation; give iterations more time"
    if forks < ENOUGH_FORKS:
        return f"{forks} fork: at least {ENOUGH_FORKS} are needed to tell forks apart"
    shortest = shortest_fork(series)
    if shortest < ENOUGH_ITERATIONS:
        return (
            f"{shortest} of {iterations} iterations in a fork: at least {ENOUGH_ITERATIONS} needed"
        )
    if shortest <= warmup:
        return f"a fork ended in its warm-up, after {shortest} of {iterations} iterations"
    if (np.nanmedian(series[:, shortest // 2 :], axis=1) == 0).any():
        return "the second half of a fork is mostly 0, and an error cannot be a share of 0"
    return None


def shortest_fork(series: FloatArray) -> int:
    """Return the number of iterations in the shortest fork of `series` (forks, iterations)."""
    return int(np.isfinite(series).sum(axis=1).min())


def warmup_in_turn(series: FloatArray, starts: Sequence[int | None], warmup: int) -> int:
    """Return the warm-up of forks of two versions that take turns, at most `warmup`.

    What the machine does to both drops out of their difference, so a drift of the machine does not
    need a longer warm-up. A drift that is common to all forks belongs to the benchmark, and does
    need one.

    Parameters
    ----------
    series : ndarray, shape (forks, iterations)
        Times; NaN at the end of a shorter fork.
    starts : sequence of int or None
        The detector's start for each fork.
    warmup : int
        The result of `required_warmup`, or another warm-up that is enough for the result of one
        version.
    """
    known = [start for start in starts if start is not None]
    if not known:
        return warmup
    drift, forks = Drift(series), np.arange(len(series))
    candidates = range(min(_nearly_all(known), warmup), warmup)
    return next((start for start in candidates if not drift.is_real(start, forks, DRIFT)), warmup)


def _nearly_all(starts: Sequence[int]) -> int:
    """Return the iteration at which nearly all of the steady forks have become steady."""
    return sorted(starts)[max(int(np.ceil(NEARLY_ALL * len(starts))) - 1, 0)]


def required_warmup(
    drift: Drift, starts: Sequence[int | None], forks: IntArray
) -> tuple[int | None, str]:
    """Return the warm-up that nearly all of some forks need, and why.

    A detector's answer alone is not enough. The warm-up is extended until the first measured
    iterations are as fast as the last ones.

    Parameters
    ----------
    drift : Drift
        Of the times of all forks.
    starts : sequence of int or None
        The detector's start for each fork.
    forks : ndarray of int
        Which of them count.

    Returns
    -------
    warmup : int or None
        Recorded iterations; None if the benchmark has no steady state.
    reason : str
        In plain words.
    """
    known = sorted(start for fork in forks if (start := starts[fork]) is not None)
    count = len(forks)
    if 2 * len(known) < count:
        return None, f"never steady in {count - len(known)} of {count} forks"
    nearly_all = _nearly_all(known)
    shortest = int(drift.lengths[forks].min())
    latest = shortest - ENOUGH_ITERATIONS // 2
    settled = drift.settled(nearly_all, latest, forks, DRIFT)
    if settled is None:
        middle = known[(len(known) - 1) // 2]
        return _as_far_as_noise_lets_tell(drift, middle, latest, forks)
    text = f"steady after {settled} iterations in {len(known)} of {count} forks"
    if settled > nearly_all:
        text += f" (the detector said {nearly_all}, which still drifted)"
    return settled, text


def _as_far_as_noise_lets_tell(
    drift: Drift, middle: int, latest: int, forks: IntArray
) -> tuple[int | None, str]:
    """Return the iteration from the middle fork's start on after which only noise is left.

    The second value is the reason.

    On a busy machine a single fork may start late, and forks may drift in different ways. Starts
    after the middle of the run are not tried, because too few iterations follow them.
    """
    shortest = int(drift.lengths[forks].min())
    if middle > latest:
        few = f"steady only after iteration {middle} of {shortest}: too few iterations follow"
        return None, few
    half = shortest // 2
    for start in range(min(middle, half), half + 1):
        if not drift.is_real(start, forks, DRIFT):
            left = drift(start, forks)
            return start, (
                f"steady after {start} iterations as far as can be told: a drift of {left:.1%} "
                "after that may be noise, because the forks do not agree about it"
            )
    return None, f"still drifting by {drift(half, forks):.1%} after iteration {half} of {shortest}"
