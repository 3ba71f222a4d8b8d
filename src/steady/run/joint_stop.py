"""Live stopping of two forks that take turns: both end together, after as many iterations."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from steady.errors import InputError
from steady.model import ExecutionConfiguration
from steady.run.live_stop import LiveStop, Stopped, StopRule
from steady.run.trial import Trial

Clock = Callable[[], float]


class JointStop:
    """Gets the scores of two forks as they come, and says which iteration is their last.

    The scores are judged while both forks wait for their turns, so that this disturbs neither.
    When enough is measured, one more iteration of each follows, in which JMH ends a fork as it
    always does.

    Parameters
    ----------
    rule : StopRule
        Says when both may end.
    trials : sequence of Trial
        The two forks; their configuration is the upper bound.
    clock : callable
        Returns seconds.
    """

    def __init__(
        self, rule: StopRule, trials: Sequence[Trial], clock: Clock = time.monotonic
    ) -> None:
        self._rule = rule
        self._bound = trials[0].configuration
        self._more_is_better = trials[0].identity.mode == "thrpt"
        self._seconds = sum(trial.seconds for trial in trials)
        self._scores: tuple[list[float], ...] = ([], [])
        self._clock = clock
        self._begin = clock()
        self._first: float | None = None
        self._stop = LiveStop(rule, self._bound, len(trials), self._left)
        self.last: int | None = None
        """How many iterations each fork has in all; None while that is open."""
        self.problem = ""
        """Why the scores cannot be judged; empty if they can."""

    @property
    def configuration(self) -> ExecutionConfiguration:
        """What JMH should run at most: the warm-up is measured, so that it can be judged."""
        return as_measured(self._bound)

    @property
    def stopped(self) -> Stopped | None:
        """The part of both forks that is kept; None while they run, or if one has failed."""
        stopped = self._stop.stopped
        if stopped is None or self.last is None:
            return None
        return replace(stopped, iterations=self.last - stopped.warmup)

    def begin(self) -> None:
        """Take note that the first iteration begins; a fork's start belongs to its seconds."""
        if self._first is None:
            self._first = self._clock()

    def take(self, side: int, score: float) -> None:
        """Take the score of a fork's latest iteration."""
        self._scores[side].append(score)
        if self.last is not None or len(set(map(len, self._scores))) > 1:
            return
        scores = np.array([own[-1] for own in self._scores])
        with np.errstate(divide="ignore"):
            times = 1 / scores if self._more_is_better else scores
        try:
            self._stop.feed(*times.tolist())
        except InputError as error:
            self.problem = error.problem
        if self.problem or self._stop.stopped is not None:
            self.last = min(self._done + 1, self.configuration.iterations)

    def _left(self) -> float:
        """Return how many iterations of both fit into the time, beside the one that ends them."""
        if not self._rule.timed:
            return math.inf
        first = self._begin if self._first is None else self._first
        return further_iterations(self._begin, first, self._clock(), self._seconds, self._done) - 1

    @property
    def _done(self) -> int:
        return len(self._scores[0])


def further_iterations(begin: float, first: float, now: float, seconds: float, done: int) -> float:
    """Return how many further iterations fit into the time of a fork, or of a pair.

    Parameters
    ----------
    begin, first, now : float
        When it began, when its first iteration began, and now; in seconds.
    seconds : float
        How long it may take.
    done : int
        How many iterations it has ended, at least one.
    """
    pace = (now - first) / done
    return (begin + seconds - now) / pace if pace > 0 else math.inf


def as_measured(bound: ExecutionConfiguration) -> ExecutionConfiguration:
    """Return a configuration in which the warm-up is measured, so that it can be judged."""
    return replace(
        bound,
        warmup_iterations=0,
        iterations=bound.warmup_iterations + bound.iterations,
        warmup_seconds=bound.iteration_seconds,
    )
