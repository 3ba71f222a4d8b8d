"""Live stopping: when the warm-up of running forks is over, and when their measurement may end.

Two forks that take turns end together: when both are warm, and both have measured enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from steady.errors import InputError
from steady.model import ExecutionConfiguration
from steady.stats import METRICS
from steady.steadystate import ONLINE, StabilityStop

LEAST_MEASURED = 3
"""With fewer repetitions a metric has no meaning (µOpTime, section 3.3)."""

STOPPABLE_MODES = frozenset({"avgt", "thrpt"})
"""Modes of JMH whose iterations have one score each, and a given length."""


@dataclass(frozen=True, slots=True)
class StopRule:
    """The rule that stops a fork.

    Parameters
    ----------
    method : str
        A name in `steady.steadystate.ONLINE`: it says when the warm-up is over.
    metric : str
        A name in `steady.stats.METRICS`: it says when the fork has measured enough.
    threshold : float
        Largest value of the metric that is stable.
    minimum : int
        Iterations that are measured in any case, at least 3.
    timed : bool
        Whether forks also end when they have taken the seconds that they should take
        (`Trial.seconds`). The warm-up may take what the measurement leaves.

    Raises
    ------
    InputError
        If a name is unknown, or a number out of its range.
    """

    method: str
    metric: str = "rciw3"
    threshold: float = 0.01
    minimum: int = 5
    timed: bool = False

    def __post_init__(self) -> None:
        ONLINE[self.method], METRICS[self.metric]
        if self.minimum < LEAST_MEASURED:
            raise InputError(
                f"{self.minimum} measured iterations are too few to stop by; give at least "
                f"{LEAST_MEASURED}"
            )
        StabilityStop(self.metric, self.threshold, self.minimum)

    def __str__(self) -> str:
        return (
            f"{self.method}, then {self.metric} of at least {self.minimum} iterations at or under "
            f"{self.threshold:g}"
        )

    def longest_warmup(self, configuration: ExecutionConfiguration) -> int:
        """Return the most iterations that the warm-up of a fork may take."""
        return configuration.warmup_iterations or max(0, configuration.iterations - self.minimum)

    @property
    def least(self) -> int:
        """Iterations before which the method never says that the warm-up is over."""
        return ONLINE[self.method].value().least


@dataclass(frozen=True, slots=True)
class Stopped:
    """The part of a fork that is kept.

    Parameters
    ----------
    method : str
        The method that judged the warm-up.
    start : int or None
        First steady iteration, 0-based; None if the method did not find one.
    warmup : int
        Number of iterations left out: `start`, or the longest warm-up.
    iterations : int
        Number of iterations kept.
    reason : str
        Why it ended, in one line.
    """

    method: str
    start: int | None
    warmup: int
    iterations: int
    reason: str


def endless() -> float:
    """Return how many further iterations a fork has time for, where its time does not count."""
    return math.inf


class LiveStop:
    """Gets one iteration after the other, and says when the fork has measured enough.

    The configuration is an upper bound for warm-up and measured iterations, as in Laaber et al.
    2020. If it has no warm-up iterations, the warm-up may take all but those that are measured in
    any case. If a method puts the start of the steady state into the past, the iterations since
    then count as measurements.

    Parameters
    ----------
    rule : StopRule
        The rule that stops the fork.
    configuration : ExecutionConfiguration
        The upper bound.
    sides : int
        How many forks run in turn, and end together: when the last one is warm, and what each has
        measured since then is stable.
    left : callable
        Returns how many further iterations there is time for.
    apart : bool
        Whether iterations are only measured after the warm-up has ended: until then, none of them
        counts, wherever the method puts the start of the steady state.
    """

    def __init__(
        self,
        rule: StopRule,
        configuration: ExecutionConfiguration,
        sides: int = 1,
        left: Callable[[], float] = endless,
        *,
        apart: bool = False,
    ) -> None:
        self._rule = rule
        self._apart = apart
        self._left = left
        self._most = configuration.iterations
        self._total = configuration.warmup_iterations + configuration.iterations
        self._longest_warmup = rule.longest_warmup(configuration)
        self._online = [ONLINE[rule.method].value() for _ in range(sides)]
        self._stability = [
            StabilityStop(rule.metric, rule.threshold, rule.minimum) for _ in range(sides)
        ]
        self._times: list[tuple[float, ...]] = []
        self._warmup: int | None = 0 if apart and not self._longest_warmup else None
        self._stopped: Stopped | None = None

    @property
    def stopped(self) -> Stopped | None:
        """The part of the fork that is kept; None while it runs."""
        return self._stopped

    @property
    def warm(self) -> bool:
        """Whether the warm-up has ended."""
        return self._warmup is not None

    @property
    def exhausted(self) -> bool:
        """Whether the fork has no more iterations."""
        return len(self._times) >= self._total

    def feed(self, *times: float) -> None:
        """Take the next iteration's time per operation, of each side; after the end, ignore it.

        Raises
        ------
        InputError
            If one is not a finite number.
        """
        if self._stopped is not None:
            return
        self._times.append(times)
        fresh = [times] if self._warmup is not None else self._after_warmup(times)
        stable = self._is_stable(fresh)
        measured = len(self._times) - (self._warmup or 0)
        late = measured >= self._rule.minimum and self._left() < 1
        if stable or (fresh and (measured >= self._most or late)) or self.exhausted:
            self._stopped = self._conclude(measured, stable=stable)

    def _after_warmup(self, times: tuple[float, ...]) -> list[tuple[float, ...]]:
        """Return the iterations that are already measured when the warm-up ends."""
        for online, time in zip(self._online, times, strict=True):
            online.feed(time)
        start, seen = self._start, len(self._times)
        if start is None and seen < self._longest_warmup and not self._must_measure(seen):
            return []
        self._warmup = min(seen, self._longest_warmup) if start is None else start
        if self._apart:
            self._warmup = seen
        return self._times[self._warmup :]

    def _must_measure(self, seen: int) -> bool:
        """Tell whether there is only time left for what is measured: half of all, or the most."""
        left = self._left()
        return left < min(self._most, max(self._rule.minimum, (seen + left) / 2))

    @property
    def _start(self) -> int | None:
        """The first iteration in which all sides were steady."""
        starts = [online.start for online in self._online]
        known = [start for start in starts if start is not None]
        return max(known) if len(known) == len(starts) else None

    def _is_stable(self, fresh: list[tuple[float, ...]]) -> bool:
        """Take measured iterations; tell whether those of each side are stable."""
        stable = [False]
        for times in fresh:
            stable = [one.feed(t) for one, t in zip(self._stability, times, strict=True)]
        return all(stable)

    def _conclude(self, measured: int, *, stable: bool) -> Stopped:
        rule, start = self._rule, self._start
        stability = f"{rule.metric} {max(one.stability for one in self._stability):.4g}"
        bound = "as much time" if self._left() < 1 else "as many iterations"
        reason = (
            f"{stability}, at or under {rule.threshold:g}"
            if stable
            else f"{bound} as it may have, {stability} above {rule.threshold:g}"
        )
        if start is None:
            reason = f"not steady within {self._warmup} iterations; {reason}"
        return Stopped(rule.method, start, self._warmup or 0, measured, reason)
