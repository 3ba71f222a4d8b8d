"""The BenchmarkList overlay: every benchmark with its own configuration in one start of JMH.

JMH reads every ``META-INF/BenchmarkList`` on the class path and keeps the first record of a method
and mode (``AbstractResourceReader``, ``BenchmarkList.find``). A folder with an edited list that
stands before the jar on the class path therefore gives each method its own warm-up, iterations and
forks, and changes neither sources nor jar. One record holds all the values of a method's
parameters, so it serves only methods whose values all have the same plan.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from steady.harness.jmh.configure.benchmark_list import BenchmarkListEntry, UnknownFormatError
from steady.harness.jmh.configure.expressible import duration
from steady.model import ExecutionConfiguration, Identity
from steady.plan.suite_plan import BenchmarkPlan


@dataclass(frozen=True, slots=True)
class Overlay:
    """An overlay: JMH's list of benchmarks with the configurations of a plan.

    Parameters
    ----------
    content : bytes
        The whole file; records that are not in the plan, or cannot express it, are unchanged.
    served : frozenset of Identity
        Benchmarks that it configures as planned.
    names : tuple of str
        Their names in the list's order, for JMH's command line, so that no others run.
    unlisted : tuple of str
        Names in the plan that are not in the list.
    other_batches : tuple of str
        Names whose batch size in the plan differs from that of the list.
    """

    content: bytes
    served: frozenset[Identity]
    names: tuple[str, ...]
    unlisted: tuple[str, ...]
    other_batches: tuple[str, ...] = ()


def make_overlay(benchmarks: Iterable[BenchmarkPlan], benchmark_list: bytes) -> Overlay:
    """Edit a list by a plan.

    Parameters
    ----------
    benchmarks : iterable of BenchmarkPlan
        The whole plan.
    benchmark_list : bytes
        ``META-INF/BenchmarkList`` of the benchmarks' jar.

    Raises
    ------
    UnknownFormatError
        If a line is not in the format of JMH 1.19 to 1.37; the message names the line.
    """
    planned: dict[str, list[BenchmarkPlan]] = {}
    for benchmark in benchmarks:
        planned.setdefault(benchmark.identity.name, []).append(benchmark)
    lines = lines_of_list(benchmark_list)
    records = first_records(lines)
    edited: dict[tuple[str, str], BenchmarkListEntry] = {}
    served: set[Identity] = set()
    for name, own in records.items():
        plans = {mode: _serves(record, planned.get(name, ())) for mode, record in own.items()}
        if not all(plans.values()):
            continue
        for mode, alike in plans.items():
            edited[name, mode] = _edit(own[mode], alike[0].configuration)
            served |= {benchmark.identity for benchmark in alike}
    return Overlay(
        content="".join(
            line if isinstance(line, str) else str(edited.get((line.name, line.mode), line))
            for line in lines
        ).encode(),
        served=frozenset(served),
        names=tuple(dict.fromkeys(name for name, _ in edited)),
        unlisted=tuple(name for name in planned if name not in records),
        other_batches=tuple(
            name
            for name, plans in planned.items()
            if _declares_other_batches(records.get(name, {}), plans)
        ),
    )


def lines_of_list(benchmark_list: bytes) -> list[BenchmarkListEntry | str]:
    """Return the records, and all ignored text between them, line ends included.

    Raises
    ------
    UnknownFormatError
        If a line is not in the format of JMH 1.19 to 1.37; the message names the line.
    """
    try:
        text = benchmark_list.decode()
    except UnicodeDecodeError:
        raise UnknownFormatError("it is not UTF-8 text") from None
    lines: list[BenchmarkListEntry | str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if number > 1:
            lines.append("\n")
        body = line.removesuffix("\r")
        if body.startswith("#") or not body.strip():
            lines.append(line)
            continue
        try:
            lines.append(BenchmarkListEntry.parse(body))
        except UnknownFormatError as error:
            raise UnknownFormatError(f"line {number}: {error}") from None
        lines.append(line[len(body) :])
    return lines


def first_records(
    lines: Iterable[BenchmarkListEntry | str],
) -> Mapping[str, Mapping[str, BenchmarkListEntry]]:
    """Return the records by name and mode; of two equal ones, the first, as in JMH."""
    records: dict[str, dict[str, BenchmarkListEntry]] = {}
    for line in lines:
        if isinstance(line, BenchmarkListEntry):
            records.setdefault(line.name, {}).setdefault(line.mode, line)
    return records


def _declares_other_batches(
    own: Mapping[str, BenchmarkListEntry], planned: Iterable[BenchmarkPlan]
) -> bool:
    declared = {m: int(r.annotated("measurement batch size") or 1) for m, r in own.items()}
    return any(
        declared.get(one.identity.mode, one.configuration.batch_size)
        != one.configuration.batch_size
        for one in planned
    )


def _serves(record: BenchmarkListEntry, planned: Iterable[BenchmarkPlan]) -> list[BenchmarkPlan]:
    """Return the plans that the record can express: all of its combinations, or none."""
    own = [
        benchmark
        for benchmark in planned
        if benchmark.identity.mode == record.mode and benchmark.identity.threads == record.threads
    ]
    alike = len({benchmark.configuration for benchmark in own}) == 1
    exact = alike and record.runs_exactly([dict(b.identity.params) for b in own])
    return own if exact else []


def _edit(record: BenchmarkListEntry, configuration: ExecutionConfiguration) -> BenchmarkListEntry:
    return (
        record.with_iterations(
            "warmup",
            configuration.warmup_iterations,
            duration(configuration.warmup_seconds, record.mode),
            configuration.warmup_batch_size,
        )
        .with_iterations(
            "measurement",
            configuration.iterations,
            duration(configuration.iteration_seconds, record.mode),
            configuration.batch_size,
        )
        .with_forks(configuration.forks)
    )
