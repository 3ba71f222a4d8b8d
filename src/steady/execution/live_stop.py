"""Live stopping: the end of the warm-up and of the measurement of running forks.

Interleaved forks end together, when all have reached steady state and all results are stable. After
the decision to end the warm-up, every fork runs one more warm-up iteration; after the decision to
end the measurement, one more measurement iteration.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from steady.errors import InputError
from steady.model import ExecutionConfiguration, FloatArray
from steady.stats import METRICS
from steady.steadystate import ONLINE, StabilityStop
from steady.steadystate.online import BLOCKS, JUDGED_FRACTION, block_medians, block_range

TOLERANCE = 0.02
"""On a quiet machine, the largest relative difference between block medians of a ratio that counts
as level (see `LevelQuotient`)."""

NOISIEST = 0.1
"""The same limit on the noisiest machine."""

FASTER = 0.2
"""A fork whose first block is slower than its last by more than this fraction is warming up."""


class LevelQuotient:
    """A detector of steady state in the ratio of the times of two interleaved forks.

    It is for noisy machines. Other load slows a machine for some seconds, so the times of a fork
    are not level, that is, the medians of blocks of iterations differ. Two forks that are
    interleaved every tenth of a second are slowed equally, so the ratio of their times is level.
    The ratio is also level while both forks warm up equally. Therefore the detector also requires
    that neither fork becomes much faster, and callers of `feed` set `hold` while compilers are
    active.

    Notes
    -----
    Measured with ``python -m evaluation.warm_up`` on pairs of forks of a benchmark in published
    suites, without and with added noise:

    ================================================  ===========  ============
    share of the pairs                                detector of  this one
                                                      the times
    ================================================  ===========  ============
    steady within 6.6 s                               45 %, 30 %   65 %, 66 %
    the measured ratio is wrong by more than 10 %     6 %, 14 %    9 %, 10 %
    ================================================  ===========  ============
    """

    def __init__(self) -> None:
        self._times: list[tuple[float, float]] = []
        self.start: int | None = None
        """First iteration in steady state; None until the ratio is level."""

    def feed(self, base: float, head: float, *, hold: bool = False) -> None:
        """Add the times per operation of two interleaved iterations.

        Parameters
        ----------
        base, head : float
            Finite times; if a time is not positive, the ratio is not considered level.
        hold : bool
            Whether other evidence shows that the warm-up is not over.
        """
        self._times.append((base, head))
        if self.start is None and not hold and self._is_level():
            self.start = len(self._times)

    def _is_level(self) -> bool:
        seen = len(self._times)
        if seen < 2 * BLOCKS:
            return False
        times = np.array(self._times[-int(JUDGED_FRACTION * seen) :])
        if times.min() <= 0 or _becomes_faster(times[:, 0]) or _becomes_faster(times[:, 1]):
            return False
        spread, noise = block_range(times[:, 1] / times[:, 0])
        return spread <= max(TOLERANCE, min(noise, NOISIEST))


def _becomes_faster(times: FloatArray) -> bool:
    medians = block_medians(times)
    return bool(medians[0] > (1 + FASTER) * medians[-1])


LEAST_MEASURED = 3
"""Minimum number of iterations for a meaningful stability metric (µOpTime, section 3.3)."""

_BOTH = 2

STOPPABLE_MODES = frozenset({"avgt", "thrpt"})
"""JMH modes with one score for each iteration, and iterations of a fixed length."""

_FURTHER = 2
"""Number of iterations after the two decisions: one warm-up and one measurement iteration."""


@dataclass(frozen=True, slots=True)
class StopRule:
    """The rule that ends a fork.

    Parameters
    ----------
    method : str
        Detector that ends the warm-up, a name in `steady.steadystate.ONLINE`.
    metric : str
        Stability metric that ends the measurement, a name in `steady.stats.METRICS`.
    threshold : float
        Maximum value of the metric that counts as stable.
    minimum : int
        Minimum number of measured iterations, at least 3.
    timed : bool
        Whether forks also end after their expected seconds (`Trial.seconds`). The warm-up may take
        all of this time except for the shortest measurement. Forks that are still not in steady
        state end then, since their results are useless.

    Raises
    ------
    InputError
        If a name is unknown, or a number is out of range.
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
                f"{self.minimum} measured iterations are too few for live stopping; use at least "
                f"{LEAST_MEASURED}"
            )
        StabilityStop(self.metric, self.threshold, self.minimum)

    def __str__(self) -> str:
        return (
            f"{self.method}, then {self.metric} of at least {self.minimum} iterations at or under "
            f"{self.threshold:g}"
        )

    def longest_warmup(self, configuration: ExecutionConfiguration) -> int:
        """Return the maximum number of iterations that are judged as warm-up."""
        longest = max(0, configuration.iterations - self.minimum - _FURTHER)
        return configuration.warmup_iterations or longest

    @property
    def least(self) -> int:
        """Minimum number of iterations before the detector can end the warm-up."""
        return ONLINE[self.method].value().least


