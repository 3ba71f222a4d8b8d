"""The declaration of the series format: objects, fields and limits."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from steady.errors import InputError
from steady.files import describe_validation_error, is_text
from steady.harness.fields import Field
from steady.model import Environment, ExecutionConfiguration, Level
from steady.model.json_tables import fields_of

MARK = "steady_series"
"""The key of documents in this format; its value is the version."""

VERSION = 1

ADVICE = "docs/series-format.md shows the format"

Name = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=0, lt=2**53)]
Positive = Annotated[int, Meta(ge=1, lt=2**53)]
Seconds = Annotated[float, Meta(ge=0, le=1e300)]

# `steady.readers.forks.read_nested` checks the depth, because it is faster.
_OWN = "#/$defs/BenchmarkTable/properties/measurements"
_ITEM = {"anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}, {"$ref": _OWN}]}
Measurements = Annotated[list[Any], Meta(extra_json_schema={"items": _ITEM})]


class _Table(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An object of the format."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, dict):
                value = " ".join([*value, *value.values()])
            elif name == "jvm_args":
                value = " ".join(value)
            if isinstance(value, str) and not is_text(value):
                raise ValueError(
                    f"{name} holds an incomplete character (a lone surrogate); rename it"
                )


@fields_of(Level, {str: Name, float: Seconds})
class LevelTable(_Table, frozen=True):
    """The meaning of an axis of the measurements, and the overhead of a repetition."""


@fields_of(Environment, {})
class EnvironmentTable(_Table, frozen=True):
    """The environment of a benchmark."""


@fields_of(ExecutionConfiguration, {int: Count, float: Seconds})
class ConfigurationTable(_Table, frozen=True):
    """The configuration passed to the harness, instead of iteration_seconds."""


Levels = Annotated[tuple[LevelTable, ...], Meta(min_length=1, max_length=8)]


class _NamedTable(_Table, frozen=True, kw_only=True):
    """The identity of a benchmark."""

    name: str
    mode: str = "avgt"
    threads: Positive = 1
    params: dict[str, str] = {}


class BenchmarkTable(_NamedTable, frozen=True, kw_only=True):
    """A benchmark.

    The measurements are nested arrays with one depth per level; null is a missing repetition.
    `warmup` is the number of leading repetitions of the innermost level that are warm-up.
    `calibrated` and `variant` are those of `steady.Benchmark`.
    """

    unit: Name | UnsetType = UNSET
    levels: Levels | UnsetType = UNSET
    environment: EnvironmentTable | UnsetType = UNSET
    warmup: Count = 0
    configuration: ConfigurationTable | UnsetType = UNSET
    calibrated: bool = False
    variant: dict[str, str] = {}
    measurements: Measurements


class FailureTable(_NamedTable, frozen=True, kw_only=True):
    """A benchmark without a result."""

    reason: str


class SeriesFile(_Table, frozen=True, kw_only=True):
    """Measurements of benchmarks as plain arrays; docs/series-format.md explains every field.

    Levels are named outermost first.
    """

    steady_series: Literal[1]
    harness: Name = "series"
    harness_version: str = ""
    unit: Name
    iteration_seconds: Seconds | UnsetType = UNSET
    levels: Levels
    environment: EnvironmentTable = EnvironmentTable()
    failures: tuple[FailureTable, ...] = ()
    benchmarks: tuple[BenchmarkTable, ...]


def declared(top: Field) -> SeriesFile:
    """Check a document against the declaration, except for its measurements.

    Raises
    ------
    InputError
        If the document has a different version, or does not match the declaration.
    """
    version = top.member(MARK)
    if version.whole(0) != VERSION:
        raise version.error(
            f"is version {version.value} of the series format; this release reads version {VERSION}"
        )
    try:
        return msgspec.convert(top.value, SeriesFile)
    except msgspec.ValidationError as error:
        problem, place = describe_validation_error(error)
        where = place.removeprefix("$").removeprefix(".") or "top level"
        raise InputError(f"{problem}; {top.advice}", source=top.source, where=where) from None
    except UnicodeEncodeError:  # in the name of a field
        raise top.error("holds an incomplete character (a lone surrogate); rename it") from None
