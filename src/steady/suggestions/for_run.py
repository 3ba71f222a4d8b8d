"""Suggestions for runs that cannot start, take too long, or have ended."""

import math
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from steady.engine.request import Obstacle, Ways
from steady.engine.run_outcome import RunOutcome
from steady.engine.run_plan import RunPlan
from steady.engine.workload import Workload
from steady.harnesses import harness_named
from steady.optimize.suite_parts import assign_parts
from steady.options.command import Command
from steady.options.compare_options import CompareCommand
from steady.options.kinds import TIME
from steady.options.plan_options import OptimizeCommand
from steady.options.run_options import RunCommand
from steady.options.strictness import strictness_of
from steady.suggestions.commands import (
    BASE,
    Named,
    benchmark_files,
    build_commands,
    build_hint,
    code,
    plan_of_full_run,
    plan_of_run,
)
from steady.suggestions.missing import suggest_for_no_plan
from steady.text.numbers import count, duration

LONG = 3600.0
"""Seconds of a full run above which shorter runs are suggested."""

_MOST_FOLDERS = 12


def suggest_for_obstacles(arguments: Command) -> Ways:
    """Return a function that completes the engine's messages with suggestions for this command."""
    return lambda obstacle, fact: _SUGGESTIONS[obstacle](arguments, fact)


def _length(arguments: Any, _: str) -> str:
    named = Named.by(arguments)
    if arguments.base is not None and arguments.head is not None:
        return f": {code(named.run_without_plan(str(arguments.out or 'results')))}"
    return f": {code(named.run_without_plan() if arguments.jar is None else named.full_run())}"


def _folder(arguments: Any, _: str) -> str:
    out = Path("results" if arguments.full is None else "full")
    return f": {code(replace(arguments, out=out))}"


def _another_plan(plan: str, arguments: Any, folder: str) -> str:
    named, make = Named.by(arguments), plan_of_full_run(Path(folder))
    return (
        f"; make {plan} with {code(named.full_run())} and then {code(make)}, or run without one: "
        f"{code(named.run_without_plan())}"
    )


def _benchmarks(arguments: Any, wrong: str) -> str:
    """Suggest the probably intended file, or the command that builds one."""
    named = {side: str(getattr(arguments, side, None)) for side in ("base", "head", "jar")}
    side = next((side for side, path in named.items() if path == wrong), None)
    files = [] if side is None else sorted(map(str, benchmark_files()))
    if side is None or not files:
        return build_hint() if not wrong or Path(wrong).exists() else build_commands()
    meant = min(files, key=lambda file: (side not in file, file in named.values()))
    command = replace(arguments, **{side: Path(meant)})
    return f"; {meant} contains benchmarks: {code(command)}"


def _more_time(arguments: Any, time: str) -> str:
    out = Path(f"{arguments.out}-longer")
    longer = replace(arguments, time_budget=TIME.read(time), out=out, resume=False)
    return f"; to measure all benchmarks: {code(longer)}"


_SUGGESTIONS: Mapping[Obstacle, Callable[[Any, str], str]] = {
    "no length": _length,
    "no folder": _folder,
    "no plan": lambda arguments, plan: suggest_for_no_plan(Path(plan), arguments),
    "plan of another harness": lambda arguments, harness: _another_plan(
        "a plan for it", arguments, f".steady-{harness}"
    ),
    "plan of another suite": partial(_another_plan, "a new one"),
    "no benchmarks here": _benchmarks,
    "no benchmark written": lambda *_: build_commands(),
    "no such benchmark": lambda arguments, shows: (
        f"; {code(Named.by(arguments).listing())} {shows}"
    ),
    "too little time": _more_time,
}
"""The suggestion at the end of a message, by obstacle. Most occur only in `steady run`."""


def compare_command(arguments: RunCommand) -> CompareCommand:
    """Return the command that compares a run's results with the same strictness."""
    return CompareCommand(
        pair=(str(arguments.out),),
        plan=arguments.plan,
        settings=arguments.settings,
        **strictness_of(arguments),
    )


def plan_command(outcome: RunOutcome) -> OptimizeCommand | None:
    """Return the command that makes a plan from a run; None if a result is missing."""
    merged = [outcome.state.merged.get(version.name) for version in outcome.versions]
    results = [path for path in merged if path is not None]
    if len(results) < len(merged):
        return None
    declares = harness_named(outcome.harness).declaring is not None
    jar = outcome.versions[0].target if declares else None
    return plan_of_run(outcome.series or results[0], results, jar=jar)


def suggest_shorter_runs(arguments: RunCommand, plan: RunPlan) -> list[str]:
    """Suggest alternatives to a long full run, one per line."""
    workloads = plan.workloads
    seconds = sum(workload.all_seconds for workload in workloads)
    parts = 1 if arguments.shard is None else arguments.shard[1]
    if arguments.full is None or seconds / parts <= LONG:
        return []
    return [
        f"this full run takes {duration(seconds / parts)}; shorter alternatives:",
        *_in_shards(arguments, workloads, seconds),
        _verdict_alone(arguments),
    ]


def _in_shards(
    arguments: RunCommand, workloads: Sequence[Workload], seconds: float
) -> Iterator[str]:
    parts = min(math.ceil(seconds / LONG), len(workloads))
    if parts == 1:
        return
    own = {workload.identity: workload.all_seconds for workload in workloads}
    longest = [0.0] * parts
    for identity, place in assign_parts(own, parts).items():
        longest[place] += own[identity]
    out = str(arguments.out or "full")
    folders = [f"{out}-{number}" for number in range(1, parts + 1)]
    first = replace(_anew(arguments), shard=(1, parts), out=Path(folders[0]))
    if parts > _MOST_FOLDERS:
        folders = [f"{out}-*"]
    merge = f"steady merge {' '.join(_quoted(one) for one in folders)} --out {shlex.quote(out)}"
    yield (
        f"on {count(parts, 'machine')}, at most {duration(max(longest))} each: {code(first)}, and "
        f"so on to {parts}/{parts}; then `{merge}`"
    )


def _quoted(folder: str) -> str:
    """Quote a folder for the shell, except a final star."""
    return shlex.quote(folder[:-1]) + "*" if folder.endswith("*") else shlex.quote(folder)


def _verdict_alone(arguments: RunCommand) -> str:
    """Suggest a comparison without a plan."""
    verdict = replace(
        _anew(arguments),
        full=None, iteration_seconds=None, shard=None, jar=None, all_rounds=False,
        base=arguments.base or Path(BASE), head=arguments.head or arguments.jar,
        time_budget=600.0, out=Path("results"),
    )  # fmt: skip
    return f"a verdict in 10 min, without a full run: {code(verdict)}"


def _anew(arguments: RunCommand) -> RunCommand:
    """Return the command of the same run, started anew."""
    return replace(arguments, dry_run=False, resume=False)
