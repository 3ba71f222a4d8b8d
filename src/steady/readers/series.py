"""The project's own format: plain arrays of measurements as JSON (docs/series-format.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from steady.model import (
    Benchmark,
    Environment,
    ExecutionConfiguration,
    Failure,
    FloatArray,
    Identity,
    Level,
    Suite,
)
from steady.readers.fields import Field, quoted
from steady.readers.nested import read_nested
from steady.readers.series_schema import ADVICE, MARK, check
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
    check(top)
    defaults = _Defaults.of(top)
    benchmarks: dict[Identity, Benchmark] = {}
    for field in top.member("benchmarks").items():
        benchmark = _benchmark(field, defaults)
        if benchmark.identity in benchmarks:
            raise field.error(f"{quoted(benchmark.identity.label)} stands here a second time")
        benchmarks[benchmark.identity] = benchmark
    harness, version, failed = (
        top.optional(key) for key in ("harness", "harness_version", "failures")
    )
    return Suite(
        tuple(benchmarks.values()),
        harness="series" if harness is None else harness.text(),
        harness_version="" if version is None else version.text(),
        sources=(document.source,),
        failures=()
        if failed is None
        else tuple(Failure(_identity(f), f.member("reason").text()) for f in failed.items()),
    )


@dataclass(frozen=True, slots=True)
class _Defaults:
    """Values at the top of a document, for all benchmarks without their own."""

    unit: str
    levels: tuple[Level, ...]
    iteration_seconds: float | None
    environment: Environment

    @classmethod
    def of(cls, top: Field) -> _Defaults:
        seconds = top.optional("iteration_seconds")
        return cls(
            top.member("unit").text(),
            _levels(top.member("levels")),
            None if seconds is None else _seconds(seconds),
            _environment(top.optional("environment")),
        )


def _benchmark(field: Field, defaults: _Defaults) -> Benchmark:
    unit, levels, warmup, configured, environment = (
        field.optional(key) for key in ("unit", "levels", "warmup", "configuration", "environment")
    )
    axes = defaults.levels if levels is None else _levels(levels)
    measurements = read_nested(field.member("measurements"), len(axes))
    leading = 0 if warmup is None else warmup.whole(0)
    if warmup is not None and leading > measurements.shape[-1]:
        raise warmup.error(f"{leading} warm-up repetitions of only {measurements.shape[-1]}")
    return Benchmark(
        _identity(field),
        defaults.unit if unit is None else unit.text(),
        measurements,
        axes,
        leading,
        _nominal(defaults.iteration_seconds, measurements, leading)
        if configured is None
        else _configuration(configured),
        defaults.environment if environment is None else _environment(environment),
    )


def _identity(field: Field) -> Identity:
    mode, params, threads = (field.optional(key) for key in ("mode", "params", "threads"))
    return Identity(
        field.member("name").text(),
        "avgt" if mode is None else mode.text(),
        () if params is None else params.texts(),
        1 if threads is None else threads.whole(1),
    )


def _levels(field: Field) -> tuple[Level, ...]:
    return tuple(
        Level(item.member("name").text(), 0.0 if startup is None else _seconds(startup))
        for item in field.items()
        for startup in [item.optional("startup_seconds")]
    )


def _environment(field: Field | None) -> Environment:
    if field is None:
        return Environment()
    texts = {
        key: value.text()
        for key in ("cpu", "os", "jdk", "vm")
        if (value := field.optional(key)) is not None
    }
    arguments = field.optional("jvm_args")
    items = () if arguments is None else tuple(item.text() for item in arguments.items())
    return Environment(**texts, jvm_args=items)


def _configuration(field: Field) -> ExecutionConfiguration:
    batches = {
        key: value.whole(0)
        for key in ("warmup_batch_size", "batch_size")
        if (value := field.optional(key)) is not None
    }
    return ExecutionConfiguration(
        field.member("forks").whole(0),
        field.member("warmup_iterations").whole(0),
        field.member("iterations").whole(0),
        _seconds(field.member("warmup_seconds")),
        _seconds(field.member("iteration_seconds")),
        **batches,
    )


def _nominal(
    seconds: float | None, measurements: FloatArray, warmup: int
) -> ExecutionConfiguration | None:
    """Return the configuration that follows from the shape of the measurements."""
    if seconds is None:
        return None
    return ExecutionConfiguration(
        forks=math.prod(measurements.shape[:-1]),
        warmup_iterations=warmup,
        iterations=measurements.shape[-1] - warmup,
        warmup_seconds=seconds,
        iteration_seconds=seconds,
    )


def _seconds(field: Field) -> float:
    seconds = field.number()
    if not math.isfinite(seconds):
        raise field.wrong("a finite number of seconds")
    return seconds
