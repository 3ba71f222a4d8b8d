"""Live stopping of one fork, or of two interleaved ones.

The warm-up is judged by iterations of the planned length. The measurement has short turns
(`steady.harness.jmh.run.forks_in_turn`), of which the number that fills an iteration is judged as
one.
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
"""A fork is cold while compilers take more than this share of its processor time: 1 to 3 % in warm
forks, 10 to 65 % in others (docs/live-stopping.md)."""

_WINDOW = 10
"""Iterations over which that share is computed."""


@dataclass(frozen=True, slots=True)
class ForkReport:
    """The report of a fork after an iteration.

    Parameters
    ----------
    score : float
        Score of the iteration.
    compiling, others : float
        Microseconds of processor time of its compilers, and of its other threads, so far; 0 if
        unknown.
    operations : int
        Number of operations so far; 0 if unknown.
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
            If it has another form.
        """
        score, *spent = text.split()
        if not spent:
            return cls(float(score))
        compiling, others, operations = map(int, spent)
        return cls(float(score), float(compiling), float(others), operations)


@dataclass(eq=False)
class WarmUp:
    """The warm-up of one fork, iteration by iteration."""

    _told: list[ForkReport] = field(default_factory=list)

    def take(self, told: ForkReport) -> None:
        """Add the report of the next iteration."""
        self._told.append(told)

    @property
    def operations(self) -> int:
        """Number of operations so far; 0 if unknown."""
        return self._told[-1].operations if self._told else 0

    @property
    def cost(self) -> float:
        """Processor time of an operation in the latest iteration, without compilers.

        Other load on the machine changes it less than the elapsed time. NaN if unknown.
        """
        if len(self._told) < 2:
            return math.nan
        before, now = self._told[-2:]
        operations, spent = now.operations - before.operations, now.others - before.others
        return spent / operations if operations > 0 and spent > 0 else math.nan

    @property
    def compiling(self) -> bool:
        """Whether compilers still take more than `COMPILING_SHARE`."""
        latest = self._told[-_WINDOW - 1 :]
        if len(latest) < 2:
            return False
        first, last = latest[0], latest[-1]
        compiled = max(last.compiling - first.compiling, 0.0)
        spent = compiled + last.others - first.others
        return compiled > COMPILING_SHARE * spent


Clock = Callable[[], float]

RELAPSE = 4.0
"""Largest ratio of the fastest turns of a measurement's fifths. Load on the machine does not exceed
it (docs/live-stopping.md), but a JVM that deoptimizes code does."""

_SHORTEST = 1e-6  # seconds of an iteration


class Stopper:
    """The decision, by scores, on the last iterations of forks that end together.

    The scores are judged while the forks wait for their turns, so that no fork is disturbed. When
    all are warm, one more iteration of each follows, in which JMH ends the warm-up regularly; and
    likewise at the end of the measurement.

    Parameters
    ----------
    rule : StopRule
        The rule that ends them.
    trials : sequence of Trial
        One fork, or two; their configuration is an upper bound.
    turns : int
        Number of turns in place of each iteration.
    turn_seconds : float, optional
        Seconds of a turn; by default those of an iteration.
    clock : callable
        Returns seconds.
    """

    def __init__(
        self,
        rule: StopRule,
        trials: Sequence[Trial],
        turns: int = 1,
        turn_seconds: float | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        bound = warmup_first(trials[0].configuration, rule)
        self._rule = rule
        self._bound = bound
        self.turns = turns
        """How many turns are measured in place of each iteration."""
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
        """How many warm-up iterations each fork has; None while that is open."""
        self.last: int | None = None
        """How many iterations each fork has in all; None while that is open."""
        self.problem = ""
        """Why the scores cannot be judged; empty if they can."""

    @property
    def configuration(self) -> ExecutionConfiguration:
        """What JMH should run at most: the warm-up in iterations, then turns."""
        return replace(
            self._bound,
            iterations=self.turns * self._bound.iterations,
            iteration_seconds=self._turn_seconds,
        )

    @property
    def stopped(self) -> Stopped | None:
        """What both forks ran; None while they run, or if one has failed."""
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
        """How many forks end together."""
        return len(self._scores)

    @property
    def cold(self) -> bool:
        """Whether the time was over before all were warm."""
        return self._stop.cold

    def warmup_scores(self, side: int) -> Sequence[float]:
        """Return the scores of a fork's warm-up."""
        return self._scores[side][: self.warmup]

    def begin(self) -> None:
        """Take note that the first iteration begins; a fork's start belongs to its seconds."""
        if self._first is None:
            self._first = self._clock()

    def take(self, side: int, told: ForkReport) -> None:
        """Take what a fork tells after its latest iteration."""
        self._scores[side].append(told.score)
        if self.warmup is None:
            self._warm_ups[side].take(told)
        if self.last is not None or len(set(map(len, self._scores))) > 1:
            return
        if self.warmup is None:
            self._ends.append(self._clock())
            self._judge_warmup()
        elif self._done == self.warmup:  # the last one of the warm-up is not judged
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
        """Take the latest iterations of each fork as one."""
        scores = np.array([own[-count:] for own in self._scores])
        times = times_as_one(scores, more_is_better=self._more_is_better).tolist()
        try:
            self._stop.feed(*times, costs=costs, hold=hold)
        except InputError as error:
            self.problem = error.problem

    def _left(self) -> float:
        """Return how many further iterations of both fit into the time, as one judges them.

        One further iteration ends the warm-up.
        """
        if not self._rule.timed:
            return math.inf
        now = self._clock()
        first = self._begin if self._first is None else self._first
        if self.warmup is None:
            # The first one may take twenty times as long as the others: classes are loaded.
            each = np.diff(self._ends)
            pace = float(np.median(each)) if len(each) else 0.0
            left = self._begin + self._longest(first - self._begin, pace) - now
            return left / max(pace, _SHORTEST) - 1
        done = self._measured / self.turns
        pace = (now - first) / done if done > 0 else 0.0
        return (self._begin + self._seconds - now) / pace if pace > 0 else math.inf

    def _longest(self, start: float, pace: float) -> float:
        """Return how many seconds forks may take that are not warm yet."""
        longest = max(min(self._patience * self._seconds, self._limit), self._seconds)
        judged = start + (SHORTEST_JUDGED + self._rule.minimum + 1) * pace
        return max(longest, judged) if judged <= self._limit else longest

    @property
    def _relapsed(self) -> bool:
        """Whether one of them was not warm any more while it was measured."""
        length = self._measured // BLOCKS
        if not length:
            return False
        measured = np.array([own[-BLOCKS * length :] for own in self._scores])
        blocks = measured.reshape(len(measured), BLOCKS, length)
        best = blocks.max(axis=2) if self._more_is_better else blocks.min(axis=2)
        return bool((best.max(axis=1) > RELAPSE * best.min(axis=1)).any())

    @property
    def _own_seconds(self) -> float:
        """How long each of them has run iterations so far, on average."""
        now = self._clock()
        return (now - (now if self._first is None else self._first)) / len(self._scores)

    @property
    def _done(self) -> int:
        return len(self._scores[0])

    @property
    def _measured(self) -> int:
        return self._done - (self.warmup or 0)


def warmup_first(bound: ExecutionConfiguration, rule: StopRule) -> ExecutionConfiguration:
    """Return an upper bound whose warm-up comes before what is measured.

    Where it has no warm-up, the warm-up may take all but what is measured in any case.
    """
    longest = rule.longest_warmup(bound)
    further = 1 if longest and not bound.warmup_iterations else 0
    return replace(
        bound, warmup_iterations=longest + further, warmup_seconds=bound.iteration_seconds
    )
