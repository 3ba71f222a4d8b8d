"""The commands to type next, where a run cannot begin, while it waits, and at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from steady.engine.prepared import Prepared
from steady.engine.request import Obstacle, Ways
from steady.engine.run_outcome import RunOutcome
from steady.engine.workload import everything, latest
from steady.harness import harness_named
from steady.next_steps.built_here import files_here
from steady.next_steps.first_run import (
    build_hint,
    first_plan,
    full_run,
    listing,
    ways_to_build,
    without_annotations,
    without_plan,
)
from steady.next_steps.shorter_runs import shorter_runs
from steady.options.command import Command
from steady.options.compare_options import CompareCommand
from steady.options.kinds import TIME
from steady.options.plan_options import OptimizeCommand
from steady.options.run_options import RunCommand

_ALIKE = ("plan", "rule", "min_change", "confidence", "false_alarms", "settings")
"""What a run and the comparison of its results must be given alike."""


def ways_of(arguments: Command) -> Ways:
    """Return what ends a message of the engine, for one who typed this command."""
    return lambda after, fact: _WAYS[after](arguments, fact)


def _with_length(arguments: Any, _: str) -> str:
    if arguments.base is not None and arguments.head is not None:
        command = without_plan(arguments, str(arguments.out or "results"))
    else:
        command = without_plan(arguments) if arguments.jar is None else full_run(arguments)
    return f": `{command}`"


def _with_folder(arguments: Any, _: str) -> str:
    out = Path("results" if arguments.full is None else "full")
    return f": `{replace(arguments, out=out).line}`"


def _with_other_plan(arguments: Any, harness: str) -> str:
    make = OptimizeCommand(results=("full",), out=Path(f".steady-{harness}")).line
    return (
        f"; make a plan of it with `{full_run(arguments)}` and then `{make}`, or run without one: "
        f"`{without_plan(arguments)}`"
    )


def _with_new_plan(arguments: Any, plan: str) -> str:
    make = OptimizeCommand(results=("full",), out=Path(plan)).line
    return (
        f"; make a new one with `{full_run(arguments)}` and then `{make}`, or run without one: "
        f"`{without_plan(arguments)}`"
    )


def _with_benchmarks(arguments: Any, wrong: str) -> str:
    """Return the file that may have been meant, or what builds one."""
    named = {side: str(getattr(arguments, side, None)) for side in ("base", "head", "jar")}
    side = next((side for side, path in named.items() if path == wrong), None)
    files = [] if side is None else sorted(map(str, files_here()))
    if side is None or not files:
        return build_hint() if not wrong or Path(wrong).exists() else ways_to_build()
    meant = min(files, key=lambda file: (side not in file, file in named.values()))
    command = replace(arguments, **{side: Path(meant)}).line
    return f"; {meant} holds benchmarks: `{command}`"


def _with_more_time(arguments: Any, time: str) -> str:
    out = Path(f"{arguments.out}-longer")
    longer = replace(arguments, time_budget=TIME.read(time), out=out, resume=False)
    return f"; enough for all is about `{longer.line}`"


_WAYS: Mapping[Obstacle, Callable[[Any, str], str]] = {
    "no length": _with_length,
    "no folder": _with_folder,
    "no plan": lambda arguments, plan: first_plan(Path(plan), arguments),
    "plan of another harness": _with_other_plan,
    "plan of another suite": _with_new_plan,
    "no benchmarks here": _with_benchmarks,
    "no benchmark written": lambda *_: ways_to_build(),
    "no such benchmark": lambda arguments, shows: f"; `{listing(arguments)}` {shows}",
    "too little time": _with_more_time,
}
"""What ends a message, after each obstacle. Most obstacles are those of `RunCommand` alone."""


def before_forks(arguments: RunCommand, prepared: Prepared) -> Iterator[str]:
    """Yield what takes less time than what will run, or says how long to run in its place."""
    chosen = prepared.chosen
    harness = chosen.found.harness.name
    asked = frozenset(everything(chosen.found.held))
    declared = {i: own for i, own in latest(chosen.declared).items() if i in asked}
    yield from without_annotations(arguments, harness, declared)
    yield from shorter_runs(arguments, prepared.whole, harness)


def resumed(arguments: RunCommand) -> str:
    """Return the command that goes on with a run that was stopped."""
    return replace(arguments, resume=True).line


def compared(arguments: RunCommand) -> str:
    """Return the command that says what changed, by the rule that the run decided with."""
    alike = {name: getattr(arguments, name) for name in _ALIKE}
    return CompareCommand(pair=(str(arguments.out),), **alike).line


def plan_made(outcome: RunOutcome) -> str:
    """Return the command that makes the first plan of what was learnt; empty if nothing was."""
    merged = [outcome.state.merged.get(version.name) for version in outcome.versions]
    base = outcome.versions[0]
    if not all(merged):
        return ""
    return OptimizeCommand(
        results=(str(outcome.series or merged[0]),),
        detect=0.05,
        jar=None if harness_named(outcome.harness).declaring is None else base.target,
        earlier=tuple(map(str, merged)),
    ).line
