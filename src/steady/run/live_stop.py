"""Live stopping: when the warm-up of a running fork is over, and when its measurement may end."""

from __future__ import annotations

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

    Raises
    ------
    InputError
        If a name is unknown, or a number out of its range.
    """

    method: str
    metric: str = "rciw3"
    threshold: float = 0.01
    minimum: int = 5

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
    """

    def __init__(self, rule: StopRule, configuration: ExecutionConfiguration) -> None:
        self._rule = rule
        self._most = configuration.iterations
        self._total = configuration.warmup_iterations + configuration.iterations
        self._longest_warmup = configuration.warmup_iterations or max(
            0, configuration.iterations - rule.minimum
        )
        self._online = ONLINE[rule.method].value()
        self._stability = StabilityStop(rule.metric, rule.threshold, rule.minimum)
        self._times: list[float] = []
        self._warmup: int | None = None
        self._stopped: Stopped | None = None

    @property
    def stopped(self) -> Stopped | None:
        """The part of the fork that is kept; None while it runs."""
        return self._stopped

    @property
    def exhausted(self) -> bool:
        """Whether the fork has no more iterations."""
        return len(self._times) >= self._total

    def feed(self, time: float) -> None:
        """Take the next iteration's time per operation; after the end, ignore it.

        Raises
        ------
        InputError
            If it is not a finite number.
        """
        if self._stopped is not None:
            return
        self._times.append(time)
        fresh = [time] if self._warmup is not None else self._after_warmup(time)
        stable = [self._stability.feed(measured) for measured in fresh][-1:] == [True]
        measured = len(self._times) - (self._warmup or 0)
        if stable or (fresh and measured >= self._most) or self.exhausted:
            self._stopped = self._conclude(measured, stable=stable)

    def _after_warmup(self, time: float) -> list[float]:
        """Return the iterations that are already measured when the warm-up ends."""
        self._online.feed(time)
        start = self._online.start
        if start is None and len(self._times) < self._longest_warmup:
            return []
        self._warmup = self._longest_warmup if start is None else start
        return self._times[self._warmup :]

    def _conclude(self, measured: int, *, stable: bool) -> Stopped:
        rule, start = self._rule, self._online.start
        stability = f"{rule.metric} {self._stability.stability:.4g}"
        reason = (
            f"{stability}, at or under {rule.threshold:g}"
            if stable
            else f"as many iterations as it may have, {stability} above {rule.threshold:g}"
        )
        if start is None:
            reason = f"not steady within {self._longest_warmup} iterations; {reason}"
        return Stopped(rule.method, start, self._warmup or 0, measured, reason)
