"""The warm-up of a benchmark, from a detector for each fork or a test of all forks together.

A detector's result alone is not sufficient, so the warm-up is extended until the first measured
iterations are as fast as the last ones (`required_warmup`). Forks that are too short for any
detector have no warm-up if the first iterations show no drift; otherwise their warm-up is unknown
(`no_warmup`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from steady.model import FloatArray
from steady.optimize.drift import Drift
from steady.plan.judged_by import DRIFT_TEST, title_of
from steady.stats.samples import IntArray
from steady.steadystate import BY_LENGTH, ONSET, SHORTEST, SteadyState, detect, detector_for

ENOUGH_ITERATIONS = 10
"""Minimum iterations of a fork for steady-state detection."""

NEARLY_ALL = 0.9
"""Fraction of the steady forks for which the warm-up must be long enough."""

LATEST = 0.75
"""Latest start of the steady state in a short fork, as a fraction of its iterations.

Even a constant drift is small in the few iterations that remain.
"""

DRIFT = 0.03
"""Largest relative difference between first and last iterations that counts as steady."""

ONSET_START: Mapping[str, float] = {"probability": 1e-12}
"""Options of `onset` for short forks; with them, it returns a start even for unsteady forks.

The drift test of all forks then decides whether the benchmark is steady.
"""


@dataclass(frozen=True, slots=True)
class WarmUp:
    """The end of a benchmark's warm-up.

    Parameters
    ----------
    judge : str
        Registered name of the detector used, or `DRIFT_TEST`.
    states : tuple of SteadyState
        The result for each fork.
    end : int, optional
        Recorded iterations after which nearly all forks are steady; None if they are not steady.
    reason : str
        Reason for `end`, for the report.
    ends_without : tuple of int or None
        The value of `end` with each fork left out.
    """

    judge: str
    states: tuple[SteadyState, ...]
    end: int | None
    reason: str
    ends_without: tuple[int | None, ...]


def warm_up_of(series: FloatArray, detector: str) -> WarmUp:
    """Find the warm-up of one benchmark.

    Parameters
    ----------
    series : ndarray, shape (forks, iterations)
        Times; NaN at the end of a shorter fork.
    detector : str
        Registered steady-state method.
    """
    by_length = detector == BY_LENGTH
    if by_length:
        detector = detector_for(shortest_fork(series))
        if not detector:
            return _by_drift_test(series)
    short = by_length and detector == ONSET
    states = tuple(detect(fork, detector, **(ONSET_START if short else {})) for fork in series)
    drift, starts = Drift(series), [state.start for state in states]
    every = np.arange(len(series))
    end, reason = required_warmup(drift, starts, every, detector, equals=short)
    without = tuple(required_warmup(drift, starts, np.delete(every, i))[0] for i in every)
    return WarmUp(detector, states, end, reason, without)


def _by_drift_test(series: FloatArray) -> WarmUp:
    """Return a warm-up of 0 if the forks together show no drift, otherwise an unknown one."""
    drift, every = Drift(series), np.arange(len(series))
    end, reason = no_warmup(drift, every)
    state = SteadyState(end, DRIFT_TEST, reason=reason)
    without = tuple(no_warmup(drift, np.delete(every, i))[0] for i in every)
    return WarmUp(DRIFT_TEST, (state,) * len(series), end, reason, without)


def shortest_fork(series: FloatArray) -> int:
    """Return the number of iterations in the shortest fork of `series` (forks, iterations)."""
    return int(np.isfinite(series).sum(axis=1).min())


def interleaved_warmup(series: FloatArray, starts: Sequence[int | None], warmup: int) -> int:
    """Return the warm-up of interleaved forks of two versions, at most `warmup`.

    Disturbances that affect both versions cancel in their difference, so a drift of the machine
    does not require a longer warm-up. A drift common to all forks is due to the benchmark, and
    requires one.

    Parameters
    ----------
    series : ndarray, shape (forks, iterations)
        Times; NaN at the end of a shorter fork.
    starts : sequence of int or None
        The detector's start for each fork.
    warmup : int
        The result of `required_warmup`, or another warm-up that is sufficient for one version.
    """
    known = [start for start in starts if start is not None]
    if not known:
        return warmup
    drift, forks = Drift(series), np.arange(len(series))
    candidates = range(min(_nearly_all(known), warmup), warmup)
    return next((start for start in candidates if not drift.is_real(start, forks, DRIFT)), warmup)


def _nearly_all(starts: Sequence[int]) -> int:
    """Return the iteration at which nearly all steady forks are steady."""
    return sorted(starts)[max(int(np.ceil(NEARLY_ALL * len(starts))) - 1, 0)]


def required_warmup(
    drift: Drift,
    starts: Sequence[int | None],
    forks: IntArray,
    judge: str = "",
    *,
    equals: bool = False,
) -> tuple[int | None, str]:
    """Return the warm-up that nearly all of the given forks require, and the reason.

    The detector's result is extended until the first measured iterations are as fast as the last
    ones.

    Parameters
    ----------
    drift : Drift
        Drift of all forks.
    starts : sequence of int or None
        The detector's start for each fork.
    forks : ndarray of int
        Indices of the forks to use.
    judge : str
        Registered name of the detector.
    equals : bool
        Whether detector and drift test have equal weight, as for short forks. If so, the reason
        gives both results, and starts in the last quarter are rejected. Otherwise, it explains why
        the detector's result was extended.

    Returns
    -------
    warmup : int or None
        Recorded iterations; None if the benchmark has no steady state.
    reason : str
        Reason, for the report.
    """
    known = sorted(start for fork in forks if (start := starts[fork]) is not None)
    title, count = title_of(judge), len(forks)
    if 2 * len(known) < count:
        return None, f"never steady in {count - len(known)} of {count} forks ({title})"
    nearly_all = _nearly_all(known)
    shortest = int(drift.lengths[forks].min())
    latest = shortest - ENOUGH_ITERATIONS // 2
    if equals:
        latest = min(latest, int(LATEST * shortest))
    settled = drift.first_stable_start(nearly_all, latest, forks, DRIFT)
    if settled is None:
        middle = known[(len(known) - 1) // 2]
        return _earliest_within_noise(drift, middle, latest, forks)
    some = "" if len(known) == count else f" in {len(known)} of {count} forks"
    steady = f"steady after {settled} iterations{some}"
    if settled == nearly_all:
        return settled, f"{steady} ({title})"
    if equals:
        return settled, f"{steady} ({title}: {nearly_all}, drift test: {settled})"
    still = _difference(drift.change(nearly_all, forks))
    return settled, (
        f"{steady}: {title}'s {nearly_all} extended, because the first measured iterations are "
        f"still {still} than the last"
    )


def no_warmup(drift: Drift, forks: IntArray) -> tuple[int | None, str]:
    """Return a warm-up of 0 if forks do not drift from the first iteration on, and the reason.

    Parameters
    ----------
    drift : Drift
        Drift of all forks.
    forks : ndarray of int
        Indices of the forks to use.

    Returns
    -------
    warmup : int or None
        0, or None if they drift: they are too short to determine the warm-up.
    reason : str
        Reason, for the report.
    """
    shortest = int(drift.lengths[forks].min())
    if max(drift.at_first(forks), drift(0, forks)) <= DRIFT:
        return 0, "steady from the first iteration on (drift test)"
    return None, (
        f"too short to detect a steady state: {shortest} iterations in a fork; record at "
        f"least {SHORTEST}"
    )


def _difference(change: float) -> str:
    """Write a ratio as slower or faster by a percentage."""
    return f"{abs(change):.1%} {'slower' if change > 0 else 'faster'}"


def _earliest_within_noise(
    drift: Drift, middle: int, latest: int, forks: IntArray
) -> tuple[int | None, str]:
    """Return the first iteration from the median fork's start on without drift beyond noise.

    `middle` is the median start of the forks.

    On a busy machine, a single fork can become steady late, and forks can drift in different ways.
    Starts after the middle of the run are not tried, because too few iterations follow.
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
                f"probably steady after {start} iterations: the remaining drift of {left:.1%} "
                "differs between forks and may be noise"
            )
    return None, f"still drifting by {drift(half, forks):.1%} after iteration {half} of {shortest}"
