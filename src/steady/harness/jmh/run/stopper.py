"""Live stopping of one fork, or of two interleaved ones.

Warm-up iterations have the planned length. Each iteration of the measurement is divided into short
turns (`steady.harness.jmh.run.forks_in_turn`), whose scores are combined before they are judged.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from steady.errors import InputError
from steady.execution.live_stop import LiveStop, Stopped, StopRule
from steady.execution.warm_up import SHORTEST_JUDGED, SPARE_SECONDS, WARM_SECONDS
from steady.harness.jmh.run.scores import times_as_one
from steady.harness.trial import Trial
from steady.model import ExecutionConfiguration
from steady.steadystate.online import BLOCKS

COMPILING_SHARE = 0.05
"""Share of a fork's processor time above which its compilers show that it is not warm.

Measured: 1 to 3 % in warm forks, 10 to 65 % in others (docs/live-stopping.md)."""

_WINDOW = 10
"""Number of iterations over which `COMPILING_SHARE` is computed."""


@dataclass(frozen=True, slots=True)
class ForkReport:
    """The report that a fork sends after an iteration.

    Parameters
    ----------
    score : float
        Score of the iteration.
    compiling, others : float
        Processor time of its compilers and of its other threads since its start, in microseconds;
        0 if unknown.
    operations : int
        Number of operations since its start; 0 if unknown.
    """

    score: float
    compiling: float = 0.0
    others: float = 0.0
    operations: int = 0

    @classmethod
    def parse(cls, text: bytes) -> ForkReport:
        """Parse a report: a score, or all four values.

        Raises
        ------
        ValueError
            If the format is another one.
        """
        score, *spent = text.split()
        if not spent:
            return cls(float(score))
        compiling, others, operations = map(int, spent)
        return cls(float(score), float(compiling), float(others), operations)


@dataclass(eq=False)
class WarmUp:
    """The warm-up of one fork, from the reports of its iterations."""

    _reports: list[ForkReport] = field(default_factory=list)

    def add(self, report: ForkReport) -> None:
        """Add the report of an iteration."""
        self._reports.append(report)

    @property
    def operations(self) -> int:
        """Number of operations so far; 0 if unknown."""
        return self._reports[-1].operations if self._reports else 0

    @property
    def cost(self) -> float:
        """Processor time of an operation in the last iteration, without compilers; NaN if unknown.

        Other load on the machine affects it less than elapsed time.
        """
        if len(self._reports) < 2:
            return math.nan
        before, now = self._reports[-2:]
        operations, spent = now.operations - before.operations, now.others - before.others
        return spent / operations if operations > 0 and spent > 0 else math.nan

    @property
    def compiling(self) -> bool:
        """Whether compilers use more than `COMPILING_SHARE` of the processor time."""
        latest = self._reports[-_WINDOW - 1 :]
        if len(latest) < 2:
            return False
        first, last = latest[0], latest[-1]
        compiled = max(last.compiling - first.compiling, 0.0)
        spent = compiled + last.others - first.others
        return compiled > COMPILING_SHARE * spent


Clock = Callable[[], float]

RELAPSE = 4.0
"""Maximum ratio between the best scores of the fifths of a measurement.

A JVM that deoptimizes code exceeds it; load on the machine does not (docs/live-stopping.md)."""

_SHORTEST = 1e-6
"""Lower limit of an iteration's duration in seconds, as a divisor."""