@dataclass(frozen=True, slots=True)
class Stopped:
    """The part of a fork that is kept.

    Parameters
    ----------
    method : str
        Detector that ended the warm-up.
    start : int or None
        First steady iteration, 0-based; None if the detector found none.
    warmup : int
        Number of omitted iterations: all that the detector judged.
    iterations : int
        Number of iterations that are kept.
    reason : str
        Reason for the end of the fork, in one line.
    cold_seconds : float
        Time limit in seconds within which the fork did not reach steady state; 0 if it did, or if
        there was no limit. A cold fork is no evidence of a change.
    """

    method: str
    start: int | None
    warmup: int
    iterations: int
    reason: str
    cold_seconds: float = 0.0


class LiveStop:
    """Decides after each iteration whether running forks end.

    The configuration is an upper bound for warm-up and measured iterations, as in Laaber et al.
    2020. If it has no warm-up iterations, the warm-up may take all iterations except for the
    minimum number of measured ones. Iterations before the decision to end the warm-up are never
    measured, even if the detector finds an earlier start of the steady state.

    Parameters
    ----------
    rule : StopRule
        The rule.
    configuration : ExecutionConfiguration
        The upper bound.
    sides : int
        Number of interleaved forks. They end together, once all have reached steady state and the
        subsequent measurements of each are stable.
    left : callable
        Returns the number of iterations for which time remains.
    """

    def __init__(
        self,
        rule: StopRule,
        configuration: ExecutionConfiguration,
        sides: int = 1,
        left: Callable[[], float] = lambda: math.inf,
    ) -> None:
        self._rule = rule
        self._left = left
        self._most = configuration.iterations
        self._longest_warmup = rule.longest_warmup(configuration)
        own = configuration.warmup_iterations
        further = _FURTHER if self._longest_warmup and not own else 0
        self._total = own + configuration.iterations - further
        # Detectors of time and processor time per operation; a side is warm if one of the two is
        # steady.
        self._online = [[ONLINE[rule.method].value() for _ in range(2)] for _ in range(sides)]
        self._quotient = LevelQuotient() if rule.timed and sides == _BOTH else None
        self._stability = [
            StabilityStop(rule.metric, rule.threshold, rule.minimum) for _ in range(sides)
        ]
        self._seen = 0
        self._warmup: int | None = None if self._longest_warmup else 0
        self._stopped: Stopped | None = None

    @property
    def stopped(self) -> Stopped | None:
        """The part of the forks that is kept; None while they run."""
        return self._stopped

    @property
    def warm(self) -> bool:
        """Whether the warm-up has ended."""
        return self._warmup is not None

    @property
    def cold(self) -> bool:
        """Whether the warm-up ended because the time was used up."""
        return self._rule.timed and self._warmup is not None and self._start is None

    def feed(self, *times: float, costs: Sequence[float] = (), hold: bool = False) -> None:
        """Add the next iteration of each side; calls after the end are ignored.

        Parameters
        ----------
        *times : float
            Time per operation of each side.
        costs : sequence of float
            Processor time per operation of each side, if known. Other load affects it less, so a
            side is also warm once its processor time is steady.
        hold : bool
            Whether other evidence shows that the warm-up is not over.

        Raises
        ------
        InputError
            If a time is not a finite number.
        """
        if self._stopped is not None:
            return
        self._seen += 1
        if self._warmup is None:
            self._judge_warmup(times, costs, hold=hold)
            return
        each = [one.feed(t) for one, t in zip(self._stability, times, strict=True)]
        stable = all(each)
        measured = self._seen - self._warmup
        late = self.cold or (measured >= self._rule.minimum and self._left() < 1)
        if stable or late or measured >= self._most or self._seen >= self._total:
            self._stopped = self._conclude(measured, stable=stable)

    def _judge_warmup(
        self, times: tuple[float, ...], costs: Sequence[float], *, hold: bool
    ) -> None:
        hold = hold and self._rule.timed
        known = costs if all(map(math.isfinite, costs)) else ()
        for kind, values in enumerate((times, known)):
            for side, value in zip(self._online, values, strict=False):
                side[kind].feed(value, hold=hold)
        if self._quotient is not None:
            self._quotient.feed(*times, hold=hold)
        # The warm-up also ends if only the shortest measurement still fits into the time limit.
        late = self._left() < min(self._most, self._rule.minimum)
        over = self._seen >= self._longest_warmup or late
        if self._start is not None or over:
            self._warmup = self._seen

    @property
    def _start(self) -> int | None:
        """First iteration at which all sides, or the ratio of their times, are steady."""
        if self._quotient is not None and self._quotient.start is not None:
            return self._quotient.start
        starts = [[own.start for own in side if own.start is not None] for side in self._online]
        known = [min(own) for own in starts if own]
        return max(known) if len(known) == len(starts) else None

    def _conclude(self, measured: int, *, stable: bool) -> Stopped:
        rule, start = self._rule, self._start
        stability = f"{rule.metric} {max(one.stability for one in self._stability):.4g}"
        bound = "time" if self._left() < 1 else "iteration"
        reason = (
            f"{stability}, at or under {rule.threshold:g}"
            if stable
            else f"{bound} limit reached, {stability} above {rule.threshold:g}"
        )
        if start is None:
            reason = f"not steady within {self._warmup} iterations; {reason}"
        return Stopped(rule.method, start, self._warmup or 0, measured, reason)
