"""The project's own format: plain arrays of measurements as JSON (docs/series-format.md)."""

from __future__ import annotations

import math

from msgspec import UNSET
from msgspec.structs import asdict

from steady.model import (
    Benchmark,
    Environment,
    ExecutionConfiguration,
    Failure,
    Identity,
    Level,
    Suite,
)
from steady.readers.fields import Field, quoted
from steady.readers.nested import read_nested
from steady.readers.series_schema import (
    ADVICE,
    MARK,
    BenchmarkTable,
    FailureTable,
    SeriesFile,
    declared,
)
from steady.readers.sources import Document


def recognizes(document: Document) -> bool:
    """Tell whether a document is of this format: an object with ``steady_series``."""
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
    fields = top.member("benchmarks").items()
    for field, table in zip(fields, file.benchmarks, strict=True):
        benchmark = _benchmark(table, file, field)
        if benchmark.identity in benchmarks:
            raise field.error(f"{quoted(benchmark.identity.label)} stands here a second time")
        benchmarks[benchmark.identity] = benchmark
    return Suite(
        tuple(benchmarks.values()),
        harness=file.harness,
        harness_version=file.harness_version,
        sources=(document.source,),
        failures=tuple(Failure(_identity(failed), failed.reason) for failed in file.failures),
    )


def _benchmark(table: BenchmarkTable, file: SeriesFile, field: Field) -> Benchmark:
    """Return a benchmark; what it does not say itself, the top of the document says."""
    levels = table.levels or file.levels
    measurements = read_nested(field.member("measurements"), len(levels))
    repetitions = measurements.shape[-1]
    if table.warmup > repetitions:
        raise field.member("warmup").error(
            f"{table.warmup} warm-up repetitions of only {repetitions}"
        )
    environment = file.environment if table.environment is UNSET else table.environment
    return Benchmark(
        _identity(table),
        table.unit or file.unit,
        measurements,
        tuple(Level(**asdict(level)) for level in levels),
        table.warmup,
        _configuration(table, file, measurements.shape),
        Environment(**asdict(environment)),
    )


def _identity(table: BenchmarkTable | FailureTable) -> Identity:
    return Identity(table.name, table.mode, tuple(table.params.items()), table.threads)


def _configuration(
    table: BenchmarkTable, file: SeriesFile, shape: tuple[int, ...]
) -> ExecutionConfiguration | None:
    """Return what a benchmark says, or else what the shape of its measurements stands for."""
    if table.configuration is not UNSET:
        return ExecutionConfiguration(**asdict(table.configuration))
    if file.iteration_seconds is UNSET:
        return None
    return ExecutionConfiguration(
        forks=math.prod(shape[:-1]),
        warmup_iterations=table.warmup,
        iterations=shape[-1] - table.warmup,
        warmup_seconds=file.iteration_seconds,
        iteration_seconds=file.iteration_seconds,
    )
