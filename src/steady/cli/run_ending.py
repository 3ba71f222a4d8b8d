"""What ``steady run`` says at its end: what the time was too short for, and what to do next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from steady.cli.watching import say
from steady.engine import RunFolder, Runs, RunState, Version
from steady.engine.follow_up import Looks
from steady.engine.series import write_series
from steady.harness import harness_named
from steady.options.compare_options import CompareCommand
from steady.options.plan_options import OptimizeCommand
from steady.options.run_options import RunCommand
from steady.text.counting import count, listed
from steady.text.escape import visible

_ALIKE = ("plan", "rule", "min_change", "confidence", "false_alarms", "settings")
"""What a run and the comparison of its results must be given alike."""

_SPARE = 1.25
"""Times the rounds' seconds, for starts and merging."""


def say_what_had_no_time(state: RunState, looks: Looks, arguments: RunCommand) -> None:
    """Name the benchmarks that had fewer rounds than the first decision needs, and what to type."""
    failed = {trial.identity for trial, _ in state.without_result}
    short = [identity for identity in state.too_few_rounds(looks) if identity not in failed]
    if short:
        labels = [identity.label for identity in short]
        say(
            f"the time was too short to look at {count(len(labels), 'benchmark')} "
            f"({listed(labels)}); give more by --time-budget, name fewer by --only, or look at "
            f"others by another --rotation{_enough_time(state, looks, arguments)}"
        )


def _enough_time(state: RunState, looks: Looks, arguments: RunCommand) -> str:
    """Return the command of a run with the time for all first looks, by the rounds that ran."""
    rounds = len({(t.identity, t.round) for t in state.trials if t.number in state.records})
    if arguments.time_budget is None or arguments.rotation is not None or not rounds:
        return ""
    each = sum(record.seconds for record in state.records.values()) / rounds
    needed = each * sum(look[0] for look in looks.values())
    seconds = max(_SPARE * max(needed, arguments.time_budget), 60.0)
    longer = replace(
        arguments,
        time_budget=60.0 * math.ceil(seconds / 60),
        out=Path(f"{arguments.out}-longer"),
        resume=False,
    )
    return f"; enough for all is about `{longer.line}`"


def resumed(arguments: RunCommand) -> str:
    """Return the command that goes on with a run that was stopped."""
    return replace(arguments, resume=True).line


def compared(arguments: RunCommand) -> str:
    """Return the command that says what changed, by the rule that the run decided with."""
    alike = {name: getattr(arguments, name) for name in _ALIKE}
    return CompareCommand(pair=(str(arguments.out),), **alike).line


def say_plan_step(
    harness: Runs, versions: Sequence[Version], state: RunState, folder: RunFolder
) -> None:
    """Write what was learnt of base, and name the command that makes the first plan of it."""
    base = versions[0]
    path = folder.merged(base.name)
    known = harness_named(harness.name)
    if known.running is not None and known.running.warmup_apart:
        path = write_series(harness, base, state, folder) or path
    jar = None if known.declaring is None else base.target
    both = [folder.merged(version.name) for version in versions]
    if all(one.is_file() for one in (path, *both)):
        earlier = tuple(map(str, both))
        plan = OptimizeCommand(results=(str(path),), detect=0.05, jar=jar, earlier=earlier)
        print(f"a plan of what was learnt, for later runs: {visible(plan.line)}")
