"""Commands that help where no plan is to be had for a benchmark, or a verdict is unclear."""

import math
import re
import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from steady.compare import Comparison
from steady.engine.run_file import COMMAND, Header, read_run
from steady.engine.run_folder import header_beside
from steady.errors import InputError
from steady.harness.only import ONLY
from steady.harnesses import harness_named
from steady.model import Suite
from steady.optimize import Plan
from steady.options.compare_options import Comparing
from steady.options.kinds import target_of
from steady.options.plan_options import PLAN_FOLDER, OptimizeCommand
from steady.options.run_options import RunCommand
from steady.settings import DEFAULT_SETTINGS
from steady.text.numbers import count

if TYPE_CHECKING:  # what makes one imports all that analysis needs
    from steady.optimize import Advice

LONGER = "longer"
"""Folder of the run that is proposed."""

_NAMED = 8

_WHY: Mapping[str, str] = {
    "no operation": "had an iteration without a single operation",
    "too few": "had too few forks or iterations to plan with",
    "unsteady": "had no steady state, or only at the end of the run",
}


def ways_on(suite: Suite, plan: Plan, arguments: OptimizeCommand) -> list[str]:
    """Return what gives a plan to benchmarks that have none, each remedy as a whole command."""
    from steady.optimize import advice

    lines = []
    harness = harness_named(suite.harness)
    for remedy in advice(suite, plan):
        who = count(len(remedy.benchmarks), "benchmark")
        if harness.title and harness.running is None:  # its own tools have to measure
            longer = f"{remedy.forks} {harness.forks} of {remedy.iterations} iterations"
            lines += ["", f"{who} {_WHY[remedy.why]}. Measure anew, such as {longer}."]
            continue
        either = "Either measure" if remedy.can_reduce else "Measure"
        lines += ["", f"{who} {_WHY[remedy.why]}. {either} anew, and add them to the plan:"]
        lines += [f"  {_measured_anew(remedy, suite, arguments).line}"]
        lines += [f"  {replace(arguments, results=(LONGER,), update=True).line}"]
        if remedy.can_reduce:
            lines += ["or plan on the second half of what was measured, where that saves time:"]
            lines += [f"  {replace(arguments, unsteady='reduce').line}"]
    return lines


def ways_to_look_at_all(suite: Suite, plan: Plan, arguments: OptimizeCommand) -> list[str]:
    """Return what looks at every benchmark in each pull request, where the plan is in rotation."""
    if plan.rotation == 1:
        return []
    minutes = math.ceil((plan.start_seconds + plan.pair_seconds) / 60)
    run = replace(
        _measured(suite), plan=arguments.out, base=Path("BASE"), head=Path("HEAD"), jar=None,
        shard=(1, plan.rotation), out=Path("part-1"),
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


def _measured_anew(remedy: "Advice", suite: Suite, arguments: OptimizeCommand) -> RunCommand:
    names = list(dict.fromkeys(identity.name for identity in remedy.benchmarks))
    some = len(remedy.benchmarks) < len(suite) and len(names) <= _NAMED
    measured = _measured(suite)
    return replace(
        measured,
        full=(remedy.forks, remedy.iterations),
        iteration_seconds=float(f"{remedy.iteration_seconds:.3g}") or None,
        only="|".join(re.escape(name) for name in names) if some else None,
        jar=arguments.jar or measured.jar,
        out=Path(LONGER),
    )


def _measured(suite: Suite) -> RunCommand:
    """Return what a run measured, as its ``run.json`` says: the jar or folder, and the words."""
    for source in suite.sources:
        with suppress(InputError):  # most results have none
            header = read_run(header_beside(Path(source))).header
            build = next((version.path for version in header.versions), "BENCHMARKS")
            return RunCommand(jar=Path(build), command=_words(header))
    return RunCommand(jar=Path("BENCHMARKS"))


def _words(header: Header) -> tuple[str, ...]:
    """Return the words behind ``--`` of a run."""
    return tuple(shlex.split(header.described.get(COMMAND, "")))


def ways_to_tell(arguments: Comparing, head: Path, comparison: Comparison) -> list[str]:
    """Return what tells more about what is unclear: a longer run, or a larger smallest change.

    No smallest change above 10 % is proposed.

    Parameters
    ----------
    arguments : Comparing
        The command.
    head : Path
        The results of head.
    comparison : Comparison
        What it found.
    """
    unclear = [c for c in comparison.unclear if not (c.cold_seconds or c.lacking)]
    if not unclear or not comparison.comparable:
        return []
    lines = []
    longer = _longer_run(head, arguments.plan)
    if longer:
        lines.append(f"twice the time finds smaller changes: `{longer}`")
    enough = comparison.deciding_percent
    if enough is None:
        lines.append("a quieter machine finds smaller changes: this one was too noisy for them")
    else:
        command = replace(arguments, min_change=enough / 100).line
        which = "that benchmark" if len(unclear) == 1 else "half of those benchmarks"
        lines.append(f"if only larger changes matter, this decides {which}: `{command}`")
    return lines


def _longer_run(results: Path, plan: Path | None) -> str:
    """Return the command of a run of twice the time; empty if no run of two versions made them."""
    try:
        run = read_run(header_beside(results))
    except InputError:
        return ""
    targets = {target.name: target.path for target in run.header.versions}
    spent = sum((stretch.end or stretch.start) - stretch.start for stretch in run.sessions)
    if targets.keys() != {"base", "head"} or spent <= 0:
        return ""
    # A run does not say where its plan lies, and does without one too.
    plan = plan or (PLAN_FOLDER if PLAN_FOLDER.exists() else None)
    return RunCommand(
        plan=plan if run.header.plan else None,
        base=target_of(targets["base"]),
        head=target_of(targets["head"]),
        command=_words(run.header),
        only=run.header.described.get(ONLY) or None,
        time_budget=60.0 * max(math.ceil(2 * spent / 60), 1),
        out=Path(f"{results.parent}-longer"),
    ).line
