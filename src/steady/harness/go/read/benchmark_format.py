"""Go's benchmark results: the output of ``go test -bench``, and benchstat's input files.

A process is one fork, and its repetitions by ``-count`` are the iterations. A new process begins
with its header (``goos:``, ``pkg:``), after the last line of the previous one (``PASS``, ``ok``),
or with steady's own line.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from steady.errors import InputError
from steady.harness.document import Document
from steady.harness.fields import quoted
from steady.harness.fork_facts import ForkFacts
from steady.harness.go import GO
from steady.harness.go.read.benchtime import Benchtime, infer_benchtime
from steady.harness.go.read.lines import is_event_stream, without_prefixes
from steady.harness.go.read.output import Output, Process, Repeated, noted_of, parse
from steady.harness.go.read.processors import ProcessorCounts
from steady.harness.suite_builder import (
    Metrics,
    ReadBenchmark,
    build_benchmark,
    build_suite,
    collect_metrics,
    failed,
    metric_of,
    shortfall,
)
from steady.model import (
    Environment,
    ExecutionConfiguration,
    FloatArray,
    Identity,
    Level,
    Metric,
    NotRun,
    Suite,
    direction_of,
)
from steady.model.suite import skipped_because


def _identities(
    process: Process, given: int, known: ProcessorCounts
) -> Iterator[tuple[str, Identity]]:
    """Yield the printed names of a process, each with its benchmark.

    A benchmark that failed at once, or skipped itself, is printed without the number of processors;
    it has the number of all others. `given` is the number in steady's line; 0 if there is no such
    line.
    """
    numbers = {known.split(printed)[1] for printed in process.benchmarks}
    without = process.failures or process.skipped
    only = numbers.pop() if without and len(numbers) == 1 else 1
    package = process.keys.get("pkg", "")
    for printed in _names(process):
        if given > 0:
            name, threads = printed.removesuffix(f"-{given}") if given > 1 else printed, given
        else:
            name, threads = known.split(printed)
            if printed not in process.benchmarks and threads == 1:
                threads = only
        yield printed, Identity(f"{package}.{name}" if package else name, threads=threads)


def _names(process: Process) -> Iterator[str]:
    """Yield the benchmarks of a process, without those with failed sub-benchmarks."""
    ordered = sorted(process.failures)
    for printed in dict.fromkeys((*process.benchmarks, *process.failures, *process.skipped)):
        below = f"{printed}/"
        place = bisect_left(ordered, below)
        if not (place < len(ordered) and ordered[place].startswith(below)):
            yield printed


LEVELS = (Level("suite run", GO.cost.fork_seconds), Level("iteration"))

TIME = "ns/op"
"""The primary metric; for a benchmark without it, the first one."""

_SIGN = re.compile(
    r"^(?:Benchmark(?:[^\sa-z]\S*)?[ \t]+\d+[ \t]+\S+[ \t]+\S*[^\s\d.]\S*"
    r"|# steady process .*|(?:goos|pkg): \S+"
    r"|(?:ok|FAIL)[ \t]+\S+[ \t]+(?:\d[\d.]*s|\(cached\)|\[))",
    re.MULTILINE,
)
_BEGINS = re.compile(rb"^(?:goos: |pkg: |# steady process )", re.MULTILINE)


def recognizes(document: Document) -> bool:
    """Return whether a document looks like Go's benchmark output."""
    text = without_prefixes(document.text)
    return is_event_stream(text) or _SIGN.search(text) is not None


def begins(data: bytes) -> bool:
    """Return whether a text begins like Go's results."""
    return _BEGINS.search(data) is not None


def read(document: Document) -> Suite:
    """Read Go's benchmark output; failed benchmarks and packages are among its failures.

    Raises
    ------
    InputError
        If processes of one benchmark contradict each other; the message names the line.
    """
    output = parse(document)
    by_identity = _collected(output, document.source)
    guess = infer_benchtime(_iterations(output))
    lost = {i: runs for i, runs in by_identity.items() if not runs.rows}
    outcomes = chain(
        (_outcome(i, runs, guess, output.better) for i, runs in by_identity.items() if runs.rows),
        (failed(i, runs.failure) for i, runs in lost.items() if runs.failure),
        (failed(Identity(name), why) for name, why in output.failed_packages.items()),
    )
    not_run = tuple(NotRun(i, runs.skipped) for i, runs in lost.items() if not runs.failure)
    return build_suite("go", document.source, outcomes, not_run=not_run)


@dataclass
class _Runs:
    """The processes of one benchmark."""

    environment: Environment
    line: int
    rows: list[Repeated] = field(default_factory=list)
    facts: list[ForkFacts] = field(default_factory=list)
    benchtime: Benchtime | None = None
    forks: int = 0
    failure: str = ""
    skipped: str = ""


