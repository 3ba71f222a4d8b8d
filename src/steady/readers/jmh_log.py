"""JMH's text log (``-o``, or its captured standard output): only it has the warm-up scores."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from steady.errors import InputError
from steady.model import (
    Benchmark,
    Environment,
    ExecutionConfiguration,
    Failure,
    FloatArray,
    Identity,
    Suite,
)
from steady.readers.environment import jvm_arguments
from steady.readers.fields import quoted
from steady.readers.forks import ReadBenchmark, contradiction, outcome_of, pad, shortfall
from steady.readers.jmh_json import SINGLE_SHOT, secondary_names
from steady.readers.jmh_log_parser import RecordLog, forks_of, parse
from steady.readers.merge import appended, one_each
from steady.readers.sources import Document
from steady.readers.times import parse_time_value

_MODES = {
    "Throughput": "thrpt",
    "Average time": "avgt",
    "Sampling time": "sample",
    "Single shot invocation time": SINGLE_SHOT,
}

_ITERATIONS = re.compile(
    r"(?P<count>\d{1,9}) iterations, (?P<time>[^,]+) each(?:, (?P<batch>\d{1,9}) calls per op)?"
)
_THREADS = re.compile(r"(\d{1,9}) threads?\b.*")
_NEXT_PARAMETER = re.compile(r", (?=[^\W\d][\w$.]* = )")
_VM = re.compile(r"JDK (?P<jdk>[^,]*), (?:VM )?(?P<vm>.*)")


@dataclass(frozen=True, eq=False)
class LoggedFork:
    """One fork of a log.

    Parameters
    ----------
    warmup, measured : ndarray of float64, shape (iterations,)
        Scores in the unit of the benchmark.
    resolution : float
        Half of the last printed decimal: the largest difference from what JMH measured.
    """

    warmup: FloatArray
    measured: FloatArray
    resolution: float


@dataclass(frozen=True, eq=False)
class LoggedBenchmark:
    """One start of one benchmark, as the log shows it.

    Parameters
    ----------
    source : str
        The log's file.
    line : int
        Where it begins.
    identity : Identity
        With the parameters split as well as the log allows.
    parameters : str
        The parameters as printed.
    unit : str
        Unit of the scores; empty if there are none.
    configuration : ExecutionConfiguration
        From the lines above it.
    environment : Environment
        JDK, virtual machine and its options.
    version : str
        Version of JMH.
    forks : tuple of LoggedFork
        The forks that gave a result.
    failure : str
        What went wrong; empty if nothing did.
    secondary : tuple of str
        Names of the other results.
    """

    source: str
    line: int
    identity: Identity
    parameters: str
    unit: str
    configuration: ExecutionConfiguration
    environment: Environment
    version: str
    forks: tuple[LoggedFork, ...]
    failure: str
    secondary: tuple[str, ...] = ()

    def outcome(self) -> ReadBenchmark:
        """Return the benchmark with its warm-up iterations in front, or its failure."""
        if not self.forks:
            reason = self.failure or "the log ends before its first result"
            return ReadBenchmark(None, Failure(self.identity, reason))
        wrong = contradiction(self.identity.mode, self.unit)
        if wrong:
            return ReadBenchmark(None, Failure(self.identity, wrong))
        measured = [fork.measured for fork in self.forks]
        missing = shortfall(measured, self.configuration.forks, self.configuration.iterations)
        outcome = outcome_of(
            self.identity,
            self.unit,
            measured,
            self.configuration,
            self.environment,
            left_out=self.secondary,
            failure=self.failure or missing,
        )
        if outcome.benchmark is None:
            return outcome
        benchmark = with_warmup(outcome.benchmark, self.forks)
        return replace(outcome, benchmark=benchmark)


def with_warmup(benchmark: Benchmark, forks: Sequence[LoggedFork]) -> Benchmark:
    """Put the warm-up scores of `forks` before a benchmark's measured iterations."""
    warmup = pad([fork.warmup for fork in forks])
    return benchmark.with_measurements(
        np.hstack([warmup, benchmark.measured]), warmup=warmup.shape[1]
    )


def recognizes(document: Document) -> bool:
    """Tell whether a document looks like JMH's log."""
    return "# Benchmark: " in document.text or "# JMH version: " in document.text


def read(document: Document) -> Suite:
    """Read JMH's text log; benchmarks that failed in it are among the suite's failures.

    Raises
    ------
    InputError
        If a line cannot be read, or a score was printed too coarsely; the message names the line.
    """
    return suite_of(benchmarks_of(document), (document.source,))


