"""The length of turns: a planned iteration becomes many short ones, base and head interleaved.

The disturbance by the machine changes within a tenth of a second. Two forks that take turns every
100 ms share only a part of it; with turns of 5 ms they share nearly all (docs/measured.md).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from steady.harness.jmh.run.scores import JmhRecord
from steady.harness.trial import Trial
from steady.model import ExecutionConfiguration, Identity
from steady.model.units import as_times, direction_of, seconds_factor
from steady.optimize.cost import BETWEEN_SECONDS

TURN_MILLIS = 5

_SHORT_SECONDS = 0.25
"""Iterations up to this length are assumed to have invocations shorter than a turn."""

_UNKNOWN_TURNS = 4
"""Turns of a longer iteration, before the length of an invocation is known."""

_INVOCATIONS = 5
"""Fewest invocations in a turn: JMH ends an iteration only after a whole one."""

_FEWEST_TURNS = 2


@dataclass(eq=False)
class ShortTurns:
    """The lengths of each benchmark's turns, from its measurements so far.

    Parameters
    ----------
    operations : mapping of str to int
        Operations per invocation, by name of the benchmark; one by default.
    whole : frozenset of str
        Names of the benchmarks whose iterations keep their length, because their results may depend
        on it (`steady.harness.jmh.samecode.fixtures`).
    """

    operations: Mapping[str, int] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()

    _millis: dict[Identity, float] = field(default_factory=dict, init=False)

    def of(self, trial: Trial) -> ExecutionConfiguration:
        """Return the configuration of a fork with turns, and its planned warm-up.

        All turns of an iteration, with JMH's work between them, take the planned time. Single shots
        are unchanged.
        """
        one, identity = trial.configuration, trial.identity
        planned = 1000 * one.iteration_seconds
        invocation = self._millis.get(identity)
        if invocation is not None:
            turn = _INVOCATIONS * invocation
        else:
            turn = 0.0 if one.iteration_seconds <= _SHORT_SECONDS else planned / _UNKNOWN_TURNS
        turn = math.ceil(max(turn, TURN_MILLIS))
        turns = int(planned / (turn + 1000 * BETWEEN_SECONDS))
        if turns < _FEWEST_TURNS or identity.name in self.whole:
            return one
        return replace(one, iterations=turns * one.iterations, iteration_seconds=turn / 1000)

    def learn(self, identity: Identity, record: JmhRecord) -> None:
        """Update the length of an invocation from JMH's record of a fork."""
        millis = _operation_millis(record) * self.operations.get(identity.name, 1)
        if 0 < millis < math.inf:
            self._millis[identity] = millis


def _operation_millis(record: JmhRecord) -> float:
    """Return the milliseconds of an operation; NaN if its unit is not a time."""
    metric = record["primaryMetric"]
    unit, score = metric["scoreUnit"], np.array([metric["score"]], dtype=np.float64)
    (time,) = as_times(score, direction_of(unit))
    return 1000 * float(time) * seconds_factor(unit, record["threads"])
