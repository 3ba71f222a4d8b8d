"""What a benchmark declares in its annotations, according to JMH's list of benchmarks."""

from __future__ import annotations

from dataclasses import dataclass, replace

from steady.harness.jmh.configure.benchmark_list import BenchmarkListEntry, UnknownFormatError
from steady.harness.jmh.read.times import parse_time_value
from steady.harness.trial import SINGLE_SHOT
from steady.model import ExecutionConfiguration

_DEFAULTS = ExecutionConfiguration(5, 5, 5, 10.0, 10.0)
_DEFAULTS_BEFORE = ExecutionConfiguration(10, 20, 20, 1.0, 1.0)
JMH_DEFAULTS = (_DEFAULTS, _DEFAULTS_BEFORE)
"""What JMH runs of a benchmark that declares nothing, since 1.21 and before."""
_DEFAULTS_SINCE = (1, 21)
_LONGEST_SECONDS = 2.0**31 - 1


@dataclass(frozen=True, slots=True)
class Declared:
    """What JMH runs of a benchmark without options on its command line.

    Source: ``org.openjdk.jmh.runner.Defaults`` and ``Runner.newBenchmarkParams``.

    Parameters
    ----------
    configuration : ExecutionConfiguration
        The annotated numbers, or JMH's defaults. No forks means that JMH runs it in its own JVM
        (``@Fork(0)``).
    warmup_forks : int
        Forks that JMH runs before the others, without their results (``@Fork(warmups = 1)``).
    timeout : float or None
        Seconds that an iteration may take beyond its time (``@Timeout``); None if the benchmark
        does not declare it.
    """

    configuration: ExecutionConfiguration
    warmup_forks: int = 0
    timeout: float | None = None


def is_default(configuration: ExecutionConfiguration) -> bool:
    """Tell whether a configuration is what JMH runs of a benchmark that declares nothing."""
    return configuration in JMH_DEFAULTS


def declared_by(
    record: BenchmarkListEntry, mode: str, jmh_version: tuple[int, int] | None
) -> Declared:
    """Return what a line of the list declares.

    Parameters
    ----------
    record : BenchmarkListEntry
        The line.
    mode : str
        One of its modes; a record of all modes has several.
    jmh_version : tuple of int, optional
        Such as (1, 37), because the defaults changed in 1.21; None if it is unknown.

    Raises
    ------
    UnknownFormatError
        If a duration in it is not one of JMH's.
    """
    old = jmh_version is not None and jmh_version < _DEFAULTS_SINCE
    default = _DEFAULTS_BEFORE if old else _DEFAULTS
    if mode == SINGLE_SHOT:  # no time counts, not even an annotated one
        default = replace(default, warmup_iterations=0, iterations=1)
        warmup_seconds = iteration_seconds = 0.0
    else:
        warmup_seconds = _seconds(record, "warmup time", default.warmup_seconds)
        iteration_seconds = _seconds(record, "measurement time", default.iteration_seconds)
    timeout = record.annotated("timeout")
    return Declared(
        ExecutionConfiguration(
            forks=_number(record, "forks", default.forks),
            warmup_iterations=_number(record, "warmup iterations", default.warmup_iterations),
            iterations=_number(record, "measurement iterations", default.iterations),
            warmup_seconds=warmup_seconds,
            iteration_seconds=iteration_seconds,
            warmup_batch_size=_number(record, "warmup batch size", 1) or 1,
            batch_size=_number(record, "measurement batch size", 1) or 1,
        ),
        warmup_forks=_number(record, "warmup forks", 0),
        timeout=None if timeout is None else _seconds(record, "timeout", 0.0),
    )


def _number(record: BenchmarkListEntry, field: str, default: int) -> int:
    text = record.annotated(field)
    return default if text is None else int(text)


def _seconds(record: BenchmarkListEntry, field: str, default: float) -> float:
    text = record.annotated(field)
    try:
        return default if text is None else min(parse_time_value(text), _LONGEST_SECONDS)
    except ValueError as error:
        raise UnknownFormatError(f"{error} ({field})") from None
