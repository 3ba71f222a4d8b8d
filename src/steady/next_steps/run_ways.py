"""The commands to type next, where a run cannot begin, takes long or waits, and at its end."""

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
from steady.next_steps.first_run import (
    build_hint,
    files_here,
    first_plan,
    full_run,
    listing,
    ways_to_build,
    without_plan,
)
from steady.optimize.suite_parts import assign_parts
from steady.options.command import Command
from steady.options.compare_options import CompareCommand
from steady.options.kinds import TIME
from steady.options.plan_options import OptimizeCommand
from steady.options.run_options import RunCommand
from steady.text.numbers import count, duration

_ALIKE = ("plan", "rule", "min_change", "confidence", "false_alarms", "settings")
"""What a run and the comparison of its results must be given alike."""

LONG = 3600.0
"""A full run that takes more seconds than this is a reason to offer other ways."""

_MOST_FOLDERS = 12


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


def _with_another(plan: str, arguments: Any, folder: str) -> str:
    make = OptimizeCommand(results=("full",), out=Path(folder)).line
    return (
        f"; make {plan} with `{full_run(arguments)}` and then `{make}`, or run without one: "
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
    "plan of another harness": lambda arguments, harness: _with_another(
        "a plan of it", arguments, f".steady-{harness}"
    ),
    "plan of another suite": partial(_with_another, "a new one"),
    "no benchmarks here": _with_benchmarks,
    "no benchmark written": lambda *_: ways_to_build(),
    "no such benchmark": lambda arguments, shows: f"; `{listing(arguments)}` {shows}",
    "too little time": _with_more_time,
}
"""What ends a message, after each obstacle. Most obstacles are those of `RunCommand` alone."""


def compare_command(arguments: RunCommand) -> str:
    """Return the command that says what changed, by the rule that the run decided with."""
    alike = {name: getattr(arguments, name) for name in _ALIKE}
    return CompareCommand(pair=(str(arguments.out),), **alike).line


def plan_command(outcome: RunOutcome) -> str:
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


def shorter_runs(arguments: RunCommand, plan: RunPlan) -> list[str]:
    """Return what takes less time than a full run, one way in each line; empty if it is short."""
    workloads = plan.workloads
    seconds = sum(workload.all_seconds for workload in workloads)
    parts = 1 if arguments.shard is None else arguments.shard[1]
    if arguments.full is None or seconds / parts <= LONG:
        return []
    return [
        f"this full run takes {duration(seconds / parts)}; these take less:",
        *_in_shards(arguments, workloads, seconds),
        _without_it(arguments),
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
    first = replace(_wanted(arguments), shard=(1, parts), out=Path(folders[0])).line
    if parts > _MOST_FOLDERS:
        folders = [f"{out}-*"]
    merge = f"steady merge {' '.join(_quoted(one) for one in folders)} --out {shlex.quote(out)}"
    yield (
        f"on {count(parts, 'machine')}, at most {duration(max(longest))} each: `{first}`, and so "
        f"on to {parts}/{parts}; then `{merge}`"
    )


def _quoted(folder: str) -> str:
    """Return a word of the shell; the star at its end stays one."""
    return shlex.quote(folder[:-1]) + "*" if folder.endswith("*") else shlex.quote(folder)


def _without_it(arguments: RunCommand) -> str:
    """Offer a verdict without any plan."""
    verdict = replace(
        _wanted(arguments),
        full=None, iteration_seconds=None, shard=None, jar=None, all_rounds=False,
        base=arguments.base or Path("BASE"), head=arguments.head or arguments.jar,
        time_budget=600.0, out=Path("results"),
    )  # fmt: skip
    return f"no full run at all, and a verdict in 10 min: `{verdict.line}`"


def _wanted(arguments: RunCommand) -> RunCommand:
    """Return the run as it begins anew."""
    return replace(arguments, dry_run=False, resume=False)
