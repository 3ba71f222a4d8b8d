"""What ``steady run`` says at its end: what the time was too short for, and what to do next."""

from __future__ import annotations

import argparse
import math
import shlex
from collections.abc import Sequence

from steady.cli.remedies import again
from steady.cli.watching import say
from steady.engine import RunFolder, Runs, RunState, Version
from steady.engine.follow_up import Looks
from steady.engine.series import write_series
from steady.text.counting import count, listed
from steady.text.escape import visible

_ALIKE = ("--plan", "--rule", "--min-change", "--confidence", "--false-alarms", "--settings")
"""What a run and the comparison of its results must be given alike."""

_SPARE = 1.25
"""Times the rounds' seconds, for starts and merging."""


def say_what_had_no_time(state: RunState, looks: Looks, arguments: argparse.Namespace) -> None:
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


def _enough_time(state: RunState, looks: Looks, arguments: argparse.Namespace) -> str:
    """Return the command of a run with the time for all first looks, by the rounds that ran."""
    rounds = len({(t.identity, t.round) for t in state.trials if t.number in state.records})
    if arguments.time_budget is None or arguments.rotation is not None or not rounds:
        return ""
    each = sum(record.seconds for record in state.records.values()) / rounds
    needed = each * sum(look[0] for look in looks.values())
    seconds = max(_SPARE * max(needed, arguments.time_budget), 60.0)
    options = {
        "--time-budget": f"{math.ceil(seconds / 60)}m",
        "--out": f"{arguments.out}-longer",
    }
    command = again(arguments.argv, options, without=("--resume",))
    return f"; enough for all is about `{command}`"


def resumed(arguments: argparse.Namespace) -> str:
    """Return the command that goes on with a run that was stopped."""
    return f"{again(arguments.argv, {}, without=('--resume',))} --resume"


def compared(arguments: argparse.Namespace) -> str:
    """Return the command that says what changed, by the rule that the run decided with."""
    rule, value_follows = [], False
    for word in arguments.argv:
        option = word.partition("=")[0]
        if value_follows or option in _ALIKE:
            rule.append(word)
        value_follows = word in _ALIKE
    return shlex.join(["steady", "compare", str(arguments.out), *rule])


def say_plan_step(
    harness: Runs, versions: Sequence[Version], state: RunState, folder: RunFolder
) -> None:
    """Write what was learnt of base, and name the command that makes the first plan of it."""
    base = versions[0]
    path = folder.merged(base.name)
    jar: list[str] = []
    if harness.name == "jmh":
        path = write_series(harness, base, state, folder) or path
        jar = ["--jar", str(base.target)]
    both = [folder.merged(version.name) for version in versions]
    if all(one.is_file() for one in (path, *both)):
        words = ["steady", "optimize", str(path), "--detect", "5%", *jar]
        command = shlex.join([*words, "--earlier", *map(str, both)])
        print(f"a plan of what was learnt, for later runs: {visible(command)}")
