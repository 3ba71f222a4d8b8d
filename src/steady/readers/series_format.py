"""The series format, steady's own: plain arrays of measurements as JSON.

See docs/series-format.md.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np
from msgspec import UNSET, structs

from steady.errors import InputError
from steady.files import write_text
from steady.harness.document import Document
from steady.harness.fields import Field, quoted
from steady.harness.suite_builder import duplicate_message
from steady.model import (
    Benchmark,
    Environment,
    ExecutionConfiguration,
    Failure,
    Identity,
    Level,
    Suite,
)
from steady.readers.forks import (
    missing_before_present,
    read_nested,
    write_nested,
)
from steady.readers.series_schema import (
    ADVICE,
    MARK,
    VERSION,
    BenchmarkTable,
    FailureTable,
    SeriesFile,
    declared,
)

_Table = dict[str, object]


def recognizes(document: Document) -> bool:
    """Return whether a document has this format: an object with ``steady_series``."""
    if not document.text.lstrip().startswith("{"):
        return False
    return isinstance(document.data, dict) and MARK in document.data


def read(document: Document) -> Suite:
    """Read the series format.

    Raises
    ------
    InputError
        If the document does not follow the schema; the message names the place.
    """
    top = Field(document.data, document.source, advice=ADVICE)
    file = declared(top)
    benchmarks: dict[Identity, Benchmark] = {}
    twice: dict[Identity, str] = {}
    places: dict[Identity, str] = {}
    fields = top.member("benchmarks").items()
    for field, table in zip(fields, file.benchmarks, strict=True):
        identity = _identity_of(table)
        first = places.setdefault(identity, field.where)
        if first == field.where:
            benchmarks[identity] = _benchmark_of(table, file, field)
        else:
            twice[identity] = duplicate_message((first, field.where))
            benchmarks.pop(identity, None)
    failures = [(_identity_of(failed), failed.reason) for failed in file.failures]
    return Suite(
        tuple(benchmarks.values()),
        harness=file.harness,
        harness_version=file.harness_version,
        sources=(document.source,),
        failures=tuple(Failure(*failed) for failed in (*failures, *twice.items())),
    )


def _benchmark_of(table: BenchmarkTable, file: SeriesFile, field: Field) -> Benchmark:
    """Return a benchmark, completed by the defaults at the top of the document."""
    levels = table.levels or file.levels
    measurements = read_nested(field.member("measurements"), len(levels))
    repetitions = measurements.shape[-1]
    if table.warmup > repetitions:
        raise field.member("warmup").error(
            f"{table.warmup} warm-up repetitions of only {repetitions}"
        )
    environment = file.environment if table.environment is UNSET else table.environment
    return Benchmark(
        _identity_of(table),
        table.unit or file.unit,
        measurements,
        tuple(Level(**structs.asdict(level)) for level in levels),
        table.warmup,
        _configuration(table, file, measurements.shape),
        Environment(**structs.asdict(environment)),
        calibrated=table.calibrated,
        variant=table.variant,
    )


def _identity_of(table: BenchmarkTable | FailureTable) -> Identity:
    return Identity(table.name, table.mode, tuple(table.params.items()), table.threads)


def _configuration(
    table: BenchmarkTable, file: SeriesFile, shape: tuple[int, ...]
) -> ExecutionConfiguration | None:
    """Return the configuration of a benchmark; by default, that of its measurements' shape."""
    if table.configuration is not UNSET:
        return ExecutionConfiguration(**structs.asdict(table.configuration))
    if file.iteration_seconds is UNSET:
        return None
    return ExecutionConfiguration(
        forks=math.prod(shape[:-1]),
        warmup_iterations=table.warmup,
        iterations=shape[-1] - table.warmup,
        warmup_seconds=file.iteration_seconds,
        iteration_seconds=file.iteration_seconds,
    )


def write_series(suite: Suite, path: str | Path) -> None:
    """Write a suite in the series format, atomically.

    Reading the file returns the same suite, except for its sources and the rounds of its forks.

    Parameters
    ----------
    suite : Suite
        Suite with at least one benchmark.
    path : path-like
        Output file; an existing file is replaced.

    Raises
    ------
    InputError
        If the suite is empty, contains a measurement that is infinite, negative, or missing in the
        middle of its level, or if the file cannot be written.

    Examples
    --------
    >>> import steady
    >>> suite = steady.Suite.of({"parse": [[3.0, 1.0, 1.1], [2.9, 1.0, 1.2]]}, unit="ms/op")
    >>> steady.write_series(suite, "series.json")
    >>> steady.load("series.json")["parse"].unit
    'ms/op'
    """
    write_text(path, series_text(suite, str(path)))


def series_text(suite: Suite, target: str = "a suite") -> str:
    """Return a suite in the series format; see `write_series`. Messages refer to it as `target`."""
    if not suite.benchmarks:
        raise InputError("a suite without benchmarks cannot be written", source=target)
    head = _head(suite)
    benchmarks = [_benchmark_table(benchmark, head) for benchmark in suite.benchmarks]
    outline = {**head, "benchmarks": [{**table, "measurements": []} for table in benchmarks]}
    declared(Field(json.loads(_encode(outline)), target, advice=ADVICE))
    lines = ",\n".join(_encode(table) for table in benchmarks)
    return f'{_encode(head)[:-1]}, "benchmarks": [\n{lines}\n]}}\n'


def _head(suite: Suite) -> _Table:
    first = suite.benchmarks[0]
    head: _Table = {
        MARK: VERSION,
        "harness": suite.harness,
        "harness_version": suite.harness_version,
        "unit": first.unit,
        "levels": [asdict(level) for level in first.levels],
        "environment": _environment_table(first.environment),
    }
    if suite.failures:
        head["failures"] = [
            {**_identity_table(failure.identity), "reason": failure.reason}
            for failure in suite.failures
        ]
    return head


def _benchmark_table(benchmark: Benchmark, head: Mapping[str, object]) -> _Table:
    _check_values(benchmark)
    table: _Table = _identity_table(benchmark.identity)
    own: _Table = {
        "unit": benchmark.unit,
        "levels": [asdict(level) for level in benchmark.levels],
        "environment": _environment_table(benchmark.environment),
    }
    table.update({key: value for key, value in own.items() if value != head[key]})
    if benchmark.warmup:
        table["warmup"] = benchmark.warmup
    if benchmark.configuration is not None:
        table["configuration"] = asdict(benchmark.configuration)
    if benchmark.calibrated:
        table["calibrated"] = True
    if benchmark.variant:
        table["variant"] = dict(benchmark.variant)
    table["measurements"] = write_nested(benchmark.measurements)
    return table


def _identity_table(identity: Identity) -> _Table:
    table: _Table = {"name": identity.name, "mode": identity.mode, "threads": identity.threads}
    if identity.params:
        table["params"] = dict(identity.params)
    return table


def _environment_table(environment: Environment) -> _Table:
    return {key: value for key, value in asdict(environment).items() if value}


def _check_values(benchmark: Benchmark) -> None:
    values = benchmark.measurements
    given = values[~np.isnan(values)]
    if not given.size or np.isinf(given).any() or (given < 0).any():
        problem = "has no measurements, or infinite or negative ones"
    elif missing_before_present(values) is not None:
        problem = "has a missing repetition before a present one"
    else:
        return
    raise InputError(f"{quoted(benchmark.identity.label)} {problem}, so it cannot be written")


def _encode(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
        text.encode()
    except (TypeError, ValueError) as error:
        raise InputError(f"the suite has a value that JSON cannot represent ({error})") from None
    return text


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a {type(value).__name__}")
