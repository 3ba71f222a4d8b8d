"""Live stopping: the end of the warm-up and of the measurement of running forks.

Interleaved forks end together: when all have reached steady state, and all results are stable.
After each decision, every fork runs one more iteration: one of the warm-up, and one of the
measurement.
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
"""Largest relative difference of two medians of a level quotient on a quiet machine."""

NOISIEST = 0.1
"""Upper bound of the relative difference of two medians of a level quotient, for any noise."""

FASTER = 0.2
"""A fork whose first block takes longer than its last by more than this share is warming up."""


class LevelQuotient:
    """A detector of steady state in the quotient of two interleaved forks.

    Other load makes a machine slower for some seconds, so the times of a fork are not level. Two
    forks that are interleaved every tenth of a second are slowed equally, so their quotient is
    level. The quotient is also level while both forks warm up equally. Therefore neither fork may
    become much faster, and the caller of `feed` reports active compilers by `hold`.

    Notes
    -----
    In published suites, the forks' own times are steady within 6.6 s in 45 % of all pairs of forks
    of one benchmark, and their quotient in 65 %; with added noise, 30 % and 66 %. The measured
    quotient is then wrong by more than 10 % in 6 % and 9 % of the pairs; with added noise, 14 % and
    10 % (`python -m evaluation.warm_up`).
    """

    def __init__(self) -> None:
        self._times: list[tuple[float, float]] = []
        self.start: int | None = None
        """The first iteration in steady state; None until the quotient is level."""

    def feed(self, base: float, head: float, *, hold: bool = False) -> None:
        """Add the times per operation of two interleaved iterations.

        Parameters
        ----------
        base, head : float
            Finite times; if one is not positive, the quotient does not count as level.
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
"""Fewest iterations for which a stability metric is meaningful (µOpTime, section 3.3)."""

_BOTH = 2

STOPPABLE_MODES = frozenset({"avgt", "thrpt"})
"""Modes of JMH whose iterations have one score each, and a fixed length."""

_FURTHER = 2
"""Iterations after the two decisions: one of the warm-up, one of the measurement."""


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
        Largest value of the metric that counts as stable.
    minimum : int
        Fewest measured iterations, at least 3.
    timed : bool
        Whether forks also end after their expected seconds (`Trial.seconds`). The warm-up may take
        all of them except for the shortest measurement. Forks that are not in steady state then end
        at once, as their results are of no use.

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
        """Return the largest number of iterations that are judged as warm-up."""
        longest = max(0, configuration.iterations - self.minimum - _FURTHER)
        return configuration.warmup_iterations or longest

    @property
    def least(self) -> int:
        """Fewest iterations after which the detector can end the warm-up."""
        return ONLINE[self.method].value().least


@dataclass(frozen=True, slots=True)
class Stopped:
    """The part of a fork that is kept.

    Parameters
    ----------
    method : str
        The detector that judged the warm-up.
    start : int or None
        First steady iteration, 0-based; None if the detector found none.
    warmup : int
        Number of omitted iterations: those from which the end of the warm-up was decided.
    iterations : int
        Number of iterations that are kept.
    reason : str
        Reason for its end, in one line.
    cold_seconds : float
        Time limit in seconds within which the fork did not reach steady state; 0 if it did, or
        without a limit. A cold fork is no evidence of a change.
    """

    method: str
    start: int | None
    warmup: int
    iterations: int
    reason: str
    cold_seconds: float = 0.0


class LiveStop:
    """A detector of the end of forks, fed with one iteration at a time.

    The configuration is an upper bound for warm-up and measured iterations, as in Laaber et al.
    2020. If it has no warm-up iterations, the warm-up may take all iterations except the fewest
    measured ones. No iteration of the warm-up counts as measured, even if the detector finds an
    earlier start of the steady state.

    Parameters
    ----------
    rule : StopRule
        The rule.
    configuration : ExecutionConfiguration
        The upper bound.
    sides : int
        Number of interleaved forks. They end together, once all have reached steady state and the
        measurements of each since then are stable.
    left : callable
        Returns the number of further iterations for which there is time.
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
        # Time and processor time of an operation: one of them has to be steady.
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
        """Whether the warm-up ended because its time was used up."""
        return self._rule.timed and self._warmup is not None and self._start is None

    def feed(self, *times: float, costs: Sequence[float] = (), hold: bool = False) -> None:
        """Add the time per operation of the next iteration of each side; ignored after the end.

        Parameters
        ----------
        *times : float
            Time of each side.
        costs : sequence of float
            Processor time per operation of each side, if known. Other load disturbs it less, so a
            side is also warm once this is steady.
        hold : bool
            Whether other evidence shows that the warm-up is not over.

        Raises
        ------
        InputError
            If one is not a finite number.
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
        # The warm-up also ends if only the shortest measurement still fits into the time.
        late = self._left() < min(self._most, self._rule.minimum)
        over = self._seen >= self._longest_warmup or late
        if self._start is not None or over:
            self._warmup = self._seen

    @property
    def _start(self) -> int | None:
        """The first iteration in which all sides were steady, or their ratio was."""
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
