"""The flags of ``go test`` for each benchmark, as Go has no configuration file."""

import re

import numpy as np

from steady.files import is_text
from steady.harness.go.bench_pattern import exact_pattern, split_name
from steady.harness.go.read.benchtime import MOST_OPERATIONS, Benchtime
from steady.model import ExecutionConfiguration, FloatArray, Identity
from steady.plan.suite_plan import BenchmarkPlan
from steady.programs.option_file import OptionFile, configuration_problem

_GROWTH = 100
"""Largest ratio of the numbers of operations of successive trials."""

_TYPICAL = 1.6
"""Length of all trials together, in benchtimes, if the time of an operation is unknown: 1.61 to
1.63 for 171 benchmarks of two public suites (docs/real-suites-full.md). For operations that take a
constant time, far shorter than the benchtime, it is 1.4 on average."""


def measurement_seconds(benchtime: float, operation: FloatArray, count: int) -> FloatArray:
    """Return the duration of measurements, from the first trial to the last operation.

    Parameters
    ----------
    benchtime : float
        Nominal seconds of a measurement; 0 for a fixed number of operations.
    operation : ndarray
        Seconds of one operation in each measurement; NaN if unknown.
    count : int
        The fixed number of operations.

    Returns
    -------
    ndarray
        Seconds, shape of `operation`: between one and three benchtimes. An operation longer than
        the benchtime is run once.
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


_HEAD = """\
# Commands of the plan for Go, one for each benchmark. A command runs one process. The line above it
# has the number of processes, and the number of warm-up results that each process begins with: drop
# them. `steady run --plan` does all of this, and interleaves base and head.
"""
_PACKAGE = re.compile(r"[^\s\x00-\x1f\x7f-][^\s\x00-\x1f\x7f]*")
_NAME = re.compile(r"[^\s\x00-\x1f\x7f]+")


def benchtime_of(configuration: ExecutionConfiguration) -> Benchtime:
    """Return the benchtime of an iteration."""
    return Benchtime(configuration.iteration_seconds, configuration.batch_size)


def benchmark_flags(
    identity: Identity, configuration: ExecutionConfiguration, *, prefix: str
) -> list[str]:
    """Return Go's flags for one process of one benchmark.

    Parameters
    ----------
    identity : Identity
        The benchmark.
    configuration : ExecutionConfiguration
        Its configuration.
    prefix : str
        Prefix of flags: ``-`` for ``go test``, ``-test.`` for a test binary.
    """
    _, benchmark = split_name(identity.name)
    return [
        f"{prefix}bench={exact_pattern(benchmark)}",
        f"{prefix}benchtime={benchtime_of(configuration).text}",
        f"{prefix}count={configuration.warmup_iterations + configuration.iterations}",
        f"{prefix}cpu={identity.threads}",
        f"{prefix}benchmem",
    ]


def _words(identity: Identity, configuration: ExecutionConfiguration) -> list[str]:
    package, _ = split_name(identity.name)
    return ["go", "test", "-run=^$", *benchmark_flags(identity, configuration, prefix="-"), package]


def _problem(benchmark: BenchmarkPlan) -> str:
    """Return the reason why Go cannot run a planned configuration; empty if it can."""
    identity, how = benchmark.identity, benchmark.configuration
    try:
        package, name = split_name(identity.name)
    except ValueError as error:
        return str(error)
    if identity.mode != "avgt" or identity.params:
        return "it has a mode or parameters of another harness"
    if not package:
        return "its package is unknown because its results were not preceded by a pkg: line"
    if not _PACKAGE.fullmatch(package) or not _NAME.fullmatch(name):
        return "its name contains white space or control characters"
    if not is_text(identity.name):
        return "its name is not Unicode text"
    if identity.threads < 1:
        return f"{identity.threads} processors are fewer than one"
    longer = (how.warmup_seconds, how.warmup_batch_size) != (how.iteration_seconds, how.batch_size)
    other = "its warm-up and measurement iterations differ in length"
    return configuration_problem(how) or other * bool(how.warmup_iterations and longer)


COMMANDS = OptionFile(
    "Go",
    "go-test.txt",
    _HEAD,
    _words,
    "processes: {how.forks}; warm-up: {how.warmup_iterations} of {count} results",
    _problem,
    "the output of go test",
)
"""Go's command lines."""
