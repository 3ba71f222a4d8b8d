"""JMH's text log (``-o``, or its captured standard output): only it has the warm-up scores."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from steady.harness.jmh.read.json_results import secondary_names
from steady.harness.jmh.read.log_parser import parse
from steady.harness.jmh.read.log_record import LoggedBenchmark, LoggedFork
from steady.model import Benchmark, Failure, Suite
from steady.readers.forks import (
    LEVELS,
    ReadBenchmark,
    contradiction,
    outcome_of,
    shortfall,
    stacked,
)
from steady.readers.joined_suites import joined, one_each, versions_of
from steady.readers.sources import Document

_TABLE = re.compile(
    r"\A\s*\"?Benchmark\"?[ ,;].{0,500}?\"?Mode\"?[ ,;].{0,500}?\"?Units?\"?", re.ASCII
)


def unreadable(document: Document) -> str:
    """Say what to do about such a table; empty if a document is none."""
    if _TABLE.search(document.text) is None:
        return ""
    return (
        "is a table of JMH's final scores, without the single measurements; "
        "run JMH with -rf json, or keep its log (-o)"
    )


def recognizes(document: Document) -> bool:
    """Tell whether a document looks like JMH's log."""
    return "# Benchmark: " in document.text or "# JMH version: " in document.text


def read(document: Document) -> Suite:
    """Read JMH's text log; benchmarks that failed in it are among the suite's failures.

    One that started again gets more forks.

    Raises
    ------
    InputError
        If a line cannot be read, or a score was printed too coarsely; the message names the line.
    """
    starts = benchmarks_of(document)
    outcomes = [(_outcome(start), start.source) for start in starts]
    return Suite(
        joined((o.benchmark, source) for o, source in outcomes if o.benchmark is not None),
        harness="jmh",
        harness_version=versions_of(start.headings.get("JMH version", "") for start in starts),
        sources=(document.source,),
        failures=one_each(o.failure for o, _ in outcomes if o.failure is not None),
    )


def benchmarks_of(document: Document) -> list[LoggedBenchmark]:
    """Return every start of a benchmark in a log; the same benchmark may be started again."""
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
    if not forks:
        problem = start.failure or "the log ends before its first result"
    if problem:
        return ReadBenchmark(None, Failure(start.identity, problem))
    measured = [np.array(fork.measured) for fork in forks]
    configuration = start.configuration
    make = partial(
        Benchmark,
        start.identity,
        start.unit,
        levels=LEVELS,
        configuration=configuration,
        environment=start.environment,
        left_out=secondary_names(start.secondary),
    )
    missing = shortfall(measured, configuration.forks, configuration.iterations)
    outcome = outcome_of(make, start.identity, measured, start.failure or missing)
    if outcome.benchmark is None:
        return outcome
    return replace(outcome, benchmark=with_warmup(outcome.benchmark, forks))
