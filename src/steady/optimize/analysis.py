"""Steps 1 to 3 of a plan: are the data enough, do the forks agree, where are they steady."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from steady.model import Benchmark, FloatArray, Identity, Suite
from steady.similarity import Similarity, similarity
from steady.steadystate import SteadyState, detect

MIN_FORKS = 2
MIN_ITERATIONS = 10
NEARLY_ALL = 0.9
"""Share of the steady forks whose start the warm-up has to reach."""
DRIFT = 0.03
"""Relative distance of the first steady iterations from the last that still counts as steady."""

TOLERANCE: Mapping[str, Mapping[str, float]] = {
    "heuristic": {"tolerance": 0.05},
    "same": {"threshold": 0.05},
}
"""What a plan asks of each fork-similarity method: forks a few percent apart are normal.

The papers' own settings call most benchmarks dissimilar; ``docs/methods.md`` has the figures.
"""


@dataclass(frozen=True, eq=False)
class Analysis:
    """What the full run tells about one benchmark.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    states : tuple of SteadyState
        The detector's answer for each fork; empty where there is too little to tell.
    similarity : Similarity, optional
        Whether the steady parts of the forks agree; None where there is too little to tell.
    warmup : int, optional
        Recorded iterations after which nearly all forks are steady; None: not steady.
    reason : str
        Why `warmup` is what it is, in plain words.
    """

    identity: Identity
    states: tuple[SteadyState, ...]
    similarity: Similarity | None
    warmup: int | None
    reason: str

    @property
    def starts(self) -> tuple[int | None, ...]:
        """The first steady iteration of each fork."""
        return tuple(state.start for state in self.states)


def analyze(suite: Suite, *, detector: str = "kb-kssd", forks: str = "heuristic") -> list[Analysis]:
    """Analyze every benchmark of a suite.

    Parameters
    ----------
    suite : Suite
        Of a full run.
    detector : str
        Registered steady-state method.
    forks : str
        Registered fork-similarity method.

    Returns
    -------
    list of Analysis
        In the suite's order.
    """
    return [analyze_benchmark(b, detector=detector, forks=forks) for b in suite.values()]


def analyze_benchmark(
    benchmark: Benchmark, *, detector: str = "kb-kssd", forks: str = "heuristic"
) -> Analysis:
    """Analyze one benchmark; see `analyze`."""
    series = benchmark.fork_times
    enough = is_enough(series)
    if enough is not None:
        return Analysis(benchmark.identity, (), None, None, enough)
    states = tuple(detect(fork, method=detector) for fork in series)
    warmup, reason = required_warmup(series, [state.start for state in states])
    steady = series[:, warmup if warmup is not None else series.shape[1] // 2 :]
    agreement = None
    if int(np.isfinite(steady).sum(axis=1).min()) >= MIN_ITERATIONS:
        agreement = similarity(steady, method=forks, **TOLERANCE.get(forks, {}))
    return Analysis(benchmark.identity, states, agreement, warmup, reason)


def is_enough(series: FloatArray) -> str | None:
    """Return why `series` (forks, iterations) is too little to plan with; None: it is enough."""
    forks, iterations = series.shape
    if np.isinf(series).any():
        return "an iteration ended without a single operation; give iterations more time"
    if forks < MIN_FORKS:
        return f"{forks} fork: at least {MIN_FORKS} are needed to tell forks apart"
    shortest = int(np.isfinite(series).sum(axis=1).min())
    if shortest < MIN_ITERATIONS:
        return f"{shortest} of {iterations} iterations in a fork: at least {MIN_ITERATIONS} needed"
    return None


def required_warmup(series: FloatArray, starts: Iterable[int | None]) -> tuple[int | None, str]:
    """Return the warm-up that nearly all forks need, and why.

    A detector's word alone is not enough: the warm-up is extended until the first measured
    iterations stand where the last ones do.

    Parameters
    ----------
    series : ndarray, shape (forks, iterations)
        Times; NaN at the end of a fork where it is shorter.
    starts : iterable of int or None
        The detector's start for each fork.

    Returns
    -------
    warmup : int or None
        Recorded iterations; None where the benchmark has no steady state.
    reason : str
        In plain words.
    """
    known = sorted(start for start in starts if start is not None)
    forks = len(series)
    if 2 * len(known) < forks:
        return None, f"never steady in {forks - len(known)} of {forks} forks"
    nearly_all = known[max(int(np.ceil(NEARLY_ALL * len(known))) - 1, 0)]
    shortest = int(np.isfinite(series).sum(axis=1).min())
    latest = shortest - MIN_ITERATIONS // 2
    settled = next(
        (start for start in range(nearly_all, latest + 1) if drift(series, start) <= DRIFT), None
    )
    if settled is None:
        return None, (
            f"still drifting by {drift(series, min(nearly_all, latest)):.1%} "
            f"after iteration {min(nearly_all, latest)}"
        )
    text = f"steady after {settled} iterations in {len(known)} of {forks} forks"
    if settled > nearly_all:
        text += f" (the detector said {nearly_all}, which still drifted)"
    return settled, text


def drift(series: FloatArray, start: int) -> float:
    """Return how far the first iterations after `start` stand from the last, as a fraction.

    The median over forks of the ratio of two medians: of the first and of the last third of
    what follows `start`, at least three iterations each.
    """
    window = max((series.shape[1] - start) // 3, 3)
    first = np.nanmedian(series[:, start : start + window], axis=1)
    last = np.array([np.median(fork[np.isfinite(fork)][-window:]) for fork in series])
    return float(abs(np.median(first / last) - 1.0))
