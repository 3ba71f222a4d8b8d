"""What Go takes: the flags of ``go test`` for each benchmark, for Go has no file of settings."""

from __future__ import annotations

import re
import shlex

import numpy as np

from steady.errors import InputError
from steady.files import is_text
from steady.harness.go.configure.bench_pattern import exact_pattern, split_name
from steady.harness.go.read.benchtime import MOST_OPERATIONS, Benchtime
from steady.harness.plan_files import Rendered
from steady.model import ExecutionConfiguration, FloatArray, Identity
from steady.optimize.suite_plan import BenchmarkPlan, Plan
from steady.readers.fields import quoted

_GROWTH = 100
"""A run has at most this many times the operations of the run before it."""

_TYPICAL = 1.6
"""Length of all runs together, in benchtimes, if the time of an operation is not known. It was 1.61
to 1.63 on 171 benchmarks of two public suites (docs/real-suites.md). Operations that always take
the same time, far less than the benchtime, would need 1.4 on average."""


def measurement_seconds(benchtime: float, operation: FloatArray, count: int) -> FloatArray:
    """Return how long measurements last, from the first trial to the last measured operation.

    Parameters
    ----------
    benchtime : float
        Seconds that a measurement should last; 0 if its number of operations was set.
    operation : ndarray
        Seconds of one operation in each of them; NaN if unknown.
    count : int
        The number of operations, if it was set.

    Returns
    -------
    ndarray
        Seconds, shape of `operation`: from one benchtime to three. An operation that is longer
        than the benchtime is run once.
    """
    known = np.isfinite(operation) & (operation > 0)
    if benchtime == 0:
        return np.where(known, operation * max(count, 1), 0.0)
    lasting = np.where(known, operation, benchtime)
    # The benchtime is reduced a little before rounding: 0.1 s over 0.05 s is 2 operations, not 3.
    needed = np.floor(np.round(benchtime / lasting, 9))
    wanted = needed + np.floor(needed / 5)
    operations = np.ones_like(lasting)
    total = operations
    enough = benchtime * (1 - 1e-9)
    while (short := (operations * lasting < enough) & (operations < MOST_OPERATIONS)).any():
        grown = np.clip(wanted, operations + 1, _GROWTH * operations)
        operations = np.where(short, np.minimum(grown, MOST_OPERATIONS), operations)
        total = total + np.where(short, operations, 0)
    return np.where(known, total * lasting, _TYPICAL * benchtime)


COMMANDS = "go-test.txt"

_HEAD = """\
# What the plan tells Go, one command for each benchmark. Each stands for one process: run it as
# often as the line above it says, and drop the first results of each process, its warm-up.
# `steady run --plan` does all of this, and takes base and head in turn.
"""
_PACKAGE = re.compile(r"[^\s\x00-\x1f\x7f-][^\s\x00-\x1f\x7f]*")
_NAME = re.compile(r"[^\s\x00-\x1f\x7f]+")


def render_go(plan: Plan, benchmark_list: bytes | None) -> Rendered:
    """Return Go's configuration; see `steady.emit.Emitter`.

    Parameters
    ----------
    plan : Plan
        What to run.
    benchmark_list : bytes, optional
        Of no use: a list of benchmarks is something that JMH has.

    Raises
    ------
    InputError
        If Go cannot be told what the plan says, or a list was given.
    """
    if benchmark_list is not None:
        raise InputError("a plan for Go does not use a jar; leave it out")
    for benchmark in plan.benchmarks:
        _check(benchmark)
    if not plan.benchmarks:
        return Rendered({}, ("the plan holds no benchmarks, so there is nothing to run",))
    commands = _HEAD + "".join(map(_command, plan.benchmarks))
    return Rendered({COMMANDS: commands.encode()})


def benchtime_of(configuration: ExecutionConfiguration) -> Benchtime:
    """Return how long the iterations of a configuration last."""
    return Benchtime(configuration.iteration_seconds, configuration.batch_size)


def benchmark_flags(
    identity: Identity, configuration: ExecutionConfiguration, *, prefix: str
) -> list[str]:
    """Return the flags with which Go runs one process of one benchmark.

    Parameters
    ----------
    identity : Identity
        The benchmark.
    configuration : ExecutionConfiguration
        What the process runs; `forks` is how often it is started.
    prefix : str
        What a flag begins with: ``-`` for ``go test``, ``-test.`` for a test binary.
    """
    _, benchmark = split_name(identity.name)
    return [
        f"{prefix}bench={exact_pattern(benchmark)}",
        f"{prefix}benchtime={benchtime_of(configuration).text}",
        f"{prefix}count={configuration.warmup_iterations + configuration.iterations}",
        f"{prefix}cpu={identity.threads}",
        f"{prefix}benchmem",
    ]


def _command(benchmark: BenchmarkPlan) -> str:
    identity, configuration = benchmark.identity, benchmark.configuration
    package, _ = split_name(identity.name)
    flags = ["-run=^$", *benchmark_flags(identity, configuration, prefix="-")]
    results = configuration.warmup_iterations + configuration.iterations
    return (
        f"\n# processes: {configuration.forks}; warm-up: {configuration.warmup_iterations} of "
        f"{results} results\n{shlex.join(['go', 'test', *flags, package])}\n"
    )


def _check(benchmark: BenchmarkPlan) -> None:
    """Raise an InputError where Go cannot be told what the plan says of a benchmark."""
    problem = _identity_problem(benchmark.identity) or _problem(benchmark.configuration)
    if problem:
        raise InputError(
            f"{problem}; Go cannot run this: make a new plan from the output of go test",
            where=quoted(benchmark.identity.label, 200),
        )


def _identity_problem(identity: Identity) -> str:
    try:
        package, name = split_name(identity.name)
    except ValueError as error:
        return str(error)
    if identity.mode != "avgt" or identity.params:
        return "it has a mode or parameters of another harness"
    if not package:
        return "its package is not known, because no pkg: line stood above its results"
    if not _PACKAGE.fullmatch(package) or not _NAME.fullmatch(name):
        return "its name holds white space or control characters"
    if not is_text(identity.name):
        return "its name is not Unicode text"
    return "" if identity.threads >= 1 else f"{identity.threads} processors are less than one"


def _problem(configuration: ExecutionConfiguration) -> str:
    least = {"forks": 1, "warmup_iterations": 0, "iterations": 1, "batch_size": 1}
    for field, minimum in least.items():
        value = getattr(configuration, field)
        if value < minimum:
            return f"its {field.replace('_', ' ')} cannot be {value}"
    if configuration.warmup_iterations and (
        configuration.warmup_seconds != configuration.iteration_seconds
        or configuration.warmup_batch_size != configuration.batch_size
    ):
        return "its warm-up iterations are not as long as the others"
    return ""
