"""JMH's text log (``-o``, or captured standard output), the only source of warm-up scores.

JMH's JSON is exact; `add_logs` combines the two.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from steady.errors import InputError
from steady.harness.document import Document
from steady.harness.fields import quoted
from steady.harness.jmh.read.conditions import contradiction
from steady.harness.jmh.read.json_results import secondary_name, tidied
from steady.harness.jmh.read.log_parser import parse
from steady.harness.jmh.read.log_record import LoggedBenchmark, LoggedFork
from steady.harness.suite_builder import (
    ReadBenchmark,
    build_benchmark,
    failed,
    one_each,
    shortfall,
    stacked,
    unread,
)
from steady.model import Benchmark, Failure, FloatArray, Identity, Suite
from steady.readers.joined_suites import joined, versions_of

_TABLE = re.compile(
    r"\A\s*\"?Benchmark\"?[ ,;].{0,500}?\"?Mode\"?[ ,;].{0,500}?\"?Units?\"?", re.ASCII
)


def unreadable(document: Document) -> str:
    """Return the advice for a table of final scores; empty for any other document."""
    if _TABLE.search(document.text) is None:
        return ""
    return (
        "is a table of JMH's final scores, without individual measurements; run JMH with -rf json, "
        "or keep its log (-o)"
    )


def recognizes(document: Document) -> bool:
    """Return whether a document looks like JMH's log."""
    return "# Benchmark: " in document.text or "# JMH version: " in document.text


def read(document: Document) -> Suite:
    """Read JMH's text log; benchmarks that failed in it are among the suite's failures.

    A benchmark that was started several times has the forks of all starts.

    Raises
    ------
    InputError
        If a line cannot be read, or all scores were printed too coarsely; the message names the
        line.
    """
    starts = benchmarks_of(document)
    coarse = [start.coarse for start in starts if start.coarse]
    if coarse and len(coarse) == len(starts):
        raise coarse[0]
    outcomes = [(_outcome(start), start.source) for start in starts]
    return Suite(
        joined((o.benchmark, source) for o, source in outcomes if o.benchmark is not None),
        harness="jmh",
        harness_version=versions_of(start.headings.get("JMH version", "") for start in starts),
        sources=(document.source,),
        failures=one_each(o.failure for o, _ in outcomes if o.failure is not None),
    )


def benchmarks_of(document: Document) -> list[LoggedBenchmark]:
    """Return all starts of benchmarks in a log; a benchmark may be started several times."""
    starts = parse(document)
    for start in starts:
        start.check()
    return starts


def with_warmup(benchmark: Benchmark, forks: Iterable[LoggedFork]) -> Benchmark:
    """Put the warm-up scores of `forks` before a benchmark's measured iterations."""
    warmup = stacked([np.array(fork.warmup) for fork in forks])
    return benchmark.with_measurements(
        np.hstack([warmup, benchmark.measured]), warmup=warmup.shape[1]
    )


def _outcome(start: LoggedBenchmark) -> ReadBenchmark:
    """Return the benchmark with its warm-up iterations in front, or its failure."""
    forks = start.forks
    problem = contradiction(start.identity.mode, start.unit)
    if start.coarse:
        problem = unread(start.coarse)
    elif not forks:
        problem = start.failure or "the log ends before its first result"
    if problem:
        return failed(start.identity, problem)
    measured = [np.array(fork.measured) for fork in forks]
    configuration = start.configuration
    missing = shortfall(measured, configuration.forks, configuration.iterations)
    outcome = build_benchmark(
        start.identity,
        start.unit,
        measured,
        start.failure or missing,
        configuration=configuration,
        environment=start.environment,
        left_out=tuple(dict.fromkeys(map(secondary_name, start.secondary))),
    )
    if outcome.benchmark is None:
        return outcome
    return replace(outcome, benchmark=with_warmup(outcome.benchmark, forks))


