"""The cost of an execution configuration in seconds of the harness.

The harness decides how long an iteration lasts (`HarnessCost`). Every fork needs its
start-up and its warm-up again. `steady run` notes how long each fork took by the clock. If the
results contain this, two parts of the cost are fitted to it: the start-up, and the time in the
iterations that the results do not report. If base and head take turns, both need everything that
one fork needs. In addition, JMH's short turns take longer together than the iteration that they
replace (`pair_seconds`).
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
"""Start of a JVM and of JMH in it, if the results do not contain it: see ``docs/decisions.md``."""

BETWEEN_SECONDS = 0.002
"""JMH needs about this long between two iterations (docs/measured.md)."""

FIRST_ITERATION_SECONDS = 0.1
"""By how much the first iteration of JMH's fork takes longer than the others, because classes are
loaded. It belongs to the start-up: a fork with fewer iterations has it too (docs/measured.md)."""

_LONGEST = 1e100
"""Most seconds of a fork; sums and quotients of longer ones leave the range of numbers."""

Counts = int | npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CostModel:
    """The cost of any smaller configuration of one benchmark.

    Parameters
    ----------
    startup : float
        Seconds that a fork costs before its first iteration.
    unrecorded : float
        Seconds of the warm-up iterations that the harness ran but did not report.
    elapsed : ndarray, shape (iterations + 1,)
        Seconds from the first recorded iteration of a fork to the start of each iteration, as
        the mean over forks.
    each, times : float
        What the fit to the clock found: seconds that each iteration takes in addition, and how many
        times longer it took than the results report. `unrecorded` and `elapsed` already contain
        both.
    turning : float
        By how much measured iterations take longer in turns than alone, as a share of their time.
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
            Recorded iterations that are warm-up.
        first : int or ndarray
            Position in the record of the iteration that costs as much as the first measured one.
        iterations : int or ndarray
            Measurement iterations.
        """
        measured = self._measured(first, iterations)
        seconds = self.startup + self.unrecorded + self.elapsed[warmup] + measured
        return np.asarray(seconds, dtype=np.float64)

    def pair_seconds(self, warmup: Counts, first: Counts, iterations: Counts) -> FloatArray:
        """Return the seconds of two forks that take turns (`pair_seconds`); see `fork_seconds`."""
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
    """Return the seconds of two forks that take turns.

    They start at the same time, but on two processors that takes as long as one after the other.
    Their iterations run one after the other, warm-up included.

    Parameters
    ----------
    fork, measured : float or ndarray
        Seconds of one fork that runs alone, and of its measured iterations.
    turning : float
        By how much these take longer in turns (`HarnessCost.turning`).
    """
    return np.asarray(2 * (np.asarray(fork) + turning * np.asarray(measured)), dtype=np.float64)


def configuration_of(benchmark: Benchmark) -> ExecutionConfiguration:
    """Return the benchmark's execution configuration.

    Raises
    ------
    InputError
        If the length of an iteration is unknown.
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
        Start-up of a fork, if neither the clock nor the outermost level gives it.
    harness : str
        The harness that will run it.

    Raises
    ------
    InputError
        If the length of an iteration is unknown or impossibly long.
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

    The fit uses the medians of the forks. The machine may have delayed a single fork, and one fork
    pays for the start of JMH's own JVM.

    Parameters
    ----------
    model : CostModel
        The model from what the results report.
    spent : sequence of Spent
        Empty if this is not known.
    unrecorded : int
        Warm-up iterations that the harness ran but did not report.
    timed : bool
        Whether iterations last a set time, so that any other time is added to each. Otherwise all
        of them take longer by the same factor.
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
    else:  # Go's results have only the whole time, and the start of the process is short
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
