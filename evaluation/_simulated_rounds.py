"""Simulation of interleaved rounds, as `steady run` would have measured recorded forks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation._jmh_steady import ITERATION_SECONDS
from steady.engine.unplanned import MOST_MEASURED, RULE
from steady.execution.live_stop import LiveStop
from steady.execution.warm_up import PATIENCE, SHORTEST_JUDGED, WARM_SECONDS
from steady.harness.known_facts import until_an_operation_ends
from steady.model import ExecutionConfiguration, FloatArray

FORK_SECONDS = WARM_SECONDS + RULE.minimum * ITERATION_SECONDS
"""Expected seconds of a fork: the shortest time of a run without a plan."""

LONGEST_SECONDS = 35.0
"""Timeout of a fork in a run of five minutes: `FIRST_SHARE` of the time for six forks."""

KEPT = MOST_MEASURED + 1
"""Largest number of kept iterations: one more runs after the decision to end the measurement."""

_LONG = ExecutionConfiguration(1, 10_000, MOST_MEASURED, ITERATION_SECONDS, ITERATION_SECONDS)


@dataclass(frozen=True, slots=True)
class KeptPart:
    """The iterations of two interleaved forks that a run keeps.

    Parameters
    ----------
    start, stop : int
        First kept iteration, and the first one after them.
    cold_seconds : float
        Seconds after which the forks were stopped because they were not warm; 0 if they were.
    """

    start: int
    stop: int
    cold_seconds: float

    def of(self, base: FloatArray, head: FloatArray) -> FloatArray:
        """Return the kept iterations of both forks, shape (2, `KEPT`), padded with NaN."""
        kept = np.full((2, KEPT), np.nan)
        count = self.stop - self.start
        kept[0, :count] = base[self.start : self.stop]
        kept[1, :count] = head[self.start : self.stop]
        return kept


def part_from(start: int) -> KeptPart:
    """Return the shortest measurement of warm forks, from an iteration on."""
    return KeptPart(start, start + RULE.minimum + 1, 0.0)


def kept_part(base: FloatArray, head: FloatArray) -> KeptPart:
    """Run two recorded forks interleaved until the live stop ends both.

    The data contain neither compiler times nor processor times, so only elapsed times are judged.

    Parameters
    ----------
    base, head : ndarray of float64, shape (iterations,)
        Seconds per operation of iterations of 0.1 s, from the start of each fork.

    Raises
    ------
    ValueError
        If the live stop needs more iterations.
    """
    clock = _Clock(base, head)
    live = LiveStop(RULE, _LONG, 2, clock.left)
    for place, times in enumerate(zip(base.tolist(), head.tolist(), strict=True), 1):
        clock.place = place
        if place == clock.warm_up:  # the last warm-up iteration is not judged
            continue
        live.feed(*times, hold=clock.seconds < WARM_SECONDS)
        if live.warm and not clock.warm_up:
            clock.warm_up = place + 1
            cold_seconds = clock.seconds if live.cold else 0.0
        if live.stopped is not None and place < len(base):
            return KeptPart(clock.warm_up, place + 1, cold_seconds)
    raise ValueError(f"{len(base)} iterations are too few for the live stop")


class _Clock:
    """The time of two interleaved forks, in seconds of each."""

    def __init__(self, base: FloatArray, head: FloatArray) -> None:
        both = [until_an_operation_ends(ITERATION_SECONDS, side, 1) for side in (base, head)]
        self._each = np.mean(both, axis=0)
        self._ends = np.cumsum(self._each)
        self.place = 0
        """Number of iterations so far."""
        self.warm_up = 0
        """Number of iterations of the warm-up; 0 until it is decided."""

    @property
    def seconds(self) -> float:
        """The time now, rounded like the tenths of a second of the recorded iterations."""
        return round(float(self._ends[self.place - 1]), 6)

    def left(self) -> float:
        """Return the number of iterations that still fit into the time limit (see `Stopper`)."""
        if self.warm_up:
            pace = float(np.mean(self._each[self.warm_up : self.place]))
            return (FORK_SECONDS - self.seconds) / pace
        pace = float(np.median(self._each[: self.place]))
        judged = (SHORTEST_JUDGED + RULE.minimum + 1) * pace
        longest = PATIENCE * FORK_SECONDS
        limit = max(longest, judged) if judged <= LONGEST_SECONDS else longest
        return (limit - self.seconds) / pace - 1
