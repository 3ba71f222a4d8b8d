"""The commands to type next, where a run cannot begin, while it waits, and at its end."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from steady.cli.built_here import files_here
from steady.cli.first_run import (
    build_hint,
    first_plan,
    full_run,
    listing,
    ways_to_build,
    without_annotations,
    without_plan,
)
from steady.cli.remedies import again
from steady.cli.shorter_runs import shorter_runs
from steady.cli.sides import SIDES
from steady.engine.prepared import Prepared
from steady.engine.request import Obstacle, Ways
from steady.engine.run_outcome import RunOutcome
from steady.engine.workload import latest
from steady.harness import harness_named

_ALIKE = ("--plan", "--rule", "--min-change", "--confidence", "--false-alarms", "--settings")
"""What a run and the comparison of its results must be given alike."""


def ways_of(arguments: argparse.Namespace) -> Ways:
    """Return what ends a message of the engine, for one who typed these arguments."""
    return lambda after, fact: _WAYS[after](arguments, fact)


def _with_length(arguments: argparse.Namespace, _: str) -> str:
    if arguments.base is not None and arguments.head is not None:
        command = without_plan(arguments, str(arguments.out or "results"))
    else:
        command = without_plan(arguments) if arguments.jar is None else full_run(arguments)
    return f": `{command}`"


def _with_folder(arguments: argparse.Namespace, _: str) -> str:
    out = "results" if arguments.full is None else "full"
    return f": `{again(arguments.argv, {'--out': out})}`"


def _with_other_plan(arguments: argparse.Namespace, harness: str) -> str:
    make = f"`{full_run(arguments)}` and then `steady optimize full --out .steady-{harness}`"
    return f"; make a plan of it with {make}, or run without one: `{without_plan(arguments)}`"


def _with_new_plan(arguments: argparse.Namespace, plan: str) -> str:
    make = shlex.join(["steady", "optimize", "full", "--out", plan])
    return (
        f"; make a new one with `{full_run(arguments)}` and then `{make}`, or run without one: "
        f"`{without_plan(arguments)}`"
    )


def _with_benchmarks(arguments: argparse.Namespace, wrong: str) -> str:
    """Return the jar that may have been meant, or what builds one."""
    named = {side: str(getattr(arguments, side, None)) for side in (*SIDES, "jar")}
    side = next((side for side, path in named.items() if path == wrong), None)
    jars = [] if side is None else sorted(map(str, files_here()))
    if side is None or not jars:
        return build_hint() if not wrong or Path(wrong).exists() else ways_to_build()
    meant = min(jars, key=lambda jar: (side not in jar, jar in named.values()))
    return f"; {meant} holds benchmarks: `{again(arguments.argv, {f'--{side}': meant})}`"


def _with_more_time(arguments: argparse.Namespace, time: str) -> str:
    longer = {"--time-budget": time, "--out": f"{arguments.out}-longer"}
    command = again(arguments.argv, longer, without=("--resume",))
    return f"; enough for all is about `{command}`"


_WAYS: Mapping[Obstacle, Callable[[argparse.Namespace, str], str]] = {
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
"""What ends a message, after each obstacle."""


def before_forks(arguments: argparse.Namespace, prepared: Prepared) -> Iterator[str]:
    """Yield what takes less time than what will run, or says how long to run in its place."""
    chosen = prepared.chosen
    harness = chosen.found.harness.name
    yield from without_annotations(arguments, harness, latest(chosen.declared))
    yield from shorter_runs(arguments, prepared.whole, harness)


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


def plan_made(outcome: RunOutcome) -> str:
    """Return the command that makes the first plan of what was learnt; empty if nothing was."""
    merged = [outcome.state.merged.get(version.name) for version in outcome.versions]
    base = outcome.versions[0]
    if not all(merged):
        return ""
    jar = [] if harness_named(outcome.harness).declaring is None else ["--jar", str(base.target)]
    words = ["steady", "optimize", str(outcome.series or merged[0]), "--detect", "5%", *jar]
    return shlex.join([*words, "--earlier", *map(str, merged)])
