"""The harnesses' own part in what a run takes: starts, turns, and how long iterations last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from steady.model import ExecutionConfiguration, FloatArray

STARTUP_SECONDS = 0.5
"""Start of a JVM and of JMH in it, if the results do not contain it: see ``docs/decisions.md``."""


def whole_operations(nominal: float, operation: FloatArray, _batch_size: int = 1) -> FloatArray:
    """Return how long iterations last that end after the first operation beyond their time.

    JMH's single shots report a whole batch as one operation.
    """
    known = np.isfinite(operation) & (operation > 0)
    if nominal == 0:
        return np.where(known, operation, 0.0)
    # The quotient is rounded first: 0.1 s over 0.01 s must be 10 operations, not 11.
    operations = np.ceil(np.round(nominal / np.where(known, operation, nominal), 9))
    return np.where(known, np.maximum(operations, 1) * operation, nominal)


@dataclass(frozen=True, slots=True)
class HarnessCost:
    """What a harness adds to the operations of a benchmark.

    Parameters
    ----------
    startup_seconds : float
        Start of a fork, if the results do not contain it.
    start_seconds : float
        What the start of the harness itself costs once, before the first fork of a version. If two
        versions take turns, both start at the same time.
    turning_share : float
        By how much measured iterations of a set time take longer in turns than alone, as a share of
        their time.
    timed : bool
        Whether iterations last the set time, so that any other time comes in addition to each.
        Otherwise all of them take longer by the same factor.
    lasting : callable
        How long iterations last; its arguments are the first three of
        `steady.optimize.harness_cost.iteration_seconds`.
    between_runs : float
        How much runs are expected to differ, in standard deviations of a fork, without measured
        pairs. Measured on public results, by `evaluation.between_runs`: 0.30 to 0.37 on three Java
        projects, 0.63 and 1.42 on two Go projects, each of whose runs was on another machine.
    """

    startup_seconds: float = STARTUP_SECONDS
    start_seconds: float = 0.0
    turning_share: float = 0.0
    timed: bool = True
    lasting: Callable[[float, FloatArray, int], FloatArray] = whole_operations
    between_runs: float = 1 / 3

    def turning(self, configuration: ExecutionConfiguration) -> float:
        """Return `turning_share` for a configuration; single shots do not take longer."""
        return self.turning_share if configuration.iteration_seconds > 0 else 0.0
