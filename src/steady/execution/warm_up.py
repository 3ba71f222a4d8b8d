"""The length of warm-ups in running benchmarks, and the evidence of forks that stay cold.

All constants are here. The detectors that end a warm-up are in `steady.steadystate.ONLINE`, and
`steady.execution.live_stop` applies them to running forks.
"""

import math

from steady.steadystate.online import BLOCKS

WARM_SECONDS = 3.0
"""Shortest warm-up of forks that have a time limit instead of a number of iterations."""

PATIENCE = 2.0
"""Factor by which forks that are cold at the end of their time may exceed it, since the time so far
would be wasted otherwise."""

SPARE_SECONDS = 3.0
"""Part of the timeout that is kept for the end of a fork with a live stop."""

SHORTEST_JUDGED = 3 * BLOCKS
"""If iterations are long, forks may take the time of this many before they count as cold: fewer
than ``2 * BLOCKS`` cannot be judged."""

COLD_TIMES = 2.0
"""Factor by which the ratio of two forks may still change if they are cold after `COLD_SECONDS`. In
published suites, the ratio of two different benchmarks of a project changes more in 3 % of all
cases (`evaluation.warm_up`), and base and head are more similar."""

COLD_SECONDS = 6.0
"""The ratio of forks that are cold after a shorter time may still change by any factor."""

_ROUNDS = 3
"""Rounds before the first interim analysis."""

_REST = 0.4
"""Share of a run without a plan that is not spent on warm-up."""


def stays_cold(seconds: float, expected: float) -> bool:
    """Return whether a fork took longer than expected because it did not become warm in time."""
    return seconds > PATIENCE * expected


def largest_warm_up_factor(cold_seconds: list[float]) -> float:
    """Return the factor by which the ratio of forks may still change.

    Parameters
    ----------
    cold_seconds : list of float
        Seconds after which each cold fork was stopped; empty if all were warm.
    """
    if not cold_seconds:
        return 1.0
    return COLD_TIMES if min(cold_seconds) >= COLD_SECONDS else math.inf


def exceeds_warm_up(difference: float) -> bool:
    """Return whether a difference is larger than cold forks can explain.

    Parameters
    ----------
    difference : float
        Absolute logarithm of a ratio; infinite if it is unknown.
    """
    return math.log(COLD_TIMES) < difference < math.inf


def time_to_warm_up(benchmarks: int, seconds: float) -> float:
    """Return a time budget for the warm-up of forks that stayed cold.

    Parameters
    ----------
    benchmarks : int
        Number of benchmarks.
    seconds : float
        Seconds that one fork had.

    Returns
    -------
    float
        Whole minutes, in seconds: each benchmark has three rounds of two forks, each fork has twice
        as long, and `_REST` of the time is for JVM starts, measurements and further rounds.
    """
    return 60.0 * math.ceil(benchmarks * _ROUNDS * 2 * 2 * seconds / (1 - _REST) / 60)
