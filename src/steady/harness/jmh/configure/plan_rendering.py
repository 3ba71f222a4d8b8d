"""A plan as JMH's configuration: an overlay, and argument files for other benchmarks."""

import re
from collections.abc import Iterable, Sequence

from steady.harness.jmh.configure import command_lines
from steady.harness.jmh.configure.benchmark_list import UnknownFormatError
from steady.harness.jmh.configure.expressible import check_plan
from steady.harness.jmh.configure.overlay import Overlay, make_overlay
from steady.harness.plan_files import Rendered
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
        ``META-INF/BenchmarkList`` of the benchmarks' jar. Without it, or in a format other than
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
            f"the plan has another batch size than the jar declares for "
            f"{listed(overlay.other_batches)}: it would run another operation; make a new plan "
            "from a new full run"
        )
    return (overlay if overlay.served else None), notes


def _unnameable(benchmarks: Sequence[BenchmarkPlan]) -> list[str]:
    """Yield a note on benchmarks that no command line can name."""
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
    separates arguments, and ``#`` begins a comment. Quotation marks protect white space; a
    backslash escapes the next character only within them.

    Parameters
    ----------
    arguments : iterable of str
        Any texts without NUL; one per line.
    comment : str
        One line above them.
    """
    lines = [f"# {comment}", *map(_quoted, arguments)]
    return "".join(f"{line}\n" for line in lines).encode()


def _quoted(argument: str) -> str:
    if _PLAIN.fullmatch(argument):
        return argument
    return f'"{argument.translate(_ESCAPED)}"'
