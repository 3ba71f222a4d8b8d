"""The environment, configuration and older facts about forks in a record of JMH's JSON."""

import math
from collections.abc import Iterable
from typing import Any

from steady.files import plain
from steady.harness.fields import Field
from steady.harness.fork_facts import NO_FACTS, ForkFacts, read_facts
from steady.harness.jmh.time_value import parse_time_value
from steady.harness.trial import SINGLE_SHOT
from steady.model import Environment, ExecutionConfiguration, Identity
from steady.model.units import direction_of, seconds_factor

_TELLING = (
    *("forks", "warmupIterations", "warmupTime", "warmupBatchSize", "measurementIterations"),
    *("measurementTime", "measurementBatchSize", "jdkVersion", "vmName", "vmVersion", "jvmArgs"),
)
"""Keys of the environment and the configuration."""

STOP_KEY = "steadyStop"

_OF_EACH = {
    "steadyBlocks": "block",
    "steadyTurns": "in_turn",
    "steadySeconds": "",
    STOP_KEY: "stop",
}
"""Older keys with one item for each fork."""

_OF_ALL = {"steadyLooks": "looks", "steadyNotRun": "not_run", "steadyDeclared": "declared"}

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
    """Return the message on a contradiction of JMH's mode and unit; None if they agree.

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


def old_facts(record: Field, forks: int) -> tuple[ForkFacts, ...]:
    """Read the facts about forks in the keys of earlier releases, such as ``steadyBlocks``.

    Raises
    ------
    InputError
        If a key is invalid.
    """
    table = record.table()
    if table.keys().isdisjoint(_OF_EACH | _OF_ALL):
        return (NO_FACTS,) * forks
    common: dict[str, Any] = {name: table[key] for key, name in _OF_ALL.items() if key in table}
    if "declared" in common:
        mode = record.member("mode").text()
        common["declared"] = plain(configuration_of(record.member("steadyDeclared"), mode, 0))
    facts = [dict(common) for _ in range(forks)]
    for key in [key for key in _OF_EACH if key in table]:
        values = table[key]
        items = record.member(key).array() if not isinstance(values, dict) else [values]
        if len(items) != forks:
            raise record.error(f"has {len(items)} {key} for {forks} forks; run `steady run` again")
        for one, value in zip(facts, items, strict=True):
            if key != "steadySeconds":
                one[_OF_EACH[key]] = value
            else:  # the whole fork, and its iterations if known
                pair = value if isinstance(value, list) and len(value) in (1, 2) else [value]
                one |= zip(("seconds", "active_seconds"), pair, strict=False)
    return tuple(read_facts(one, record.error) for one in facts)
