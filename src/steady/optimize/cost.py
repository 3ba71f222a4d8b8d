"""What an execution configuration costs in seconds, as the harness really spends them.

JMH ends an iteration after the first operation that passes its nominal time, so an operation of
``v`` seconds makes an iteration of ``r`` seconds last ``ceil(r / v) * v`` (Traini et al. 2023,
section 3). Go tries out how many operations that are first (`steady.optimize.go_cost`). Every
fork pays for its start-up and its warm-up again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import Benchmark, ExecutionConfiguration, FloatArray
from steady.optimize.go_cost import measurement_seconds

STARTUP_SECONDS = 0.5
"""Start of a JVM and of JMH in it, where the results do not tell: see ``docs/decisions.md``."""

_LONGEST = 1e100
"""Seconds of a fork; beyond, sums and quotients of them leave the range of numbers."""

Counts = int | npt.NDArray[np.int64]


def iteration_seconds(
    nominal: float, operation: FloatArray, batch_size: int = 1, *, harness: str = "jmh"
) -> FloatArray:
    """Return how long iterations last.

    Parameters
    ----------
    nominal : float
        Seconds that an iteration is asked to last; 0 in single-shot mode.
    operation : ndarray
        Seconds of one operation in each iteration; NaN where unknown, which counts as short.
    batch_size : int
        Invocations in one operation: the harness reports them as one, so it only matters in
        single-shot mode, where an iteration is one such operation.
    harness : str
        Go adds what it tries out, unless it is told the number of operations; all others are
        taken to be like JMH.

    Returns
    -------
    ndarray
        Seconds, shape of `operation`.
    """
    known = np.isfinite(operation) & (operation > 0)
    if nominal == 0:
        return np.where(known, operation * max(batch_size, 1), 0.0)
    if harness == "go":
        return measurement_seconds(nominal, operation)
    # Rounding guards the quotient: 0.1 s over 0.01 s must be 10 operations, not 11.
    operations = np.ceil(np.round(nominal / np.where(known, operation, nominal), 9))
    return np.where(known, np.maximum(operations, 1) * operation, nominal)


@dataclass(frozen=True, eq=False)
class CostModel:
    """Seconds of any smaller configuration of one benchmark.

    Parameters
    ----------
    startup : float
        Seconds that a fork costs before its first iteration.
    unrecorded : float
        Seconds of the warm-up iterations that the harness ran and did not report.
    elapsed : ndarray, shape (iterations + 1,)
        Seconds from the first recorded iteration of a fork to the start of each, mean of forks.
    """

    startup: float
    unrecorded: float
    elapsed: FloatArray

    def fork_seconds(self, warmup: Counts, first: Counts, iterations: Counts) -> FloatArray:
        """Return the seconds of one fork.

        Parameters
        ----------
        warmup : int or ndarray
            Recorded iterations spent on warm-up.
        first : int or ndarray
            Position in the record whose costs the first measurement iteration has.
        iterations : int or ndarray
            Measurement iterations.
        """
        measured = self.elapsed[first + iterations] - self.elapsed[first]
        seconds = self.startup + self.unrecorded + self.elapsed[warmup] + measured
        return np.asarray(seconds, dtype=np.float64)

    @property
    def full_fork_seconds(self) -> float:
        """Seconds of one fork of the full run."""
        return float(self.startup + self.unrecorded + self.elapsed[-1])


def configuration_of(benchmark: Benchmark) -> ExecutionConfiguration:
    """Return the benchmark's execution configuration.

    Raises
    ------
    InputError
        If the results do not tell how long an iteration lasts.
    """
    if benchmark.configuration is None:
        raise InputError(
            f"{benchmark.identity.label}: the results do not say how long an iteration lasts, so "
            "no plan can be priced; give iteration_seconds"
        )
    return benchmark.configuration


def cost_model(
    benchmark: Benchmark, startup_seconds: float = STARTUP_SECONDS, *, harness: str = "jmh"
) -> CostModel:
    """Measure what a benchmark's iterations cost.

    Parameters
    ----------
    benchmark : Benchmark
        With an execution configuration.
    startup_seconds : float
        Start-up of a fork, used where the outermost level does not know its own.
    harness : str
        Which will run it.

    Raises
    ------
    InputError
        If the results do not tell how long an iteration lasts, or it lasts longer than can be.
    """
    configuration = configuration_of(benchmark)
    _check_seconds(benchmark, configuration.warmup_seconds, configuration.iteration_seconds)
    operation = benchmark.seconds_per_operation.reshape(benchmark.forks.shape)
    lasting_of = partial(iteration_seconds, harness=harness)
    lasting = lasting_of(configuration.iteration_seconds, operation, configuration.batch_size)
    warmup = benchmark.warmup
    lasting[:, :warmup] = lasting_of(
        configuration.warmup_seconds, operation[:, :warmup], configuration.warmup_batch_size
    )
    missing = np.isnan(benchmark.forks)
    mean = _column_means(np.where(missing, np.nan, lasting))
    unrecorded = configuration.warmup_iterations - warmup
    first = lasting_of(configuration.warmup_seconds, operation[:, :1]).mean()
    model = CostModel(
        startup=benchmark.levels[0].startup_seconds or startup_seconds,
        unrecorded=max(unrecorded, 0) * float(first),
        elapsed=np.concatenate([[0.0], np.cumsum(mean)]),
    )
    _check_seconds(benchmark, model.full_fork_seconds)
    return model


def _check_seconds(benchmark: Benchmark, *seconds: float) -> None:
    if not max(seconds) <= _LONGEST:
        raise InputError(
            f"{benchmark.identity.label}: a fork would take more than {_LONGEST:g} s, so no plan "
            "can be priced; give the seconds that an iteration really lasts"
        )


def _column_means(values: FloatArray) -> FloatArray:
    present = np.isfinite(values)
    counts = np.maximum(present.sum(axis=0), 1)
    return np.asarray(np.where(present, values, 0.0).sum(axis=0) / counts, dtype=np.float64)
