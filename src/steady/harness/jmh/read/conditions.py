"""The environment and configuration of a benchmark, from a record of JMH's JSON."""

import math
from collections.abc import Iterable

from steady.harness.fields import Field
from steady.harness.jmh.time_value import parse_time_value
from steady.harness.trial import SINGLE_SHOT
from steady.model import Environment, ExecutionConfiguration, Identity
from steady.model.units import direction_of, seconds_factor

_TELLING = (
    *("forks", "warmupIterations", "warmupTime", "warmupBatchSize", "measurementIterations"),
    *("measurementTime", "measurementBatchSize", "jdkVersion", "vmName", "vmVersion", "jvmArgs"),
)
"""Keys of the environment and the configuration."""

Known = dict[str, tuple[ExecutionConfiguration | None, Environment]]


def circumstances(
    record: Field, identity: Identity, rows: int, known: Known
) -> tuple[ExecutionConfiguration | None, Environment]:
    """Return environment and configuration; equal ones of several benchmarks are one object."""
    values = record.table()
    key = repr((identity.mode == SINGLE_SHOT, rows, [values.get(name, ...) for name in _TELLING]))
    if key not in known:
        known[key] = configuration_of(record, identity.mode, rows), _environment(record)
    return known[key]


def jvm_arguments(arguments: Iterable[str]) -> tuple[str, ...]:
    """Return the arguments of a JVM without JMH's own properties.

    Forks inherit properties such as ``-Djmh.scorePrecision`` from JMH's JVM. They change how JMH
    prints, not how a benchmark runs, and would make two equal runs look different.
    """
    return tuple(argument for argument in arguments if not argument.startswith("-Djmh."))


def contradiction(mode: str, unit: str) -> str | None:
    """Return the message on a contradiction of JMH's mode and unit; None without one.

    Throughput is operations per time; every other mode is time per operation. If they contradict
    each other, the direction of a regression is unknown.
    """
    expected = "higher" if mode == "thrpt" else "lower"
    if not math.isfinite(seconds_factor(unit)) or direction_of(unit) == expected:
        return None
    return f"its mode {mode} and its unit {unit} contradict each other"


def configuration_of(record: Field, mode: str, rows: int) -> ExecutionConfiguration | None:
    """Return JMH's configuration; None for JSON of tools that write only a part of it."""
    if not {"forks", "warmupIterations", "measurementIterations"} <= record.table().keys():
        return None
    single_shot = mode == SINGLE_SHOT
    return ExecutionConfiguration(
        forks=record.member("forks").whole(0) or rows,  # -f 0: in JMH's own JVM, once
        warmup_iterations=record.member("warmupIterations").whole(0),
        iterations=record.member("measurementIterations").whole(0),
        warmup_seconds=_seconds(record.member("warmupTime"), single_shot),
        iteration_seconds=_seconds(record.member("measurementTime"), single_shot),
        warmup_batch_size=record.optional("warmupBatchSize", 1).whole(0) or 1,
        batch_size=record.optional("measurementBatchSize", 1).whole(0) or 1,
    )


def _environment(record: Field) -> Environment:
    name, version = (record.optional(key, "").text() for key in ("vmName", "vmVersion"))
    return Environment(
        jdk=record.optional("jdkVersion", "").text(),
        vm=f"{name} {version}".strip(),
        jvm_args=jvm_arguments(item.text() for item in record.optional("jvmArgs", []).items()),
    )


def _seconds(field: Field, single_shot: bool) -> float:
    text = field.text()
    try:
        seconds = parse_time_value(text)
    except ValueError:
        raise field.wrong("a duration such as '100 ms'") from None
    return 0.0 if single_shot else seconds  # JMH prints the default time but does not use it