def add_logs(results: Suite, logs: Iterable[Document]) -> Suite:
    """Put the warm-up scores of logs before the measurements of JSON results.

    Forks are matched by their scores, so the order of the files does not matter. A benchmark that
    failed in a log, or is only in a log, is among the failures.

    Parameters
    ----------
    results : Suite
        Suite from JSON.
    logs : iterable of Document
        Logs of the same run.

    Raises
    ------
    InputError
        If no fork in the logs has the measurements of a benchmark, or a score was printed too
        coarsely.
    """
    logged = [start for log in logs for start in benchmarks_of(log)]
    for coarse in (start.coarse for start in logged if start.coarse):
        raise coarse
    if not logged:
        return results
    by_key = _by_key(results)
    starts: dict[Identity, list[LoggedBenchmark]] = {}
    failures: list[Failure] = []
    for record in logged:
        identity = _find(by_key, record)
        if identity is not None:
            starts.setdefault(identity, []).append(record)
        if record.failure or identity is None or identity not in results:
            failures.append(_failure(record, identity))
    sources = tuple(dict.fromkeys(record.source for record in logged))
    return replace(
        results,
        benchmarks=tuple(
            _with_starts(benchmark, starts[identity], results.sources)
            if identity in starts
            else benchmark
            for identity, benchmark in results.items()
        ),
        sources=results.sources + sources,
        failures=one_each((*failures, *results.failures)),
    )


_Key = tuple[str, str, int, str]


def _by_key(results: Suite) -> dict[_Key, Identity]:
    known = [*results, *(failure.identity for failure in results.failures)]
    exact = {_key(i, _printed(i)): i for i in known}
    return {_key(i, tidied(_printed(i))): i for i in known} | exact


def _find(by_key: dict[_Key, Identity], record: LoggedBenchmark) -> Identity | None:
    exact = by_key.get(_key(record.identity, record.parameters))
    return exact or by_key.get(_key(record.identity, tidied(record.parameters)))


def _key(identity: Identity, parameters: str) -> _Key:
    return identity.name, identity.mode, identity.threads, parameters


def _printed(identity: Identity) -> str:
    """Return the parameters as the log prints them."""
    return ", ".join(f"{key} = {value}" for key, value in identity.params)


def _failure(record: LoggedBenchmark, identity: Identity | None) -> Failure:
    reason = record.failure or f"it is in {record.source}, but not in the JSON results"
    return Failure(identity or record.identity, reason)


def _with_starts(
    benchmark: Benchmark, starts: Sequence[LoggedBenchmark], sources: tuple[str, ...]
) -> Benchmark:
    _check_same_run(benchmark, starts)
    forks = [fork for record in starts for fork in record.forks]
    chosen: list[LoggedFork] = []
    for number, row in enumerate(benchmark.measurements, start=1):
        match = next((fork for fork in forks if _agree(row, fork)), None)
        if match is None:
            raise InputError(
                f"no fork here has the scores of fork {number} of "
                f"{quoted(benchmark.identity.label)} in {', '.join(sources)}; "
                "give the whole log of the same run, or the JSON alone",
                source=", ".join(dict.fromkeys(record.source for record in starts)),
                where=f"line {starts[0].line}",
            )
        forks.remove(match)
        chosen.append(match)
    return with_warmup(benchmark, chosen)


def _check_same_run(benchmark: Benchmark, starts: Sequence[LoggedBenchmark]) -> None:
    known = benchmark.configuration
    for record in starts:
        warmup = record.configuration.warmup_iterations
        if known is not None and warmup != known.warmup_iterations:
            differs = (
                f"ran {warmup} warm-up iterations here, and {known.warmup_iterations} in the JSON"
            )
        elif record.unit and record.unit != benchmark.unit:
            differs = f"is in {record.unit} here, and in {benchmark.unit} in the JSON"
        else:
            continue
        raise InputError(
            f"{quoted(benchmark.identity.label)} {differs}; give the log of the same run",
            source=record.source,
            where=f"line {record.line}",
        )


def _agree(row: FloatArray, fork: LoggedFork) -> bool:
    """Return whether a log's fork has the measurements of `row`, to the printed precision."""
    measured = row[~np.isnan(row)]
    if measured.size != len(fork.measured):
        return False
    tolerance = 0.5 * 10.0**-fork.decimals * (1 + 1e-6) + 1e-12 * measured
    return bool((np.abs(measured - fork.measured) <= tolerance).all())
