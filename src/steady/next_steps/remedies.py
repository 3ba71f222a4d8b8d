"""Commands that give a plan where none is to be had, or not for every benchmark."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from steady.engine.run_file import read_run
from steady.engine.run_folder import header_beside
from steady.errors import InputError
from steady.model import Suite
from steady.optimize import Advice, OverTimeError, Plan, advice
from steady.options.plan_options import OptimizeCommand
from steady.options.run_options import RunCommand
from steady.settings import DEFAULT_SETTINGS
from steady.text.counting import count

LONGER = "longer"
"""Folder of the run that is proposed."""

_NAMED = 8

_WHY: Mapping[str, str] = {
    "no operation": "had an iteration without a single operation",
    "too few": "had too few forks or iterations to plan with",
    "unsteady": "had no steady state, or only at the end of the run",
}


def ways_to_fit(error: OverTimeError, arguments: OptimizeCommand) -> str:
    """Return commands that fit into their time budget, one of which the user may choose."""
    *others, last = (f"`{replace(arguments, **way).line}`" for way in error.ways)  # type: ignore[arg-type]
    return f"what works is {', '.join(others)} or {last}" if others else f"what works is {last}"


def ways_on(suite: Suite, plan: Plan, arguments: OptimizeCommand) -> list[str]:
    """Return what gives a plan to benchmarks that have none, each remedy as a whole command."""
    lines = []
    for remedy in advice(suite, plan):
        who = count(len(remedy.benchmarks), "benchmark")
        either = "Either measure" if remedy.can_reduce else "Measure"
        lines += ["", f"{who} {_WHY[remedy.why]}. {either} anew, and add them to the plan:"]
        lines += [f"  {_measured_anew(remedy, suite, arguments).line}"]
        lines += [f"  {replace(arguments, results=(LONGER,), update=True).line}"]
        if remedy.can_reduce:
            lines += ["or plan on the second half of what was measured, where that saves time:"]
            lines += [f"  {replace(arguments, unsteady='reduce').line}"]
    return lines


def ways_to_look_at_all(plan: Plan, arguments: OptimizeCommand) -> list[str]:
    """Return what looks at every benchmark in each pull request, where the plan is in rotation."""
    if plan.rotation == 1:
        return []
    minutes = math.ceil((plan.start_seconds + plan.pair_seconds) / 60)
    run = RunCommand(
        plan=arguments.out, base=Path("BASE"), head=Path("HEAD"), shard=(1, plan.rotation),
        out=Path("part-1"),
    )  # fmt: skip
    settings = arguments.settings or DEFAULT_SETTINGS
    return [
        "",
        "To look at all of them in every pull request, give it the time that takes:",
        f"  {replace(arguments, time_budget=60.0 * minutes).line}",
        f"and, to be as fast as now, share that plan among {plan.rotation} machines:",
        f"  {run.line}",
        f"To look at some of them every time, name them in {settings}, such as "
        '`important: ["Codec*"]`, and plan again:',
        f"  {arguments.line}",
    ]


def _measured_anew(remedy: Advice, suite: Suite, arguments: OptimizeCommand) -> RunCommand:
    names = list(dict.fromkeys(identity.name for identity in remedy.benchmarks))
    some = len(remedy.benchmarks) < len(suite) and len(names) <= _NAMED
    return RunCommand(
        full=(remedy.forks, remedy.iterations),
        iteration_seconds=float(f"{remedy.iteration_seconds:.3g}") or None,
        only="|".join(re.escape(name) for name in names) if some else None,
        jar=arguments.jar or _measured_build(suite),
        out=Path(LONGER),
    )


def _measured_build(suite: Suite) -> Path:
    """Return the jar or folder that a run measured, as its ``run.json`` says."""
    for source in suite.sources:
        with suppress(InputError):  # most results have none
            versions = read_run(header_beside(Path(source))).header.versions
            return Path(next((version.path for version in versions), "BENCHMARKS"))
    return Path("BENCHMARKS")
