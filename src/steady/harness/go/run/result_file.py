"""The results of Go's forks: out of a process's output, and together in one file.

What is written is Go's benchmark data format. Lines that only steady understands begin with
``#``, which benchstat passes over: the facts about a fork (`steady.harness.fork_facts`) before each
process, and the iterations of the warm-up.
"""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from steady import safe_open
from steady.harness.document import Document
from steady.harness.fork_facts import VERSION, as_text
from steady.harness.go.bench_pattern import split_name
from steady.harness.go.read.lines import PROCESS, WARMUP, Result, cause_in
from steady.harness.go.read.output import HEADER, REASON_LENGTH, SILENT, Process, parse
from steady.harness.go.run.test_binaries import last_line
from steady.harness.runs import ForkResult, RunFacts
from steady.harness.trial import Trial, TrialError
from steady.model import Identity
from steady.programs.process import Ended

_CAUSE = re.compile(r"(?:^|\s)(?:panic: |fatal error: |\*\*\* Test killed)")
_OF_GO = re.compile(
    r"(?:{}): |--- [A-Z]+: |Benchmark|PASS$|FAIL$|ok\s|exit status ".format("|".join(HEADER))
)
_EARLIER = re.compile(r"\s{0,20}\[recovered.{0,200}\]$")


def printed_name(identity: Identity) -> str:
    """Return a benchmark's name as Go prints it, number of processors included."""
    _, benchmark = split_name(identity.name)
    return benchmark if identity.threads == 1 else f"{benchmark}-{identity.threads}"


def result_text(ended: Ended, trial: Trial) -> str:
    """Return what a process measured of a trial's benchmark.

    Parameters
    ----------
    ended : Ended
        The process.
    trial : Trial
        What it was to measure.

    Returns
    -------
    str
        Go's header, and a line for each iteration; those of the warm-up as comments.

    Raises
    ------
    TrialError
        If not all of its iterations are there, or the process itself failed.
    """
    name = printed_name(trial.identity)
    processes = parse(Document(Path(), ended.output)).processes
    configuration = trial.configuration
    expected = configuration.warmup_iterations + configuration.iterations
    results = [r for p in processes if name in p.benchmarks for r in p.benchmarks[name].measured]
    if len(results) != expected or ended.code != 0:
        why = reason_of(ended, processes, name) or _without_reason(
            trial, processes, len(results), expected
        )
        raise TrialError(why, ended.log)
    lines = [f"{key}: {value}" for key in HEADER if (value := processes[0].keys.get(key))]
    for number, result in enumerate(results):
        mark = WARMUP if number < configuration.warmup_iterations else ""
        lines.append(mark + _line(name, result))
    return "\n".join(lines) + "\n"


def reason_of(ended: Ended, processes: Iterable[Process], name: str) -> str:
    """Return in one line why a process left no result of a benchmark; empty if nothing says so.

    Go names a failed benchmark after ``--- FAIL:``, and the message of ``b.Fatal`` follows. But a
    panic has neither, a parent's message follows the parent's name, and what a benchmark itself
    prints before ``b.FailNow`` comes before.

    Parameters
    ----------
    ended : Ended
        The process.
    processes : iterable of Process
        What its output shows.
    name : str
        The benchmark as Go prints it.
    """
    lines = ended.output.splitlines()
    failures = [p.failures for p in processes]
    reasons = [own[name] for own in failures if name in own]
    reasons += [reason for own in failures for reason in own.values()]
    reported = next((reason for reason in reasons if reason != SILENT), "")
    panic = next((_EARLIER.sub("", cause_in(line)) for line in lines if _CAUSE.search(line)), "")
    before = _last_output(lines) if reasons else ""
    ending = last_line(ended) if ended.code != 0 and not reasons else ""
    known = (text for text in (panic, reported, before, ending, *reasons[:1]) if text)
    return next(known, "")[:REASON_LENGTH]


def _last_output(lines: Sequence[str]) -> str:
    """Return the benchmark's own last output before Go reports its failure."""
    verdict = next((n for n, line in enumerate(lines) if "--- FAIL: " in line), 0)
    own = (line.strip() for line in reversed(lines[:verdict]) if not _OF_GO.match(line))
    return next((line for line in own if line), "")


def _without_reason(trial: Trial, processes: Sequence[Process], results: int, expected: int) -> str:
    """Say what is there instead of a result."""
    _, benchmark = split_name(trial.identity.name)
    if any(name.startswith(f"{benchmark}/") for p in processes for name in p.benchmarks):
        return "it has sub-benchmarks now, which are not in the plan; make a new plan"
    return f"Go left {results} of {expected} results"


def merge_forks(results: Sequence[ForkResult], facts: RunFacts) -> bytes:
    """Join the forks of one version; see `steady.harness.runs.Runs.merge`."""
    if not results:  # still known as Go's
        return f"{PROCESS} {json.dumps({'version': VERSION})}\n".encode()
    parts = (
        f"{PROCESS} {as_text(fork, facts)}\n{safe_open.read_regular(fork.path).decode()}"
        for fork in results
    )
    return "".join(parts).encode()


def _line(name: str, result: Result) -> str:
    metrics = (f"{repr(value).removesuffix('.0')} {unit}" for unit, value in result.metrics.items())
    return "\t".join((name, f"{result.operations:8}", *metrics))