def suite_of(found: Sequence[LoggedBenchmark], sources: tuple[str, ...]) -> Suite:
    """Make a suite from the benchmarks of logs; one that started again gets more forks."""
    benchmarks: dict[Identity, Benchmark] = {}
    failures = []
    for record in found:
        outcome = record.outcome()
        if outcome.failure is not None:
            failures.append(outcome.failure)
        if outcome.benchmark is not None:
            known = benchmarks.get(record.identity)
            benchmarks[record.identity] = (
                outcome.benchmark
                if known is None
                else appended(known, record.source, outcome.benchmark, record.source)
            )
    return Suite(
        tuple(benchmarks.values()),
        harness="jmh",
        harness_version=", ".join(dict.fromkeys(r.version for r in found if r.version)),
        sources=sources,
        failures=one_each(failures),
    )


def benchmarks_of(document: Document) -> list[LoggedBenchmark]:
    """Return every start of a benchmark in a log; the same benchmark may be started again."""
    return [_logged(record, document.source) for record in parse(document)]


def _logged(record: RecordLog, source: str) -> LoggedBenchmark:
    identity = _identity(record, source)
    vm = _VM.fullmatch(record.headings.get("VM version", ""))
    options = record.headings.get("VM options", "<none>")
    units = dict.fromkeys(unit for fork in record.forks for unit in fork.units)
    if len(units) > 1:
        raise _bad(record, source, f"scores in {' and '.join(units)} under one benchmark")
    configuration = _configuration(record, identity, source)
    return LoggedBenchmark(
        source,
        record.line,
        identity,
        record.parameters,
        next(iter(units), ""),
        configuration,
        Environment(
            jdk="" if vm is None else vm["jdk"],
            vm="" if vm is None else vm["vm"].replace(", ", " "),
            jvm_args=() if options == "<none>" else jvm_arguments(options.split()),
        ),
        record.headings.get("JMH version", ""),
        tuple(_forks(record, configuration.warmup_iterations, source)),
        record.failure,
        secondary_names(record.secondary),
    )


def _forks(record: RecordLog, warmup_iterations: int, source: str) -> list[LoggedFork]:
    forks = []
    for fork in forks_of(record):
        if len(fork.warmup) != warmup_iterations:
            raise _bad(
                record,
                source,
                f"{len(fork.warmup)} warm-up scores in a fork that was to run {warmup_iterations}",
            )
        if not np.isfinite(fork.warmup).all():
            raise _bad(
                record,
                source,
                "a warm-up score is not a number, or infinite",
                "make the warm-up iterations longer (-w), or give the JSON alone",
            )
        if min(fork.warmup, default=0.0) < 0:
            raise _bad(record, source, "a warm-up score is negative")
        resolution = 0.5 * 10.0**-fork.decimals
        forks.append(LoggedFork(np.array(fork.warmup), np.array(fork.measured), resolution))
    return forks


def _identity(record: RecordLog, source: str) -> Identity:
    mode = record.headings.get("Benchmark mode", "").partition(",")[0]
    threads = _THREADS.fullmatch(record.headings.get("Threads", ""))
    if mode not in _MODES or threads is None or int(threads[1]) < 1:
        raise _bad(record, source, "no mode and number of threads above this benchmark")
    return Identity(record.name, _MODES[mode], _params(record.parameters), int(threads[1]))


def _params(text: str) -> tuple[tuple[str, str], ...]:
    """Split ``size = 10, text = a, b``; a value that contains ``, name = `` is split too."""
    if not text:
        return ()
    pairs = (part.partition(" = ") for part in _NEXT_PARAMETER.split(text))
    return tuple((key, value) for key, _, value in pairs)


def _configuration(record: RecordLog, identity: Identity, source: str) -> ExecutionConfiguration:
    warmup, warmup_seconds, warmup_batch = _phase(record, "Warmup", source)
    iterations, seconds, batch = _phase(record, "Measurement", source)
    single_shot = identity.mode == SINGLE_SHOT
    return ExecutionConfiguration(
        forks=record.configured_forks,
        warmup_iterations=warmup,
        iterations=iterations,
        # With '<none>' the length of a warm-up iteration is unknown: assume that of the others.
        warmup_seconds=0.0 if single_shot else warmup_seconds if warmup else seconds,
        iteration_seconds=0.0 if single_shot else seconds,
        warmup_batch_size=warmup_batch,
        batch_size=batch,
    )


def _phase(record: RecordLog, heading: str, source: str) -> tuple[int, float, int]:
    text = record.headings.get(heading, "")
    if text == "<none>":
        return 0, 0.0, 1
    match = _ITERATIONS.fullmatch(text)
    if match is not None:
        with suppress(ValueError):
            return int(match["count"]), parse_time_value(match["time"]), int(match["batch"] or 1)
    raise _bad(record, source, f"{quoted(f'# {heading}: {text}')} tells no iterations")


def _bad(
    record: RecordLog,
    source: str,
    problem: str,
    advice: str = "give JMH's log as it was written",
) -> InputError:
    return InputError(
        f"{problem}; {advice}",
        source=source,
        where=f"line {record.line} ({quoted(record.name)})",
    )
