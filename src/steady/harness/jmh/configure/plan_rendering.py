"""A plan as JMH's configuration: an overlay, and argument files for other benchmarks.

An overlay gives each benchmark its own configuration in a single run of JMH. JMH reads every
``META-INF/BenchmarkList`` on the class path, and uses the first record of a method and mode
(``AbstractResourceReader``, ``BenchmarkList.find``). A folder with an edited list before the jar on
the class path therefore sets the warm-up, iterations and forks of each method, without changing
sources or jar. A record applies to all parameter values of a method, so the overlay contains only
methods whose parameter values all have the same plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from steady.harness.jmh.configure import command_lines
from steady.harness.jmh.configure.benchmark_list import BenchmarkListEntry, UnknownFormatError
from steady.harness.jmh.configure.benchmark_list_file import first_records, lines_of_list
from steady.harness.jmh.configure.command_lines import check_plan, duration
from steady.harness.plan_files import Rendered
from steady.model import ExecutionConfiguration, Identity
from steady.plan.suite_plan import BenchmarkPlan, Plan
from steady.text.numbers import listed

OVERLAY = "overlay/META-INF/BenchmarkList"

_PLAIN = re.compile(r"[^\s\x00-\x1f\"'#]+")
_ESCAPED = str.maketrans(
    {"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\f": r"\f"}
)


def render_jmh(plan: Plan, benchmark_list: bytes | None) -> Rendered:
    """Return JMH's configuration; see `steady.emit.Emitter`.

    Parameters
    ----------
    plan : Plan
        The plan.
    benchmark_list : bytes, optional
        ``META-INF/BenchmarkList`` of the benchmarks' jar. If it is missing, or its format is not
        that of JMH 1.19 to 1.37, argument files contain the whole plan.

    Raises
    ------
    InputError
        If JMH cannot express the plan.
    """
    check_plan(plan)
    if not plan.benchmarks:
        return Rendered({}, ("the plan contains no benchmarks, so there is nothing to run",))
    overlay, notes = _overlay(plan, benchmark_list)
    files: dict[str, bytes] = {}
    if overlay is not None:
        files[OVERLAY] = overlay.content
        files["jmh/overlay.args"] = _arguments(
            "overlay", map(command_lines.include_pattern, overlay.names)
        )
    served = frozenset() if overlay is None else overlay.served
    others = [b for b in plan.benchmarks if b.identity not in served]
    lines = command_lines.command_lines(b for b in others if command_lines.is_nameable(b.identity))
    for number, line in enumerate(lines, start=1):
        files[f"jmh/{number}.args"] = _arguments(str(number), line.arguments)
    return Rendered(files, (*notes, *_unnameable(others)))


def _arguments(name: str, arguments: Iterable[str]) -> bytes:
    comment = f"java -cp .steady/overlay:BENCHMARKS.JAR @.steady/jmh/{name}.args [JMH OPTION]..."
    return argument_file([command_lines.MAIN, *arguments], comment)


def _overlay(plan: Plan, benchmark_list: bytes | None) -> tuple[Overlay | None, list[str]]:
    if benchmark_list is None:
        return None, []
    try:
        overlay = make_overlay(plan.benchmarks, benchmark_list)
    except UnknownFormatError as error:
        return None, [
            "the jar's META-INF/BenchmarkList is not in the format of JMH 1.19 to 1.37 "
            f"({error}), so steady writes argument files instead of an overlay"
        ]
    notes = []
    if overlay.unlisted:
        names = listed(overlay.unlisted)
        notes.append(f"the jar lacks these benchmarks of the plan: {names}")
    if overlay.other_batches:
        notes.append(
            "the batch size of the plan differs from that of the jar for "
            f"{listed(overlay.other_batches)}, so it would run another operation; make a new plan "
            "from a new full run"
        )
    return (overlay if overlay.served else None), notes


def _unnameable(benchmarks: Sequence[BenchmarkPlan]) -> list[str]:
    """Return a note on benchmarks that no command line can express, if there are any."""
    names = [b.identity.name for b in benchmarks if not command_lines.is_nameable(b.identity)]
    if not names:
        return []
    return [
        f"no argument file runs all of {listed([*dict.fromkeys(names)])}: JMH's command line "
        "splits the value of a parameter at its commas; `steady run --plan` runs them"
    ]


def argument_file(arguments: Iterable[str], comment: str) -> bytes:
    """Return an argument file of Java in UTF-8, for ``java @FILE``.

    Source: JDK 9 to 25, ``java.base/share/native/libjli/args.c`` (``nextToken``). White space
    separates arguments, and ``#`` begins a comment. Quotation marks protect white space; only
    within them does a backslash escape the next character.

    Parameters
    ----------
    arguments : iterable of str
        Arguments without NUL; each gets its own line.
    comment : str
        The first line, a comment.
    """
    lines = [f"# {comment}", *map(_quoted, arguments)]
    return "".join(f"{line}\n" for line in lines).encode()


def _quoted(argument: str) -> str:
    if _PLAIN.fullmatch(argument):
        return argument
    return f'"{argument.translate(_ESCAPED)}"'


@dataclass(frozen=True, slots=True)
class Overlay:
    """An overlay: JMH's list of benchmarks with the configurations of a plan.

    Parameters
    ----------
    content : bytes
        The file; records are unchanged if they are not in the plan, or cannot express it.
    served : frozenset of Identity
        The benchmarks that it configures as planned.
    names : tuple of str
        Names of these benchmarks in the list's order, for JMH's command line.
    unlisted : tuple of str
        Names of planned benchmarks that the list does not contain.
    other_batches : tuple of str
        Names of benchmarks with different batch sizes in plan and list.
    """

    content: bytes
    served: frozenset[Identity]
    names: tuple[str, ...]
    unlisted: tuple[str, ...]
    other_batches: tuple[str, ...] = ()


def make_overlay(benchmarks: Iterable[BenchmarkPlan], benchmark_list: bytes) -> Overlay:
    """Return the overlay for a plan.

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
    """Return the plans of a record's parameter combinations; none if it cannot express them all."""
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