def _collected(output: Output, source: str) -> dict[Identity, _Runs]:
    """Collect the results of each benchmark from all processes."""
    names = [name for one in output.processes for name in one.benchmarks]
    known = ProcessorCounts.of(names or [n for one in output.processes for n in one.failures])
    by_identity: dict[Identity, _Runs] = {}
    for process in output.processes:
        facts, benchtime = noted_of(process, source)
        environment = _environment(process)
        for printed, identity in _identities(process, facts.threads, known):
            runs = by_identity.setdefault(identity, _Runs(environment, process.line))
            _check(identity, runs, environment, benchtime, process, source)
            runs.benchtime = benchtime
            runs.failure = runs.failure or process.failures.get(printed, "")
            if printed in process.skipped:
                runs.skipped = skipped_because(process.skipped[printed])
            runs.forks = max(runs.forks, facts.forks)
            if printed in process.benchmarks:
                runs.rows.append(process.benchmarks[printed])
                runs.facts.append(facts)
    return by_identity


def _environment(process: Process) -> Environment:
    system = "/".join(process.keys[key] for key in ("goos", "goarch") if process.keys.get(key))
    return Environment(cpu=process.keys.get("cpu", ""), os=system)


def _check(
    identity: Identity,
    runs: _Runs,
    environment: Environment,
    benchtime: Benchtime | None,
    process: Process,
    source: str,
) -> None:
    """Check that another process has the same configuration and environment."""
    contradiction = ""
    if environment != runs.environment:
        contradiction = "processor or system"
    elif runs.rows and benchtime != runs.benchtime:
        contradiction = "benchtime"
    if contradiction:
        raise InputError(
            f"two runs of {quoted(identity.label)} had a different {contradiction}; "
            "give the results of one run, or compare the two as base and head",
            source=source,
            where=f"lines {runs.line} and {process.line}",
        )


def _iterations(output: Output) -> Iterator[tuple[int, float]]:
    """Yield the operations and seconds of every timed iteration."""
    for process in output.processes:
        for repeated in process.benchmarks.values():
            for result in repeated.results:
                if TIME in result.metrics:
                    yield result.operations, result.operations * result.metrics[TIME] * 1e-9


def _outcome(
    identity: Identity, runs: _Runs, guess: Benchtime, better: dict[str, str]
) -> ReadBenchmark:
    unit, others = _units(runs.rows, better)
    metrics, left_out = _metrics(others, runs.rows, better)
    warmup = len(runs.rows[0].warmup)
    rows = [
        np.array([result.metrics.get(unit, np.nan) for result in row.results], dtype=np.float64)
        for row in runs.rows
    ]
    reason = _unusable(unit, rows)
    if any(len(repeated.warmup) != warmup for repeated in runs.rows):
        reason = "its suite runs had different numbers of warm-up iterations"
    if reason:
        return failed(identity, reason)
    configuration = _configuration(runs, warmup, runs.benchtime or guess)
    missing = shortfall(rows, configuration.forks, warmup + configuration.iterations)
    return build_benchmark(
        identity,
        unit,
        rows,
        runs.failure or missing,
        runs.facts,
        levels=LEVELS,
        warmup=warmup,
        configuration=configuration,
        environment=runs.environment,
        metrics=metrics,
        left_out=left_out,
    )


def _units(rows: Iterable[Repeated], better: dict[str, str]) -> tuple[str, tuple[str, ...]]:
    """Return the primary metric, empty if there is none, and the others in their order."""
    lines = [result.metrics for row in rows for result in row.results]
    units = dict.fromkeys(chain.from_iterable(lines))
    # The unit alone decides whether higher is better.
    known = [
        unit
        for unit in units
        if all(unit in line for line in lines)
        and (unit == TIME or better.get(unit, "") in ("", direction_of(unit)))
    ]
    unit = TIME if TIME in known else next(iter(known), "")
    return unit, tuple(other for other in units if other != unit)


def _metrics(units: Iterable[str], rows: Sequence[Repeated], better: dict[str, str]) -> Metrics:
    """Return the secondary metrics, and the names of unreadable ones."""

    def metric(unit: str) -> Metric | None:
        values = [
            np.array([result.metrics.get(unit, np.nan) for result in row.measured], np.float64)
            for row in rows
        ]
        read = metric_of(unit, values, values)
        known = read is not None and better.get(unit, "") in ("", read.direction)
        return read if known else None

    return collect_metrics((unit, metric(unit)) for unit in units)


def _unusable(unit: str, rows: Iterable[FloatArray]) -> str:
    """Return the reason why values are no valid measurements; empty if they are."""
    if not unit:
        return (
            "no metric of known direction is in all its results: its `Unit` line declares "
            "`better=higher`, but the unit is not a rate, such as rows/s or fps"
        )
    values = np.concatenate(list(rows))
    if (values < 0).any():
        return f"{values.min():g} {unit} is negative"
    if unit == TIME and (values == 0).any():
        return f"0 {unit} is not a time: the compiler has removed the measured code"
    return ""


def _configuration(runs: _Runs, warmup: int, benchtime: Benchtime) -> ExecutionConfiguration:
    return ExecutionConfiguration(
        forks=max(runs.forks, len(runs.rows)),
        warmup_iterations=warmup,
        iterations=max(len(repeated.measured) for repeated in runs.rows),
        warmup_seconds=benchtime.seconds,
        iteration_seconds=benchtime.seconds,
        warmup_batch_size=benchtime.operations,
        batch_size=benchtime.operations,
    )
