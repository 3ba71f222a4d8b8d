"""Suggestions on results: a longer run, a less strict comparison, or another plan."""

import math
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from steady.compare.summary import Summary
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
from steady.suggestions.commands import BASE, BENCHMARKS, code
from steady.suggestions.missing import settled
from steady.text.numbers import count

if TYPE_CHECKING:  # the module that makes one imports all that analysis needs
    from steady.optimize import Advice

LONGER = "longer"
"""Output folder of the suggested run."""

_NAMED = 8

_WHY: Mapping[str, str] = {
    "no operation": "had an iteration without a completed operation",
    "too few": "had too few forks or iterations to plan with",
    "unsteady": "had no steady state, or only at the end of the run",
}


def suggest_for_unclear(arguments: Comparing, summary: Summary) -> Iterator[str]:
    """Suggest a longer run, or a larger minimum change of at most 10 %, for unclear benchmarks.

    Parameters
    ----------
    arguments : Comparing
        The command that compared the results.
    summary : Summary
        The summary of the comparison.
    """
    if not summary.unclear.noisy or not summary.comparable:
        return
    head = Path(settled(arguments).head[0])
    if longer := _repeated_run(head, arguments.plan):
        yield f"twice the time makes smaller changes detectable: {code(longer)}"
    enough = summary.deciding_percent
    if enough is None:
        yield "this machine is too noisy to detect small changes; use a quieter one"
    else:
        command = replace(arguments, min_change=enough / 100)
        which = "that benchmark" if summary.unclear.noisy == 1 else "half of those benchmarks"
        yield f"if only larger changes matter, this gives {which} a clear outcome: {code(command)}"


def suggest_for_unplanned(suite: Suite, plan: Plan, arguments: OptimizeCommand) -> Iterator[str]:
    """Suggest a longer run for benchmarks without a plan, with a block of lines for each reason."""
    from steady.optimize import advice

    harness = harness_named(suite.harness)
    for remedy in advice(suite, plan):
        problem = f"{count(len(remedy.benchmarks), 'benchmark')} {_WHY[remedy.why]}."
        yield ""
        if harness.title and harness.running is None:  # its own tools have to measure
            longer = f"{remedy.forks} {harness.forks} of {remedy.iterations} iterations"
            yield f"{problem} Measure again, for example {longer}."
            continue
        either = "Either measure" if remedy.can_reduce else "Measure"
        yield f"{problem} {either} again and add them to the plan:"
        yield f"  {_longer_run(remedy, suite, arguments).line}"
        yield f"  {replace(arguments, results=(LONGER,), update=True).line}"
        if remedy.can_reduce:
            yield "or plan with the second half of the measurements, if that saves time:"
            yield f"  {replace(arguments, unsteady='reduce').line}"


def suggest_for_rotation(suite: Suite, plan: Plan, arguments: OptimizeCommand) -> Iterator[str]:
    """Suggest commands to measure all benchmarks, or important ones, in every pull request."""
    if plan.rotation == 1:
        return
    minutes = math.ceil((plan.start_seconds + plan.pair_seconds) / 60)
    run = replace(
        _run_of(suite), plan=arguments.out, base=Path(BASE), head=Path("HEAD"), jar=None,
        shard=(1, plan.rotation), out=Path("part-1"),
    )  # fmt: skip
    yield ""
    yield "To measure all benchmarks in every pull request, use this time budget:"
    yield f"  {replace(arguments, time_budget=60.0 * minutes).line}"
    yield f"and, for the same duration as now, share that plan among {plan.rotation} machines:"
    yield f"  {run.line}"
    yield (
        "To measure some of them in every pull request, list them in "
        f'{arguments.settings or DEFAULT_SETTINGS}, such as `important: ["Codec*"]`, and plan '
        "again:"
    )
    yield f"  {arguments.line}"


def _longer_run(remedy: "Advice", suite: Suite, arguments: OptimizeCommand) -> RunCommand:
    names = list(dict.fromkeys(identity.name for identity in remedy.benchmarks))
    some = len(remedy.benchmarks) < len(suite) and len(names) <= _NAMED
    recorded = _run_of(suite)
    return replace(
        recorded,
        full=(remedy.forks, remedy.iterations),
        iteration_seconds=float(f"{remedy.iteration_seconds:.3g}") or None,
        only="|".join(re.escape(name) for name in names) if some else None,
        jar=arguments.jar or recorded.jar,
        out=Path(LONGER),
    )


def _run_of(suite: Suite) -> RunCommand:
    """Return the command of the run that produced the results, without its other options."""
    for source in suite.sources:
        with suppress(InputError):  # most results have none
            header = read_run(header_beside(Path(source))).header
            build = next((version.path for version in header.versions), BENCHMARKS)
            return RunCommand(jar=Path(build), command=_words(header))
    return RunCommand(jar=Path(BENCHMARKS))


def _repeated_run(results: Path, plan: Path | None) -> RunCommand | None:
    """Return the run that produced two results, with twice its time; None if there is none.

    Parameters
    ----------
    results : Path
        Results of head.
    plan : Path, optional
        Plan of the run, which the run file does not name.
    """
    header = header_beside(results)
    try:
        run = read_run(header)
    except InputError:
        return None
    targets = {target.name: target.path for target in run.header.versions}
    spent = sum((stretch.end or stretch.start) - stretch.start for stretch in run.sessions)
    if targets.keys() != {"base", "head"} or spent <= 0:
        return None
    plan = plan or (PLAN_FOLDER if PLAN_FOLDER.exists() else None)
    return RunCommand(
        plan=plan if run.header.plan else None,
        base=target_of(targets["base"]),
        head=target_of(targets["head"]),
        command=_words(run.header),
        only=run.header.described.get(ONLY) or None,
        time_budget=60.0 * max(math.ceil(2 * spent / 60), 1),
        out=Path(f"{results.parent}-longer"),
    )


def _words(header: Header) -> tuple[str, ...]:
    """Return the words after ``--`` in the command of a run."""
    return tuple(shlex.split(header.described.get(COMMAND, "")))
