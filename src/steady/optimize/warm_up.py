"""The warm-up of a benchmark, by a detector for each fork or from all forks together.

A detector's answer alone is not enough, so the warm-up is extended until the first measured
iterations are as fast as the last ones (`required_warmup`). Forks that are too short for any
detector have no warm-up if they do not drift from their first iterations on, and are else too short
to tell (`no_warmup`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from steady.model import FloatArray
from steady.optimize.drift import Drift
from steady.plan.judged_by import DRIFT_TEST, title_of
from steady.stats.samples import IntArray
from steady.steadystate import SteadyState, detect
from steady.steadystate.by_length import NAME as BY_LENGTH
from steady.steadystate.by_length import ONSET, SHORTEST, detector_for

ENOUGH_ITERATIONS = 10
"""Fewest iterations of a fork in which a steady state is looked for."""

NEARLY_ALL = 0.9
"""The warm-up must be long enough for this share of the steady forks."""

LATEST = 0.75
"""Of short forks, the share after which no steady state is looked for: what drifts all the time
drifts little in the few iterations that are left."""

DRIFT = 0.03
"""Largest relative distance between first and last steady iterations that counts as steady."""

ONSET_START: Mapping[str, float] = {"probability": 1e-12}
"""Options with which `onset` gives a start also where people would call a short fork unsteady.

Whether the benchmark is steady is then for the drift test to say, which sees all forks.
"""


@dataclass(frozen=True, slots=True)
class WarmUp:
    """The end of a benchmark's warm-up.

    Parameters
    ----------
    judge : str
        Registered name of the detector that judged each fork, or `DRIFT_TEST`.
    states : tuple of SteadyState
        The answer for each fork.
    end : int, optional
        Recorded iterations after which nearly all forks are steady; None: not steady.
    reason : str
        Why, in plain words.
    ends_without : tuple of int or None
        What `end` would be without each of the forks in turn.
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
            return _too_short(series)
    short = by_length and detector == ONSET
    states = tuple(detect(fork, detector, **(ONSET_START if short else {})) for fork in series)
    drift, starts = Drift(series), [state.start for state in states]
    every = np.arange(len(series))
    end, reason = required_warmup(drift, starts, every, detector, equals=short)
    without = tuple(required_warmup(drift, starts, np.delete(every, i))[0] for i in every)
    return WarmUp(detector, states, end, reason, without)


def _too_short(series: FloatArray) -> WarmUp:
    """Return no warm-up if the forks together show none, or an unknown one."""
    drift, every = Drift(series), np.arange(len(series))
    end, reason = no_warmup(drift, every)
    state = SteadyState(end, DRIFT_TEST, reason=reason)
    without = tuple(no_warmup(drift, np.delete(every, i))[0] for i in every)
    return WarmUp(DRIFT_TEST, (state,) * len(series), end, reason, without)


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
    drift: Drift,
    starts: Sequence[int | None],
    forks: IntArray,
    judge: str = "",
    *,
    equals: bool = False,
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
    judge : str
        Registered name of the detector.
    equals : bool
        Whether detector and drift test judge as equals, as they do for short forks: the reason then
        says what each finds, and a start in the last quarter is none. Otherwise it says why the
        detector's answer was extended.

    Returns
    -------
    warmup : int or None
        Recorded iterations; None if the benchmark has no steady state.
    reason : str
        In plain words.
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
    settled = drift.settled(nearly_all, latest, forks, DRIFT)
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
    """Return a warm-up of 0 if forks do not drift from their first iterations on, and why.

    Parameters
    ----------
    drift : Drift
        Of the times of all forks.
    forks : ndarray of int
        Which of them count.

    Returns
    -------
    warmup : int or None
        None if they drift: they are too short to tell for how long.
    reason : str
        In plain words.
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
                f"probably steady after {start} iterations: the remaining drift of {left:.1%} "
                "differs between forks and may be noise"
            )
    return None, f"still drifting by {drift(half, forks):.1%} after iteration {half} of {shortest}"
