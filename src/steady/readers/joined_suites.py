"""Several result files of one run, joined into one suite."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import reduce
from itertools import combinations
from operator import or_
from typing import Any

import numpy as np

from steady.errors import InputError
from steady.harness.fields import quoted
from steady.harness.suite_builder import one_each, stacked
from steady.model import Benchmark, Identity, NotRun, Suite
from steady.readers.forks import appended


def join(suites: Sequence[Suite]) -> Suite:
    """Join suites of the same harness.

    A benchmark in only one of them is unchanged. A benchmark in several, with equal configuration
    and environment, gets all repetitions on its outermost level, in the order of the suites. So a
    run may consist of several files.

    Raises
    ------
    InputError
        If two suites disagree about a benchmark (unit, configuration, levels, warm-up,
        environment), have the same measurements, or come from different harnesses.
    """
    if len(suites) == 1:
        return suites[0]
    for first, second in combinations(suites, 2):
        _check_pair(first, second)
    return Suite(
        joined((benchmark, _named(suite)) for suite in suites for benchmark in suite.benchmarks),
        harness=suites[0].harness,
        harness_version=versions_of(suite.harness_version for suite in suites),
        sources=tuple(source for suite in suites for source in suite.sources),
        failures=one_each(failure for suite in suites for failure in suite.failures),
        not_run=_run_by_none(suites),
        same_code=reduce(or_, (suite.same_code for suite in suites)),
    )


def joined(benchmarks: Iterable[tuple[Benchmark, str]]) -> tuple[Benchmark, ...]:
    """Return each benchmark once, with all its repetitions.

    Parameters
    ----------
    benchmarks : iterable of (Benchmark, str)
        Each benchmark with the name of its file for messages.

    Raises
    ------
    InputError
        If two runs of a benchmark differ in configuration or environment.
    """
    merged: dict[Identity, tuple[Benchmark, str]] = {}
    for benchmark, source in benchmarks:
        known = merged.get(benchmark.identity)
        merged[benchmark.identity] = (
            benchmark if known is None else _appended(*known, benchmark, source),
            source,
        )
    return tuple(benchmark for benchmark, _ in merged.values())


def versions_of(versions: Iterable[str]) -> str:
    """Return the distinct versions of a harness, separated by commas."""
    return ", ".join(dict.fromkeys(version for version in versions if version))


def _run_by_none(suites: Sequence[Suite]) -> tuple[NotRun, ...]:
    """Return the omitted benchmarks that no suite contains."""
    entries = {entry.identity: entry for suite in suites for entry in suite.not_run}
    return tuple(e for i, e in entries.items() if not any(i in suite for suite in suites))


def _appended(
    first: Benchmark, first_source: str, second: Benchmark, second_source: str
) -> Benchmark:
    """Return two runs of one benchmark as one.

    Raises
    ------
    InputError
        If they differ in configuration or environment, or have no common outermost level.
    """
    differing = _disagreement(first, second)
    if differing is not None:
        raise InputError(
            f"disagree about {quoted(first.identity.label)}: {differing}; "
            "give files of one run, or compare the two as base and head",
            source=f"{first_source} and {second_source}",
        )
    configuration = first.configuration
    if configuration is not None and second.configuration is not None:
        configuration = replace(
            configuration, forks=configuration.forks + second.configuration.forks
        )
    return replace(
        first,
        measurements=stacked([*first.measurements, *second.measurements], first.measurements.ndim),
        configuration=configuration,
        # A verdict after more interim analyses needs more evidence: all of them are kept.
        looks=tuple(sorted({*first.looks, *second.looks})),
        left_out=tuple(dict.fromkeys((*first.left_out, *second.left_out))),
        metrics=appended(first, second),
        **_of_both(first, second),
    )


_OF_EACH_FORK = {
    "blocks": "",
    "in_turn": False,
    "spent": None,
    "cold_seconds": 0.0,
    "layouts": "",
}
"""Fields with one value per repetition of the outermost level, and their defaults."""


def _of_both(first: Benchmark, second: Benchmark) -> dict[str, Any]:
    """Return the concatenated `_OF_EACH_FORK` fields that at least one of two runs has."""
    both = {}
    for name, missing in _OF_EACH_FORK.items():
        sides = [(getattr(run, name), len(run.measurements)) for run in (first, second)]
        if any(values for values, _ in sides):
            own, other = (values or (missing,) * forks for values, forks in sides)
            both[name] = (*own, *other)
    return both


def _named(suite: Suite) -> str:
    return ", ".join(suite.sources) or "a suite without a file"


def _check_pair(first: Suite, second: Suite) -> None:
    where = f"{_named(first)} and {_named(second)}"
    if first.harness != second.harness:
        raise InputError(
            f"come from different harnesses ({first.harness}, {second.harness}); "
            "load them separately",
            source=where,
        )
    shared = first.keys() & second.keys()
    if shared and all(_same_values(first[i], second[i]) for i in shared):
        raise InputError(
            f"contain the same measurements of {quoted(min(shared).label)}; "
            "give each result file once",
            source=where,
        )


def _same_values(first: Benchmark, second: Benchmark) -> bool:
    return np.array_equal(first.measurements, second.measurements, equal_nan=True)


def _disagreement(first: Benchmark, second: Benchmark) -> str | None:
    """Return a sentence on the first difference between two runs of a benchmark, or None."""
    if first.levels != second.levels or len(first.levels) < 2:
        return "it has no common outer level, such as forks, on which to join them"
    ours, theirs = (_circumstances(benchmark) for benchmark in (first, second))
    for name in dict.fromkeys((*ours, *theirs)):
        if ours.get(name) != theirs.get(name):
            values = (quoted(str(run.get(name, "unknown"))) for run in (ours, theirs))
            return f"{name}: {' in one, '.join(values)} in the other"
    return None


def _circumstances(benchmark: Benchmark) -> dict[str, object]:
    """Return the properties that must be equal in all runs, by their names in messages."""
    configuration: dict[str, object] = {}
    if benchmark.configuration is not None and not benchmark.calibrated:
        configuration = asdict(benchmark.configuration)
        del configuration["forks"]
    return {
        "unit": benchmark.unit,
        "number of warm-up scores": benchmark.warmup,
        **benchmark.variant,
        **{name.replace("_", " "): value for name, value in configuration.items()},
        **{name.replace("_", " "): value for name, value in asdict(benchmark.environment).items()},
    }
