"""How long a warm-up may last while a benchmark runs, and what forks that stay cold can show.

Every number on it stands here: the detector that ends a warm-up is `steady.steadystate.ONLINE`, its
use for running forks is `steady.execution.live_stop`.
"""

import math

from steady.steadystate.online import BLOCKS

WARM_SECONDS = 3.0
"""If forks get seconds in place of iterations, none is called warm before it ran this long."""

PATIENCE = 2.0
"""Forks that are not warm at the end of their time may take this many times as long: what they took
so far would be lost otherwise."""

SPARE_SECONDS = 3.0
"""The part of a fork's timeout that is kept for its end, if it judges its warm-up by itself."""

SHORTEST_JUDGED = 3 * BLOCKS
"""If iterations are long, forks may take the time of this many before they are called cold: fewer
than ``2 * BLOCKS`` cannot be judged at all."""

COLD_TIMES = 2.0
"""By this factor the ratio of two forks may still change that are not warm after `COLD_SECONDS`. In
published suites, two unlike benchmarks of a project change more in 3 % of all cases
(`evaluation.warm_up`), and base and head are more alike."""

COLD_SECONDS = 6.0
"""What had less time to become warm may still change by any factor."""

_ROUNDS = 3
"""Rounds before the first interim analysis."""

_REST = 0.4
"""Share of a run without a plan that is not spent on warm-up."""


def stays_cold(seconds: float, expected: float) -> bool:
    """Tell whether a fork took longer than expected because it did not become warm in time."""
    return seconds > PATIENCE * expected


def largest_warm_up_factor(cold_seconds: list[float]) -> float:
    """Return by which factor the ratio of forks may still change.

    Parameters
    ----------
    cold_seconds : list of float
        After how many seconds each cold fork was stopped; empty if all were warm.
    """
    if not cold_seconds:
        return 1.0
    return COLD_TIMES if min(cold_seconds) >= COLD_SECONDS else math.inf


def exceeds_warm_up(difference: float) -> bool:
    """Tell whether a difference is larger than cold forks can explain.

    Parameters
    ----------
    difference : float
        Absolute logarithm of a ratio; infinite if it is unknown.
    """
    return math.log(COLD_TIMES) < difference < math.inf


def time_to_warm_up(benchmarks: int, seconds: float) -> float:
    """Return a time budget in which forks can become warm that could not in so many seconds.

    Parameters
    ----------
    benchmarks : int
        How many of them there are.
    seconds : float
        How long one fork had.

    Returns
    -------
    float
        Whole minutes, in seconds: each benchmark has three rounds of two forks, each fork has twice
        as long, and `_REST` of the time is for JVM starts, measurements and what is open then.
    """
    return 60.0 * math.ceil(benchmarks * _ROUNDS * 2 * 2 * seconds / (1 - _REST) / 60)
