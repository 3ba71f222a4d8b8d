"""The cost of an execution configuration in seconds of the harness.

The length of an iteration depends on the harness (`HarnessCost`). Every fork repeats the start-up
and the warm-up. `steady run` records the wall-clock time of each fork. If the results contain it,
two parts of the cost are fitted to it: the start-up, and the time in iterations that the results do
not report. Interleaved forks of base and head cost twice as much as one fork. In addition, JMH's
short turns together take longer than the iteration that they replace (`pair_seconds`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.harness.known_facts import HarnessCost
from steady.harnesses import harness_named
from steady.model import Benchmark, ExecutionConfiguration, FloatArray, Spent
from steady.plan.suite_plan import DEFAULT_HARNESS

STARTUP_SECONDS = HarnessCost().fork_seconds
"""Start-up seconds of a JVM with JMH if the results lack them; see ``docs/decisions.md``."""

BETWEEN_SECONDS = 0.002
"""Approximate seconds between two iterations of JMH (docs/measured.md)."""

FIRST_ITERATION_SECONDS = 0.1
"""Additional seconds of the first iteration in a JMH fork, for class loading.

They are part of the start-up, because a fork with fewer iterations has them too (docs/measured.md).
"""

_LONGEST = 1e100
"""Upper limit of a fork's seconds; sums and quotients of larger values can overflow."""

Counts = int | npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CostModel:
    """The cost of any smaller configuration of one benchmark.

    Parameters
    ----------
    startup : float
        Seconds of a fork before its first iteration.
    unrecorded : float
        Seconds of warm-up iterations that the harness ran but did not report.
    elapsed : ndarray, shape (iterations + 1,)
        Mean over forks of the seconds from the first recorded iteration to the start of each
        iteration.
    each, times : float
        Fitted to wall-clock times: additional seconds of each iteration, and the ratio of its real
        to its reported length. `unrecorded` and `elapsed` already contain both.
    turning : float
        Additional time of measured iterations when interleaved, as a fraction of their time.
    """

    startup: float
    unrecorded: float
    elapsed: FloatArray
    each: float = 0.0
    times: float = 1.0
    turning: float = 0.0

    def fork_seconds(self, warmup: Counts, first: Counts, iterations: Counts) -> FloatArray:
        """Return the seconds of one fork.

        Parameters
        ----------
        warmup : int or ndarray
            Recorded warm-up iterations.
        first : int or ndarray
            Index of the recorded iteration whose cost is that of the first measured one.
        iterations : int or ndarray
            Measurement iterations.
        """
        measured = self._measured(first, iterations)
        seconds = self.startup + self.unrecorded + self.elapsed[warmup] + measured
        return np.asarray(seconds, dtype=np.float64)

    def pair_seconds(self, warmup: Counts, first: Counts, iterations: Counts) -> FloatArray:
        """Return the seconds of two interleaved forks (`pair_seconds`); see `fork_seconds`."""
        one = self.fork_seconds(warmup, first, iterations)
        return pair_seconds(one, self._measured(first, iterations), self.turning)

    @property
    def full_fork_seconds(self) -> float:
        """Seconds of one fork of the full run."""
        return float(self.startup + self.unrecorded + self.elapsed[-1])

    def _measured(self, first: Counts, iterations: Counts) -> FloatArray:
        return np.asarray(self.elapsed[first + iterations] - self.elapsed[first])


def pair_seconds(
    fork: FloatArray | float, measured: FloatArray | float, turning: float
) -> FloatArray:
    """Return the seconds of two interleaved forks.

    They start at the same time, which takes as long on two processors as starting one after the
    other. Their iterations alternate, including the warm-up.

    Parameters
    ----------
    fork, measured : float or ndarray
        Seconds of one fork run alone, and of its measured iterations.
    turning : float
        Additional time of the measured iterations when interleaved, as a fraction of their time
        (`HarnessCost.turning`).
    """
    return np.asarray(2 * (np.asarray(fork) + turning * np.asarray(measured)), dtype=np.float64)


def configuration_of(benchmark: Benchmark) -> ExecutionConfiguration:
    """Return the benchmark's execution configuration.

    Raises
    ------
    InputError
        If the results lack the length of an iteration.
    """
    if benchmark.configuration is None:
        raise InputError(
            f"{benchmark.identity.label}: the results have no length of iterations, so costs "
            "cannot be estimated; give iteration_seconds"
        )
    return benchmark.configuration


