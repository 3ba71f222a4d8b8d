"""How long a turn lasts: an iteration of the plan becomes many short ones, base and head in turn.

What a machine does to a benchmark changes within a tenth of a second. Two forks that take turns
every 100 ms share only a part of it; with turns of 5 ms they share nearly all (docs/measured.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from steady.model import ExecutionConfiguration, Identity
from steady.model.units import as_times, direction_of, seconds_factor
from steady.optimize.cost import BETWEEN_SECONDS
from steady.run.jmh_merge import JmhRecord
from steady.run.trial import Trial

TURN_MILLIS = 5

_SHORT_SECONDS = 0.25
"""Nobody gives an iteration so little time whose operation takes more than a turn."""

_UNKNOWN_TURNS = 4
"""Turns of a longer iteration, before it is known how long an operation takes."""

_OPERATIONS = 5
"""A turn should hold so many operations: JMH ends an iteration after a whole one."""

_FEWEST_TURNS = 2

_OVERLONG = 2.0
"""If all iterations take so many times as long as planned, a turn is too short for what they do."""


@dataclass(eq=False)
class ShortTurns:
    """Says how long the turns of each benchmark last, by what was seen of it so far.

    The score tells how long an operation takes. Where one invocation is many operations, or much
    is prepared before each invocation, only the clock tells that a turn is too short.

    Parameters
    ----------
    whole : frozenset of str
        Names of the benchmarks whose iterations stay as long as planned, because what they measure
        may depend on that (`steady.run.jmh_fixtures`).
    """

    whole: frozenset[str] = frozenset()

    _operation_millis: dict[Identity, float] = field(default_factory=dict)
    _least_millis: dict[Identity, float] = field(default_factory=dict)

    def of(self, trial: Trial) -> ExecutionConfiguration:
        """Return the configuration with which a fork should run: its warm-up as planned.

        All turns of an iteration, and what JMH does between them, take as long as planned. In
        single-shot mode, nothing changes.
        """
        one, identity = trial.configuration, trial.identity
        planned = 1000 * one.iteration_seconds
        operation = self._operation_millis.get(identity)
        if operation is not None:
            turn = _OPERATIONS * operation
        else:
            turn = 0.0 if one.iteration_seconds <= _SHORT_SECONDS else planned / _UNKNOWN_TURNS
        turn = math.ceil(max(turn, TURN_MILLIS, self._least_millis.get(identity, 0.0)))
        turns = int(planned / (turn + 1000 * BETWEEN_SECONDS))
        if turns < _FEWEST_TURNS or identity.name in self.whole:
            return one
        return replace(one, iterations=turns * one.iterations, iteration_seconds=turn / 1000)

    def learn(
        self,
        trial: Trial,
        ran: ExecutionConfiguration,
        record: JmhRecord,
        iteration_seconds: float | None,
    ) -> None:
        """Take note of how long operations and iterations took.

        Parameters
        ----------
        trial : Trial
            As planned.
        ran : ExecutionConfiguration
            How it ran.
        record : dict
            What JMH wrote about this fork.
        iteration_seconds : float, optional
            Of all iterations of both forks, by the clock.
        """
        operation = _operation_millis(record)
        if operation > 0:
            self._operation_millis[trial.identity] = operation
        planned = 2 * _seconds(trial.configuration)
        if iteration_seconds is not None and iteration_seconds > _OVERLONG * planned:
            self._least_millis[trial.identity] = 4 * 1000 * ran.iteration_seconds


def _seconds(one: ExecutionConfiguration) -> float:
    return one.warmup_iterations * one.warmup_seconds + one.iterations * one.iteration_seconds


def _operation_millis(record: JmhRecord) -> float:
    """Return how long an operation took; NaN where its unit has no time."""
    metric = record["primaryMetric"]
    unit, score = metric["scoreUnit"], np.array([metric["score"]], dtype=np.float64)
    (time,) = as_times(score, direction_of(unit))
    return 1000 * float(time) * seconds_factor(unit, record["threads"])
