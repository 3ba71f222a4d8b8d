"""What to type next where a plan is not to be had, or not for every benchmark: whole commands."""

from __future__ import annotations

import argparse
import math
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from steady.cli.narrowing import header_beside
from steady.engine.run_file import read_run
from steady.errors import InputError
from steady.model import Suite
from steady.optimize import Advice, OverTimeError, Plan, advice
from steady.settings import DEFAULT_SETTINGS
from steady.text.counting import count

LONGER = "longer"
"""Folder of the run that is proposed."""

_NAMED = 8

_WHY = {
    "no operation": "had an iteration without a single operation",
    "too few": "had too few forks or iterations to plan with",
    "unsteady": "had no steady state, or only at the end of the run",
}


def ways_to_fit(error: OverTimeError, arguments: argparse.Namespace) -> str:
    """Return commands that fit into their time budget, one of which the user may choose."""
    commands = []
    for way in error.ways:
        options = {f"--{name.replace('_', '-')}": str(value) for name, value in way.items()}
        commands.append(again(arguments.argv, options))
    if len(commands) == 1:
        return f"what works is `{commands[0]}`"
    return f"what works is {', '.join(f'`{c}`' for c in commands[:-1])} or `{commands[-1]}`"


def ways_on(suite: Suite, plan: Plan, arguments: argparse.Namespace) -> list[str]:
    """Return what gives a plan to benchmarks that have none, each remedy as a whole command."""
    lines = []
    for remedy in advice(suite, plan):
        who = count(len(remedy.benchmarks), "benchmark")
        either = "Either measure" if remedy.can_reduce else "Measure"
        lines += ["", f"{who} {_WHY[remedy.why]}. {either} anew, and add them to the plan:"]
        lines += [f"  {command}" for command in _measured_anew(remedy, suite, arguments)]
        if remedy.can_reduce:
            lines += ["or plan on the second half of what was measured, where that saves time:"]
            lines += [f"  {again(arguments.argv, {'--unsteady': 'reduce'})}"]
    return lines


def ways_to_look_at_all(plan: Plan, arguments: argparse.Namespace) -> list[str]:
    """Return what looks at every benchmark in each pull request, where the plan is in rotation."""
    if plan.rotation == 1:
        return []
    seconds = plan.start_seconds + plan.pair_seconds
    longer = again(arguments.argv, {"--time-budget": f"{math.ceil(seconds / 60)}m"})
    run = ["steady", "run", "--plan", str(arguments.out), "--base", "BASE", "--head", "HEAD"]
    run += ["--shard", f"1/{plan.rotation}", "--out", "part-1"]
    settings = arguments.settings or DEFAULT_SETTINGS
    return [
        "",
        "To look at all of them in every pull request, give it the time that takes:",
        f"  {longer}",
        f"and, to be as fast as now, share that plan among {plan.rotation} machines:",
        f"  {shlex.join(run)}",
        f"To look at some of them every time, name them in {settings}, such as "
        '`important: ["Codec*"]`, and plan again:',
        f"  {shlex.join(['steady', *arguments.argv])}",
    ]


def _measured_anew(remedy: Advice, suite: Suite, arguments: argparse.Namespace) -> list[str]:
    run = ["steady", "run", "--full", f"{remedy.forks}x{remedy.iterations}"]
    if remedy.iteration_seconds > 0:
        run += ["--iteration-seconds", f"{remedy.iteration_seconds:.3g}"]
    names = list(dict.fromkeys(identity.name for identity in remedy.benchmarks))
    if len(remedy.benchmarks) < len(suite) and len(names) <= _NAMED:
        run += ["--only", "|".join(re.escape(name) for name in names)]
    run += ["--jar", str(arguments.jar or _measured_build(suite)), "--out", LONGER]
    rest = [word for word in arguments.argv[1:] if word not in arguments.results]
    plan = ["steady", "optimize", LONGER, *(word for word in rest if word != "--update")]
    return [shlex.join(run), shlex.join([*plan, "--update"])]


def _measured_build(suite: Suite) -> str:
    """Return the jar or folder that a run measured, as its ``run.json`` says."""
    for source in suite.sources:
        with suppress(InputError):  # most results have none
            versions = read_run(header_beside(Path(source))).header.versions
            return next((version.path for version in versions), "BENCHMARKS")
    return "BENCHMARKS"


def again(argv: Sequence[str], options: Mapping[str, str], *, without: Collection[str] = ()) -> str:
    """Return a command with other values of some options, and without others.

    >>> argv = ["run", "--resume", "--only", "get", "--time-budget=5m"]
    >>> again(argv, {"--time-budget": "10m"}, without=("--resume",))
    'steady run --only get --time-budget 10m'
    """
    dropped, words, skip = {*options, *without}, [], False
    for word in argv:
        if word.partition("=")[0] in dropped:
            skip = "=" not in word  # its value follows, unless it takes none
        elif skip and not word.startswith("--"):
            skip = False
        else:
            words.append(word)
            skip = False
    return shlex.join(["steady", *words, *(word for pair in options.items() for word in pair)])
