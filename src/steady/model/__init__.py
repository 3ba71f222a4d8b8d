"""The data that every other room works on: frozen classes that hold arrays and name their units."""

from steady.model.benchmark import Benchmark, Level, Metric
from steady.model.by_name import ByIdentity, find_identity, nearest_benchmarks
from steady.model.circumstances import Environment, ExecutionConfiguration, Spent
from steady.model.identity import Identity, NameParts, name_parts
from steady.model.suite import Failure, NotRun, SameCode, Suite
from steady.model.units import (
    SECONDS_PER_UNIT,
    Direction,
    FloatArray,
    as_times,
    direction_of,
    seconds_factor,
)

__all__ = [
    "Benchmark",
    "ByIdentity",
    "Direction",
    "Environment",
    "ExecutionConfiguration",
    "Failure",
    "FloatArray",
    "Identity",
    "Level",
    "NameParts",
    "NotRun",
    "Metric",
    "SECONDS_PER_UNIT",
    "SameCode",
    "Spent",
    "Suite",
    "as_times",
    "direction_of",
    "find_identity",
    "name_parts",
    "nearest_benchmarks",
    "seconds_factor",
]
