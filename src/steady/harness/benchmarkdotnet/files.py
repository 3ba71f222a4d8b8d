"""BenchmarkDotNet: the full report of a run, and the command lines that a plan becomes."""

from collections.abc import Iterator

import numpy as np

from steady.model import Environment, ExecutionConfiguration, Identity, Suite
from steady.programs.fork_file import ForkEntry, ForkNote, suite_of
from steady.programs.option_file import OptionFile
from steady.readers.fields import Field, quoted
from steady.readers.sources import Document

NAME = "benchmarkdotnet"
ALLOCATED = "BytesAllocatedPerOperation"

_STAGES = ("Warmup", "Actual", "Result")
_NO_MEASUREMENTS = "holds no single measurements; run it again with `--exporters fulljson`"
_FAILED = "it left no measurement; BenchmarkDotNet's log says why"

_HEAD = """\
# What the plan tells BenchmarkDotNet, one line of options for each benchmark. They stand behind
# `dotnet run -c Release --`, in a program that hands its arguments to BenchmarkSwitcher.
"""


def recognizes(document: Document) -> bool:
    """Tell whether a document looks like a report of BenchmarkDotNet."""
    return document.is_marked("HostEnvironmentInfo") and document.is_marked("Benchmarks")


def read(document: Document) -> Suite:
    """Read a full report: a benchmark with a row for each launch of its process.

    The iterations are those of warm-up and those that are measured, as they were: outliers are not
    removed, and what an empty loop takes is not subtracted. A file that has only such results is
    read as it is. Bytes allocated by an operation are in `Benchmark.metrics`.

    Source: ``Exporters/Json/JsonExporterBase.cs`` of BenchmarkDotNet 0.13 to 0.16.

    Raises
    ------
    InputError
        If the document is not what it writes, is a brief report, or holds a benchmark twice.
    """
    top = Field(document.data, document.source)
    host = top.member("HostEnvironmentInfo")
    cpu, system = (
        host.below(key, host.table().get(key) or "").text()
        for key in ("ProcessorName", "OsVersion")
    )
    entries: dict[str, list[ForkEntry]] = {}
    for one in top.member("Benchmarks").items():
        name = one.member("FullName").text()
        if name in entries:
            raise one.error(
                f"is a second result of {quoted(name)}, of another job; run one job in each version"
            )
        entries[name] = list(_launches(name, one))
    return suite_of(
        [entry for own in entries.values() for entry in own],
        harness=NAME,
        source=document.source,
        environment=Environment(cpu=cpu, os=system),
    )


def _launches(name: str, benchmark: Field) -> Iterator[ForkEntry]:
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
    if not rows:
        yield ForkEntry(Identity(name), "", np.empty(0), failure=_FAILED)
    warm = min((len(warmups) for warmups, _ in rows), default=0)
    most = max((len(actual) for _, actual in rows), default=0)
    for warmups, actual in rows:
        both = np.array([*warmups[len(warmups) - warm :], *actual], np.float64)
        if not np.isfinite(both).all():
            raise benchmark.error("holds a time that is not a number")
        seconds = float(np.median(both[warm:, 0])) / 1e9
        note = ForkNote(forks=len(rows), warmup=warm, iterations=most, iteration_seconds=seconds)
        times = both[:, 0] / both[:, 1]
        further = {key: ("B/op", times * 0 + value) for key, value in _allocated(benchmark).items()}
        yield ForkEntry(Identity(name), "ns/op", times, further, note)


def _allocated(benchmark: Field) -> dict[str, float]:
    memory = benchmark.optional("Memory", {})
    value = memory.optional(ALLOCATED, None)
    return {} if value.value is None else {ALLOCATED: value.number()}


def benchmark_options(identity: Identity, how: ExecutionConfiguration) -> list[str]:
    """Return the options with which a program runs all processes of one benchmark."""
    return [
        *("--filter", identity.name),
        *("--launchCount", str(how.forks)),
        *("--warmupCount", str(how.warmup_iterations)),
        *("--iterationCount", str(how.iterations)),
        *("--iterationTime", str(max(round(how.iteration_seconds * 1000), 1))),
        *("--exporters", "fulljson"),
    ]


OPTIONS = OptionFile("BenchmarkDotNet", "benchmarkdotnet.txt", _HEAD, benchmark_options, "{name}")