def cost_model(
    benchmark: Benchmark,
    startup_seconds: float = STARTUP_SECONDS,
    *,
    harness: str = DEFAULT_HARNESS,
) -> CostModel:
    """Return the cost model of a benchmark.

    Parameters
    ----------
    benchmark : Benchmark
        A benchmark with an execution configuration.
    startup_seconds : float
        Start-up seconds of a fork, if neither wall-clock times nor the outermost level give them.
    harness : str
        Name of the harness that will run it.

    Raises
    ------
    InputError
        If the results lack the length of an iteration, or a length is out of range.
    """
    configuration = configuration_of(benchmark)
    _check_seconds(benchmark, configuration.warmup_seconds, configuration.iteration_seconds)
    operation = benchmark.seconds_per_operation.reshape(benchmark.forks.shape)
    own = harness_named(harness).cost
    lasting = own.lasting(configuration.iteration_seconds, operation, configuration.batch_size)
    warmup = benchmark.warmup
    lasting[:, :warmup] = own.lasting(
        configuration.warmup_seconds, operation[:, :warmup], configuration.warmup_batch_size
    )
    present = np.isfinite(lasting) & ~np.isnan(benchmark.forks)
    mean = np.where(present, lasting, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
    unrecorded = max(configuration.warmup_iterations - warmup, 0)
    first = float(own.lasting(configuration.warmup_seconds, operation[:, :1], 1).mean())
    model = CostModel(
        startup=benchmark.levels[0].startup_seconds or startup_seconds,
        unrecorded=unrecorded * first,
        elapsed=np.concatenate([[0.0], np.cumsum(mean)]),
        turning=own.turning(configuration),
    )
    timed = configuration.iteration_seconds > 0 and own.timed
    whole = [bool(np.isfinite(fork).all()) for fork in benchmark.measurements]
    spent = [s for s, there in zip(benchmark.spent, whole, strict=False) if s and there]
    model = _fitted(model, spent, unrecorded, timed=timed)
    _check_seconds(benchmark, model.full_fork_seconds)
    return model


def _fitted(model: CostModel, spent: Sequence[Spent], unrecorded: int, *, timed: bool) -> CostModel:
    """Fit a model to the elapsed times of forks.

    The fit uses medians, because the machine can delay a single fork, and one fork includes the
    start of JMH's own JVM.

    Parameters
    ----------
    model : CostModel
        The model from the reported times.
    spent : sequence of Spent
        Wall-clock times of the forks; empty if unknown.
    unrecorded : int
        Warm-up iterations that the harness ran but did not report.
    timed : bool
        Whether iterations have a fixed length, so that additional time is added to each. Otherwise
        all are scaled by the same factor.
    """
    if not spent:
        return model
    seconds = median(one.seconds for one in spent)
    reported = model.unrecorded + float(model.elapsed[-1])
    inner = [one.iterations for one in spent if one.iterations is not None]
    if inner:
        within = median(inner)
    elif timed:
        within = min(reported, seconds)
    else:  # Go's results have only the total time, and its process starts quickly
        within = max(seconds - model.startup, 0.0)
    startup = max(seconds - within, 0.0)
    if timed and within >= reported:
        first = min(FIRST_ITERATION_SECONDS, within - reported)
        each = (within - reported - first) / (unrecorded + len(model.elapsed) - 1)
        counts = np.arange(len(model.elapsed))
        return replace(
            model,
            startup=startup + first,
            unrecorded=model.unrecorded + unrecorded * each,
            elapsed=model.elapsed + each * counts,
            each=each,
        )
    times = within / reported if reported > 0 else 1.0
    return replace(
        model,
        startup=startup,
        unrecorded=times * model.unrecorded,
        elapsed=times * model.elapsed,
        times=times,
    )


def _check_seconds(benchmark: Benchmark, *seconds: float) -> None:
    if not max(seconds) <= _LONGEST:
        raise InputError(
            f"{benchmark.identity.label}: a fork would take more than {_LONGEST:g} s, so costs "
            "cannot be estimated; give the actual seconds of an iteration"
        )