class Stopper:
    """Decides from scores when the warm-up and the measurement of forks end, for all together.

    Scores are judged while the forks wait for their turns, which disturbs no fork. After each of
    the two decisions, every fork runs one more iteration, so that JMH ends the phase regularly.

    Parameters
    ----------
    rule : StopRule
        The stopping rule.
    trials : sequence of Trial
        One fork, or two interleaved ones; their configuration is an upper bound.
    turns : int
        Number of turns in each iteration of the measurement.
    turn_seconds : float, optional
        Length of a turn in seconds; by default that of an iteration.
    clock : callable
        Returns the time in seconds.
    """

    def __init__(
        self,
        rule: StopRule,
        trials: Sequence[Trial],
        turns: int = 1,
        turn_seconds: float | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        bound = with_separate_warmup(trials[0].configuration, rule)
        self._rule = rule
        self._bound = bound
        self.turns = turns
        """Number of turns in each iteration of the measurement."""
        self._turn_seconds = bound.iteration_seconds if turn_seconds is None else turn_seconds
        self._more_is_better = trials[0].identity.mode == "thrpt"
        self._seconds = sum(trial.seconds for trial in trials)
        self._patience = trials[0].patience
        self._limit = sum(trial.timeout for trial in trials) - SPARE_SECONDS
        self._warm_ups = [WarmUp() for _ in trials]
        self._warm_seconds = self._cold_seconds = 0.0
        self._scores: list[list[float]] = [[] for _ in trials]
        self._clock = clock
        self._begin = clock()
        self._first: float | None = None
        self._ends: list[float] = []
        self._stop = LiveStop(rule, trials[0].configuration, len(trials), self._left)
        self.warmup: int | None = None if bound.warmup_iterations else 0
        """Number of warm-up iterations of each fork; None until it is decided."""
        self.last: int | None = None
        """Number of iterations of each fork, warm-up included; None until it is decided."""
        self.problem = ""
        """Why scores cannot be judged; empty if they can."""

    @property
    def configuration(self) -> ExecutionConfiguration:
        """Upper bound for JMH: iterations of warm-up, then turns."""
        return replace(
            self._bound,
            iterations=self.turns * self._bound.iterations,
            iteration_seconds=self._turn_seconds,
        )

    @property
    def stopped(self) -> Stopped | None:
        """How the forks ended; None while they run, or if one has failed."""
        stopped = self._stop.stopped
        if stopped is None or self.last is None or self.warmup is None:
            return None
        operations = min(one.operations for one in self._warm_ups)
        return replace(
            stopped,
            reason=f"{stopped.reason}; warmed up by {operations:,} operations"
            if operations
            else stopped.reason,
            warmup=self.warmup,
            iterations=self.last - self.warmup,
            cold_seconds=self._cold_seconds,
        )

    @property
    def forks(self) -> int:
        """Number of forks."""
        return len(self._scores)

    @property
    def cold(self) -> bool:
        """Whether the time limit passed before all forks were warm."""
        return self._stop.cold

    def warmup_scores(self, side: int) -> Sequence[float]:
        """Return the scores of the warm-up of a fork."""
        return self._scores[side][: self.warmup]

    def begin(self) -> None:
        """Record the start of the first iteration; later calls have no effect."""
        if self._first is None:
            self._first = self._clock()

    def feed(self, side: int, report: ForkReport) -> None:
        """Add the report of a fork; judge once all forks have run as many iterations."""
        self._scores[side].append(report.score)
        if self.warmup is None:
            self._warm_ups[side].add(report)
        if self.last is not None or len(set(map(len, self._scores))) > 1:
            return
        if self.warmup is None:
            self._ends.append(self._clock())
            self._judge_warmup()
        elif self._done == self.warmup:  # the last warm-up iteration is not judged
            self._first = self._clock()
        elif self._measured % self.turns == 0:
            self._judge(self.turns)
            if self.problem or self._stop.stopped is not None:
                self.last = min(self._done + 1, self.warmup + self.configuration.iterations)
                if self._rule.timed and self._relapsed:
                    self._cold_seconds = self._warm_seconds

    def _judge_warmup(self) -> None:
        seconds = self._own_seconds
        early = self._rule.timed and seconds < WARM_SECONDS
        costs = [one.cost for one in self._warm_ups]
        compiling = any(one.compiling for one in self._warm_ups)
        self._judge(1, costs, hold=early or compiling)
        self._warm_seconds = max(round(seconds, 1), 0.1)
        if self._stop.cold:
            self._cold_seconds = self._warm_seconds
        if self.problem or self._stop.warm:
            self.warmup = min(self._done + 1, self._bound.warmup_iterations)
            if self.warmup == self._done:
                self._first = self._clock()
        if self.problem and self.warmup is not None:
            self.last = self.warmup + 1

    def _judge(self, count: int, costs: Sequence[float] = (), *, hold: bool = False) -> None:
        """Judge the last iterations of each fork, combined into one."""
        scores = np.array([own[-count:] for own in self._scores])
        times = times_as_one(scores, more_is_better=self._more_is_better).tolist()
        try:
            self._stop.feed(*times, costs=costs, hold=hold)
        except InputError as error:
            self.problem = error.problem

    def _left(self) -> float:
        """Return the number of judged iterations that still fit into the time.

        During the warm-up, the iteration that ends it is subtracted.
        """
        if not self._rule.timed:
            return math.inf
        now = self._clock()
        first = self._begin if self._first is None else self._first
        if self.warmup is None:
            # The first iteration loads classes, and may take twenty times as long as the others.
            each = np.diff(self._ends)
            pace = float(np.median(each)) if len(each) else 0.0
            left = self._begin + self._longest(first - self._begin, pace) - now
            return left / max(pace, _SHORTEST) - 1
        done = self._measured / self.turns
        pace = (now - first) / done if done > 0 else 0.0
        return (self._begin + self._seconds - now) / pace if pace > 0 else math.inf

    def _longest(self, start: float, pace: float) -> float:
        """Return the time limit of forks that are not warm, in seconds."""
        longest = max(min(self._patience * self._seconds, self._limit), self._seconds)
        judged = start + (SHORTEST_JUDGED + self._rule.minimum + 1) * pace
        return max(longest, judged) if judged <= self._limit else longest

    @property
    def _relapsed(self) -> bool:
        """Whether a fork became slow again during the measurement (`RELAPSE`)."""
        length = self._measured // BLOCKS
        if not length:
            return False
        measured = np.array([own[-BLOCKS * length :] for own in self._scores])
        blocks = measured.reshape(len(measured), BLOCKS, length)
        best = blocks.max(axis=2) if self._more_is_better else blocks.min(axis=2)
        return bool((best.max(axis=1) > RELAPSE * best.min(axis=1)).any())

    @property
    def _own_seconds(self) -> float:
        """Mean seconds of iterations of a fork so far."""
        now = self._clock()
        return (now - (now if self._first is None else self._first)) / len(self._scores)

    @property
    def _done(self) -> int:
        return len(self._scores[0])

    @property
    def _measured(self) -> int:
        return self._done - (self.warmup or 0)


def with_separate_warmup(bound: ExecutionConfiguration, rule: StopRule) -> ExecutionConfiguration:
    """Return an upper bound with a separate warm-up.

    Without a configured warm-up, it may take all iterations except the minimum of the measurement.
    """
    longest = rule.longest_warmup(bound)
    further = 1 if longest and not bound.warmup_iterations else 0
    return replace(
        bound, warmup_iterations=longest + further, warmup_seconds=bound.iteration_seconds
    )
