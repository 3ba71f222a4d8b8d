"""The results of Go's forks: out of a process's output, and together in one file.

What is written is Go's benchmark data format. Lines that only steady understands begin with
``#``, which benchstat passes over: one before each process, and the iterations of the warm-up.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from steady.engine.fork_log import excerpt
from steady.harness.go.configure.bench_pattern import split_name
from steady.harness.go.configure.test_flags import benchtime_of
from steady.harness.go.read.lines import PROCESS, WARMUP, Result
from steady.harness.go.read.output import HEADER, Process, parse
from steady.harness.go.run.process import Ended
from steady.harness.go.run.reason import reason_of
from steady.harness.runs import ForkResult, RunFacts
from steady.harness.trial import Trial, TrialError
from steady.model import Identity
from steady.readers.sources import Document


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
        raise TrialError(why, excerpt(ended.output.encode(errors="replace")))
    lines = [f"{key}: {value}" for key in HEADER if (value := processes[0].keys.get(key))]
    for number, result in enumerate(results):
        mark = WARMUP if number < configuration.warmup_iterations else ""
        lines.append(mark + _line(name, result))
    return "\n".join(lines) + "\n"


def _without_reason(trial: Trial, processes: Sequence[Process], results: int, expected: int) -> str:
    """Say what is there instead of a result."""
    _, benchmark = split_name(trial.identity.name)
    if any(name.startswith(f"{benchmark}/") for p in processes for name in p.benchmarks):
        return "it has sub-benchmarks now, which the plan does not know; make a new plan"
    return f"Go left {results} of {expected} results"


def merge_forks(results: Sequence[ForkResult], facts: RunFacts) -> bytes:
    """Join the forks of one version; see `steady.harness.runs.Runs.merge`."""
    parts = []
    for fork in results:
        identity = fork.trial.identity
        header = {
            "block": fork.block,
            "benchtime": benchtime_of(fork.trial.configuration).text,
            "cpu": str(identity.threads),
            "forks": str(facts.planned_forks[identity]),
        }
        if fork.in_turn:
            header["turns"] = "1"
        if identity in facts.looks:
            header["looks"] = ",".join(map(str, facts.looks[identity]))
        if fork.spent is not None:
            header["seconds"] = f"{fork.spent.seconds:.3f}"
        options = " ".join(f"{key}={value}" for key, value in header.items())
        parts.append(f"{PROCESS} {options}\n{fork.path.read_text(encoding='utf-8')}")
    return "".join(parts).encode()


def _line(name: str, result: Result) -> str:
    metrics = (f"{_number(value)} {unit}" for unit, value in result.metrics.items())
    return "\t".join((name, f"{result.operations:8}", *metrics))


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")
