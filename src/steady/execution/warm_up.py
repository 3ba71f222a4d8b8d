"""The length of warm-ups in running benchmarks, and the use of forks that stay cold.

This module contains all constants. The detectors that end a warm-up are in
`steady.steadystate.ONLINE`, and `steady.execution.live_stop` applies them to running forks.
"""

import math

from steady.steadystate.online import BLOCKS

WARM_SECONDS = 3.0
"""Minimum warm-up of forks that have a time limit instead of a number of iterations."""

PATIENCE = 2.0
"""Forks that are still cold at the end of their time may take up to this multiple of it, because
the time spent on them would otherwise be wasted."""

SPARE_SECONDS = 3.0
"""Part of the timeout that is reserved for the end of a fork with a live stop."""

SHORTEST_JUDGED = 3 * BLOCKS
"""Number of iterations that a fork may run before it counts as cold, if iterations are long. A fork
with fewer than ``2 * BLOCKS`` iterations cannot be judged."""

COLD_TIMES = 2.0
"""Factor by which the ratio of two forks may still change if they are cold after `COLD_SECONDS`. In
published suites, the ratio of two different benchmarks of a project changes by a larger factor in
3 % of all cases (`evaluation.warm_up`); base and head are more similar than that."""

COLD_SECONDS = 6.0
"""Time limit in seconds below which the ratio of cold forks may still change by any factor."""

_ROUNDS = 3
"""Number of rounds before the first interim analysis."""

_REST = 0.4
"""Fraction of a run without a plan that is not spent on warm-up."""


def stays_cold(seconds: float, expected: float) -> bool:
    """Return whether a fork exceeded its expected time because it was still cold."""
    return seconds > PATIENCE * expected


def largest_warm_up_factor(cold_seconds: list[float]) -> float:
    """Return the factor by which the ratio of two forks may still change during their warm-up.

    Parameters
    ----------
    cold_seconds : list of float
        Seconds after which each cold fork was stopped; empty if all forks are warm.
    """
    if not cold_seconds:
        return 1.0
    return COLD_TIMES if min(cold_seconds) >= COLD_SECONDS else math.inf


def exceeds_warm_up(difference: float) -> bool:
    """Return whether a difference is too large to result from the warm-up of cold forks.

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
        Time limit of each fork.

    Returns
    -------
    float
        Whole minutes, in seconds. Each benchmark has three rounds of two forks with twice the time
        limit. `_REST` is the fraction of the budget for JVM starts, measurements and more rounds.
    """
    return 60.0 * math.ceil(benchmarks * _ROUNDS * 2 * 2 * seconds / (1 - _REST) / 60)
