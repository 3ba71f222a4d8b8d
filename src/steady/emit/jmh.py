"""Everything that JMH takes: an overlay for most benchmarks, groups for the others, a script."""

from __future__ import annotations

from collections.abc import Sequence

from steady.emit.emitter import OutputFile, Rendered
from steady.emit.jmh_benchmark_list import UnknownFormatError
from steady.emit.jmh_check import check_plan
from steady.emit.jmh_groups import group
from steady.emit.jmh_overlay import Overlay, make_overlay
from steady.emit.jmh_script import render_script
from steady.optimize.plan import Plan

OVERLAY = "overlay/META-INF/BenchmarkList"
SCRIPT = "run.sh"

_MOST_NAMES = 5


def render_jmh(plan: Plan, benchmark_list: bytes | None) -> Rendered:
    """Return JMH's configuration; see `steady.emit.Emitter`.

    Parameters
    ----------
    plan : Plan
        What to run.
    benchmark_list : bytes, optional
        ``META-INF/BenchmarkList`` of the benchmarks' jar. Without it, or where it is not in a
        format of JMH 1.19 to 1.37, every group of equal configuration is a start of JMH of its
        own.

    Raises
    ------
    InputError
        If JMH cannot be told what the plan says.
    """
    check_plan(plan)
    if not plan.benchmarks:
        return Rendered({}, ("the plan holds no benchmarks, so there is nothing to run",))
    overlay, notes = _overlay(plan, benchmark_list)
    identities = [benchmark.identity for benchmark in plan.benchmarks]
    groups, unselectable = group(plan.benchmarks)
    if overlay is None:
        script = render_script(identities, groups)
        files = {SCRIPT: OutputFile(script.encode(), executable=True)}
        return Rendered(files, (*notes, *unselectable), outdated=(OVERLAY,))
    remaining, unselectable = group(
        benchmark for benchmark in plan.benchmarks if benchmark.identity not in overlay.served
    )
    script = render_script(identities, groups, overlay, remaining, benchmark_list or b"")
    files = {
        OVERLAY: OutputFile(overlay.content),
        SCRIPT: OutputFile(script.encode(), executable=True),
    }
    return Rendered(files, (*notes, *unselectable))


def _overlay(plan: Plan, benchmark_list: bytes | None) -> tuple[Overlay | None, list[str]]:
    if benchmark_list is None:
        return None, []
    try:
        overlay = make_overlay(plan.benchmarks, benchmark_list)
    except UnknownFormatError as error:
        return None, [
            "the jar's META-INF/BenchmarkList is not in the format of JMH 1.19 to 1.37 "
            f"({error}), so each group of equal configuration runs on its own"
        ]
    notes = [_unlisted(overlay.unlisted)] if overlay.unlisted else []
    notes += [_other_operations(overlay.other_batches)] if overlay.other_batches else []
    return (overlay if overlay.served else None), notes


def _unlisted(names: Sequence[str]) -> str:
    return f"the jar does not hold these benchmarks of the plan: {_listed(names)}"


def _other_operations(names: Sequence[str]) -> str:
    return (
        f"the plan has another batch size than the jar declares for {_listed(names)}: what it "
        "runs is another operation; make the plan anew from a new full run"
    )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
