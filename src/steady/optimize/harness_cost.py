"""The harnesses' own part in what a run takes: starts, turns, and how long iterations last.

JMH ends an iteration after the first operation that passes its nominal time, so an operation of
``v`` seconds makes an iteration of ``r`` seconds last ``ceil(r / v) * v`` (Traini et al. 2023,
section 3). Go first tries out how many operations these are (`steady.optimize.go_measurements`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from steady.harness.go.read import benchmark_format
from steady.model import ExecutionConfiguration, FloatArray
from steady.optimize import go_measurements

STARTUP_SECONDS = 0.5
"""Start of a JVM and of JMH in it, if the results do not contain it: see ``docs/decisions.md``."""


Lasting = Callable[[float, FloatArray, int], FloatArray]
"""Returns how many seconds iterations last, in the shape of its second argument.

Its arguments are the seconds that an iteration should last, 0 in single-shot mode; the seconds of
one operation in each iteration, NaN if unknown, which counts as short; and, for Go, the number of
operations if one was set.
"""


def whole_operations(nominal: float, operation: FloatArray, _batch_size: int) -> FloatArray:
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
    lasting : Lasting
        How long iterations last.
    between_runs : float
        How much runs are expected to differ, in standard deviations of a fork, without measured
        pairs. Measured on public results, by `evaluation.between_runs`: 0.30 to 0.37 on three Java
        projects, 0.63 and 1.42 on two Go projects, each of whose runs was on another machine.
    """

    startup_seconds: float = STARTUP_SECONDS
    start_seconds: float = 0.0
    turning_share: float = 0.0
    timed: bool = True
    lasting: Lasting = whole_operations
    between_runs: float = 1 / 3

    def turning(self, configuration: ExecutionConfiguration) -> float:
        """Return `turning_share` for a configuration; single shots do not take longer."""
        return self.turning_share if configuration.iteration_seconds > 0 else 0.0


HARNESS_COSTS: Mapping[str, HarnessCost] = MappingProxyType(
    {
        # The start of JMH's own JVM, and of those that find out what that JVM can do, was about
        # twice the start of a fork in all measurements. Turns of 5 ms come 2.4 ms apart, and their
        # number is chosen for 2 ms (docs/measured.md).
        "jmh": HarnessCost(start_seconds=1.0, turning_share=0.03),
        # Go's turns are its iterations, and take no longer.
        "go": HarnessCost(
            startup_seconds=benchmark_format.STARTUP_SECONDS,
            timed=False,
            lasting=go_measurements.measurement_seconds,
            between_runs=1.0,
        ),
    }
)
"""What is known of each harness, by its name."""


def cost_of(harness: str) -> HarnessCost:
    """Return what a harness adds; of one that is not known, what JMH's iterations would take."""
    return HARNESS_COSTS.get(harness, HarnessCost())
