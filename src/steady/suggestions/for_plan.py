"""Suggestions beside a new plan: for benchmarks without one, and for a plan in rotation."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from steady.harnesses import harness_named
from steady.model import Suite
from steady.optimize import Plan
from steady.options.plan_options import OptimizeCommand
from steady.options.run_options import RunCommand
from steady.settings import DEFAULT_SETTINGS
from steady.suggestions.recorded_run import run_of
from steady.suggestions.rendering import BASE
from steady.text.numbers import count

if TYPE_CHECKING:  # the module that makes one imports all that analysis needs
    from steady.optimize import Advice

LONGER = "longer"
"""Folder of the suggested run."""

_NAMED = 8

_WHY: Mapping[str, str] = {
    "no operation": "had an iteration without a single operation",
    "too few": "had too few forks or iterations to plan with",
    "unsteady": "had no steady state, or only at the end of the run",
}


def suggest_for_unplanned(suite: Suite, plan: Plan, arguments: OptimizeCommand) -> Iterator[str]:
    """Suggest a longer run for benchmarks without a plan, for each reason a block of lines."""
    from steady.optimize import advice

    harness = harness_named(suite.harness)
    for remedy in advice(suite, plan):
        problem = f"{count(len(remedy.benchmarks), 'benchmark')} {_WHY[remedy.why]}."
        yield ""
        if harness.title and harness.running is None:  # its own tools have to measure
            longer = f"{remedy.forks} {harness.forks} of {remedy.iterations} iterations"
            yield f"{problem} Measure anew, such as {longer}."
            continue
        either = "Either measure" if remedy.can_reduce else "Measure"
        yield f"{problem} {either} anew, and add them to the plan:"
        yield f"  {_longer_run(remedy, suite, arguments).line}"
        yield f"  {replace(arguments, results=(LONGER,), update=True).line}"
        if remedy.can_reduce:
            yield "or plan on the second half of what was measured, where that saves time:"
            yield f"  {replace(arguments, unsteady='reduce').line}"


def suggest_for_rotation(suite: Suite, plan: Plan, arguments: OptimizeCommand) -> Iterator[str]:
    """Suggest commands that measure all benchmarks in each pull request, or name important ones."""
    if plan.rotation == 1:
        return
    minutes = math.ceil((plan.start_seconds + plan.pair_seconds) / 60)
    run = replace(
        run_of(suite), plan=arguments.out, base=Path(BASE), head=Path("HEAD"), jar=None,
        shard=(1, plan.rotation), out=Path("part-1"),
    )  # fmt: skip
    yield ""
    yield "To look at all of them in every pull request, give it the time that takes:"
    yield f"  {replace(arguments, time_budget=60.0 * minutes).line}"
    yield f"and, to be as fast as now, share that plan among {plan.rotation} machines:"
    yield f"  {run.line}"
    yield (
        "To look at some of them every time, name them in "
        f'{arguments.settings or DEFAULT_SETTINGS}, such as `important: ["Codec*"]`, and plan '
        "again:"
    )
    yield f"  {arguments.line}"


def _longer_run(remedy: "Advice", suite: Suite, arguments: OptimizeCommand) -> RunCommand:
    names = list(dict.fromkeys(identity.name for identity in remedy.benchmarks))
    some = len(remedy.benchmarks) < len(suite) and len(names) <= _NAMED
    recorded = run_of(suite)
    return replace(
        recorded,
        full=(remedy.forks, remedy.iterations),
        iteration_seconds=float(f"{remedy.iteration_seconds:.3g}") or None,
        only="|".join(re.escape(name) for name in names) if some else None,
        jar=arguments.jar or recorded.jar,
        out=Path(LONGER),
    )
