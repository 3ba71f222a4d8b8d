"""BenchmarkDotNet: the full report of a run, and the command lines for a plan."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from steady.harness.document import Document
from steady.harness.fields import Field
from steady.harness.fork_facts import ForkFacts
from steady.model import Environment, ExecutionConfiguration, Identity, Suite
from steady.programs.entries_format import EntriesFormat, top_of
from steady.programs.fork_entries import ForkEntry, Record, place_of, without_result
from steady.programs.option_file import OptionFile

KEY = "Benchmarks"
MARK = "HostEnvironmentInfo"
ALLOCATED = "BytesAllocatedPerOperation"

_STAGES = ("Warmup", "Actual", "Result")
_NO_MEASUREMENTS = "contains no individual measurements; run it again with `--exporters fulljson`"
_FAILED = "it has no measurement; see BenchmarkDotNet's log"

_HEAD = """\
# Options of the plan for BenchmarkDotNet, one line for each benchmark. Put them after
# `dotnet run -c Release --`, for a program that passes its arguments to BenchmarkSwitcher.
"""


def _records(document: Document) -> Iterator[Record]:
    """Yield the records of a full report: a benchmark with the launches of its process.

    Warm-up and measurement iterations are the raw ones, with outliers and without subtraction of
    the overhead. Processed results are read only if there are no others. Bytes allocated by an
    operation are in `Benchmark.metrics`. The job is the `Benchmark.variant`, and a parameter of
    the identity if a file has several jobs.

    Source: ``Exporters/Json/JsonExporterBase.cs`` of BenchmarkDotNet 0.13 to 0.16.

    Raises
    ------
    InputError
        If BenchmarkDotNet does not write such documents, or it is a brief report.
    """
    entries = top_of(document).member(KEY).items()
    records = [(_name(one), _job(one), one) for one in entries]
    jobs: dict[str, set[str]] = {}
    for name, job, _ in records:
        jobs.setdefault(name, set()).add(job)
    for name, job, record in records:
        identity = _of_job(Identity(name), job if len(jobs[name]) > 1 else "")
        yield identity, record, _launches(identity, record, job)


def _environment(document: Document) -> Environment:
    host = top_of(document).member(MARK)
    cpu, system, runtime = (
        host.below(key, host.table().get(key) or "").text()
        for key in ("ProcessorName", "OsVersion", "RuntimeVersion")
    )
    return Environment(cpu=cpu, os=system, vm=runtime)


def _name(benchmark: Field) -> str:
    return benchmark.member("FullName").text()


_JOB = re.compile(r"(?P<name>[^(\[]*)(?:\((?P<settings>.*)\))?(?: \[.*\])?", re.DOTALL)
"""After the name of the benchmark: ``net8(Runtime=.NET 8.0, Toolchain=net8) [N=10]``."""

_LONGEST_JOB = 2_000

_UNNAMED = re.compile(r"(?:Job-[A-Z]{6})?")
"""A name that BenchmarkDotNet generated from the settings."""

JOB = "job"


def _job(benchmark: Field) -> str:
    """Return the job of a benchmark: its name and settings; empty if unknown."""
    shown = benchmark.optional("DisplayInfo", "").value
    text = shown.partition(": ")[2] if isinstance(shown, str) else ""
    match = _JOB.fullmatch(text) if len(text) <= _LONGEST_JOB else None
    if match is None:
        return ""
    name, settings = match["name"].strip(), match["settings"]
    if settings is None:
        return name
    return settings if _UNNAMED.fullmatch(name) else f"{name}({settings})"


def _of_job(identity: Identity, job: str) -> Identity:
    """Return the identity of a benchmark in one of several jobs, by its name or its settings."""
    name = job.partition("(")[0]
    label = job if "=" in name else name
    return replace(identity, params=((JOB, label),)) if label else identity


def renames(base: Suite, head: Suite) -> Mapping[Identity, Identity]:
    """Identify a benchmark by its job in both files if one of them has several jobs.

    See `steady.harness.contract.Harness.renames`.
    """
    several = {identity.name for suite in (base, head) for identity in suite if identity.params}
    return {
        one.identity: _of_job(one.identity, one.variant[JOB])
        for suite in (base, head)
        for one in suite.benchmarks
        if one.identity.name in several and not one.identity.params and JOB in one.variant
    }


def _launches(identity: Identity, benchmark: Field, job: str) -> Iterator[ForkEntry]:
    if "Measurements" not in benchmark.table():
        raise benchmark.error(_NO_MEASUREMENTS)
    launches: dict[int, dict[str, list[tuple[float, float]]]] = {}
    for one in benchmark.member("Measurements").items():
        stage = one.member("IterationStage").text()
        if one.member("IterationMode").text() == "Workload" and stage in _STAGES:
            launch = launches.setdefault(one.member("LaunchIndex").whole(0), {})
            time = one.member("Nanoseconds").number()
            launch.setdefault(stage, []).append((time, one.member("Operations").whole(1)))
    rows = [
        (one.get("Warmup", []), actual)
        for one in launches.values()
        if (actual := one.get("Actual", one.get("Result", [])))
    ]
    variant, place = {JOB: job} if job else {}, place_of(benchmark)
    failed = "Statistics" in benchmark.table() and benchmark.table()["Statistics"] is None
    if failed or not rows:
        yield without_result(identity, _FAILED, variant=variant, place=place)
        return
    warm = min(len(warmups) for warmups, _ in rows)
    most = max(len(actual) for _, actual in rows)
    for warmups, actual in rows:
        both = np.array([*warmups[len(warmups) - warm :], *actual], np.float64)
        if not np.isfinite(both).all():
            raise benchmark.error("contains a time that is not a number")
        seconds = float(np.median(both[warm:, 0])) / 1e9
        facts = ForkFacts(forks=len(rows), warmup=warm, iterations=most, iteration_seconds=seconds)
        times = both[:, 0] / both[:, 1]
        further = {key: ("B/op", times * 0 + value) for key, value in _allocated(benchmark).items()}
        yield ForkEntry(
            identity, "ns/op", times, further, facts, calibrated=True, variant=variant, place=place
        )


def _allocated(benchmark: Field) -> dict[str, float]:
    memory = benchmark.optional("Memory", {})
    value = memory.optional(ALLOCATED, None)
    return {} if value.value is None else {ALLOCATED: value.number()}


FORMAT = EntriesFormat(
    name="benchmarkdotnet", key=KEY, mark=MARK, records=_records, environment=_environment
)
recognizes, read = FORMAT.recognizes, FORMAT.read


def benchmark_options(identity: Identity, how: ExecutionConfiguration) -> list[str]:
    """Return the options that make a program run all processes of one benchmark."""
    return [
        *("--filter", identity.name),
        *("--launchCount", str(how.forks)),
        *("--warmupCount", str(how.warmup_iterations)),
        *("--iterationCount", str(how.iterations)),
        *("--iterationTime", str(max(round(how.iteration_seconds * 1000), 1))),
        *("--exporters", "fulljson"),
    ]


OPTIONS = OptionFile("BenchmarkDotNet", "benchmarkdotnet.txt", _HEAD, benchmark_options, "{name}")
