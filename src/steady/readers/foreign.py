"""Names the harness of a file that no reader takes, by what its JSON holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from steady.errors import InputError
from steady.readers.sources import Document

_Object = Mapping[str, Any]

_MARKS: Mapping[str, Callable[[_Object], bool]] = {
    "pytest-benchmark": lambda data: {"machine_info", "benchmarks"} <= data.keys(),
    "Google Benchmark": lambda data: {"context", "benchmarks"} <= data.keys(),
    "BenchmarkDotNet": lambda data: {"HostEnvironmentInfo", "Benchmarks"} <= data.keys(),
    "pyperf": lambda data: {"benchmarks", "metadata", "version"} <= data.keys(),
    "asv": lambda data: {"env_name", "results"} <= data.keys(),
    "Criterion": lambda data: {"iters", "times"} <= data.keys() or _estimates(data),
    "hyperfine": lambda data: data.keys() == {"results"},
}


def other_harness(document: Document) -> str:
    """Return which harness left a document; empty if it is not one that is known here."""
    try:
        data = document.data
    except InputError:
        return ""
    if not isinstance(data, Mapping):
        return ""
    return next((name for name, holds in _MARKS.items() if holds(data)), "")


def _estimates(data: _Object) -> bool:
    mean = data.get("mean")
    return isinstance(mean, Mapping) and "point_estimate" in mean
