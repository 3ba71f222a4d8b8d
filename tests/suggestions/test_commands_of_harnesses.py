"""Suggested commands for the benchmarks of each harness."""

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np
import pytest

from steady import Suite
from steady.engine import Header, RunRecord, Target
from steady.engine.machine import Machine
from steady.engine.request import Obstacle, RunRequest
from steady.engine.run_file import RunFile
from steady.engine.run_outcome import RunOutcome
from steady.engine.run_plan import RunPlan
from steady.engine.workload import configured, full_run
from steady.harnesses import RUNNABLE, harness_named
from steady.model import Identity
from steady.optimize import optimize
from steady.options.command import Command
from steady.options.parser import corrected, parse
from steady.options.plan_options import OptimizeCommand
from steady.options.run_options import RunCommand
from steady.suggestions import for_results, for_run
from steady.suggestions.commands import Named, code
from steady.suggestions.remake_plan import remake_plan

EVERY = pytest.mark.parametrize("name", RUNNABLE)
NAMES = tuple(f"b{number}" for number in range(4))
OF_ONE_HARNESS = {
    "--java": "jmh",
    "--jvm-arg": "jmh",
    "--stop": "jmh",
    "--jar": "jmh",
    "--list-timeout": "go",
}
"""Options that apply to one harness only."""
FACTS = {"no plan": ".steady", "too little time": "3m", "no such benchmark": "shows the names"}


def one_version(name: str) -> RunCommand:
    """Return a full run as on the harness's page."""
    building = harness_named(name).building
    target = Path(building.usual)
    return RunCommand(full=(5, 60), jar=target, command=building.words, out=Path("full"))


def two_versions(name: str) -> RunCommand:
    building = harness_named(name).building
    base, head = (Path(side) / building.usual for side in ("old", "new"))
    return RunCommand(
        base=base, head=head, command=building.words, plan=Path(".steady"), out=Path("results")
    )


def proposed(texts: Iterable[str]) -> Iterator[str]:
    """Yield the commands in texts: between backticks, or on their own line."""
    for text in texts:
        within = re.findall(r"`(steady [^`]+)`", text)
        for command in within or [text.strip()]:
            yield from (one for one in command.split(" && ") if one.startswith("steady "))


def check(name: str, texts: Iterable[str], least: int) -> None:
    """Check that commands can be parsed, and are those of the harness."""
    building, commands = harness_named(name).building, list(proposed(texts))
    assert len(commands) >= least, commands
    for line in commands:
        words = shlex.split(line)[1:]
        command: Command = parse(corrected(words))
        own = words[: words.index("--")] if "--" in words else words
        options = {word.partition("=")[0] for word in own}
        foreign = {option for option, harness in OF_ONE_HARNESS.items() if harness != name}
        assert not options & foreign, line
        assert name == "jmh" or ".jar" not in line
        if isinstance(command, RunCommand):
            assert command.command == building.words, line


@EVERY
def test_suggestions_at_the_end_of_messages(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments in (one_version(name), two_versions(name)):
        ways = for_run.suggest_for_obstacles(arguments)
        texts = [ways(obstacle, FACTS.get(obstacle, name)) for obstacle in get_args(Obstacle)]
        check(name, texts, least=9)
    check(name, [code(for_run.compare_command(two_versions(name)))], least=1)
    check(name, [code(Named.by(two_versions(name)).listing())], least=1)


@EVERY
def test_suggestions_for_a_long_run(name: str) -> None:
    held = {"results": dict.fromkeys(map(Identity, NAMES))}
    whole = configured(map(Identity, NAMES), full_run(5, 600, 1.0), held, harness=name)
    whole = [replace(workload, fork_seconds=3000.0) for workload in whole]
    # Nothing but the workloads tells how long it takes.
    nothing = cast("Any", None)
    plan = RunPlan(harness=nothing, versions=(), trials=(), header=nothing, workloads=tuple(whole))
    check(name, for_run.suggest_shorter_runs(one_version(name), plan), least=3)


@EVERY
def test_the_plan_of_a_run_without_a_plan(name: str) -> None:
    request = RunRequest(**vars(two_versions(name)))
    merged = {side: Path(f"results/{side}.json") for side in ("base", "head")}
    state = RunRecord((), {}, merged)
    outcome = RunOutcome(request, name, request.versions, held={}, state=state)
    command = for_run.plan_command(outcome)
    assert command is not None
    line = command.line
    check(name, [line], least=1)
    assert ("--jar" in line) == (name == "jmh")


@EVERY
def test_suggestions_for_unplanned_benchmarks(name: str, tmp_path: Path) -> None:
    run = one_version(name)
    words = {"command": shlex.join(run.command)} if run.command else {}
    target = Target("results", str(run.jar), "")
    header = Header(name, 0, "", (target,), "", words, Machine("", "", 2, ""), 0.0)
    (tmp_path / "run.json").write_text(RunFile(1, header.run_id, header, ()).text())
    values = np.random.default_rng(0).lognormal(0, 0.01, (2, 3))
    suite = Suite.of(dict.fromkeys(NAMES, values), unit="ns/op", iteration_seconds=1.0)
    suite = replace(suite, harness=name, sources=(str(tmp_path / "results.json"),))
    plan = optimize(suite)
    arguments = OptimizeCommand(results=("full",), jar=run.jar if name == "jmh" else None)
    check(name, for_results.suggest_for_unplanned(suite, plan, arguments), least=2)
    in_rotation = replace(plan, rotation=3)
    check(name, for_results.suggest_for_rotation(suite, in_rotation, arguments), least=2)
    check(name, [f"`{remake_plan(plan)}`"], least=2)
