"""Options are declared once, and printed commands parse to the same options."""

import inspect
import json
import re
import shlex
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steady
from steady import judging
from steady.action.inputs import INPUTS
from steady.cli.settings import schema
from steady.compare import DEFAULT_RULE
from steady.engine import Turns
from steady.harness.search import LISTING_SECONDS
from steady.history import DEFAULT_STORE, Retention
from steady.history.baseline import MAX_DISTANCE
from steady.optimize import DEFAULT_STRATEGY, STRATEGIES
from steady.optimize.cost import STARTUP_SECONDS
from steady.optimize.detect import Detect
from steady.optimize.strategy import MIN_FORKS, PlanOptions
from steady.options import kinds, shared_options
from steady.options.command import Command
from steady.options.compare_options import FAIL_ON, CompareCommand
from steady.options.kinds import Kind, seconds_of
from steady.options.option import Option, Use, uses
from steady.options.other_options import BaselineCommand, PruneCommand
from steady.options.parser import COMMANDS, corrected, parse, subcommands
from steady.options.plan_options import OptimizeCommand
from steady.options.run_options import RunCommand
from steady.settings import DEFAULT_SETTINGS
from steady.settings.repo_settings import SameCodeOption

# Every option is declared once, and all interfaces agree on it.


MOST = 90
"""Number of declarations of commands and action together, formerly 143."""


def kinds_of_commands() -> list[type[Command]]:
    """Return all commands, including subcommands."""
    return [kind for name in COMMANDS for kind in subcommands(name).values()]


def declared() -> set[Option]:
    of_commands = {
        used.option for command in kinds_of_commands() for used in uses(command).values()
    }
    return of_commands | {one.option for one in INPUTS}


def test_options_are_declared_once() -> None:
    names = sorted(option.name for option in declared())
    assert len(names) <= MOST
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in names)


def test_options_have_the_same_name_in_all_interfaces() -> None:
    settings = schema("settings")
    keys = set(re.findall(r'"([a-z-]+)": \{', json.dumps(settings)))
    parameters = {name for function in FUNCTIONS for name in inspect.signature(function).parameters}
    parameters |= set(PlanOptions.__annotations__)
    parameters |= {one.name for entry in STRATEGIES.values() for one in fields(_any(entry.value))}
    for option in declared():
        assert ("settings" in option.others) <= (option.name in keys), option.name
        assert ("Python" in option.others) <= (option.name.replace("-", "_") in parameters)
    assert {"min-change", "false-alarms", "same-code"} == {
        option.name for option in declared() if "settings" in option.others
    }


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    steady.load, steady.analyze, steady.optimize, steady.compare, steady.emit,
)  # fmt: skip


def _any(value: Any) -> Any:
    return value


def test_defaults_match_the_modules_that_use_them() -> None:
    optimize = OptimizeCommand(results=("full",))
    run = RunCommand()
    assert optimize.startup_seconds == STARTUP_SECONDS
    assert f"(default: {MIN_FORKS}; with --detect {Detect.min_forks})" in help_of("min_forks")
    assert f"(default: {DEFAULT_STRATEGY}, or detect" in help_of("strategy")
    assert run.list_timeout == LISTING_SECONDS
    assert run.rule == DEFAULT_RULE
    assert FAIL_ON.default == judging.DEFAULT
    assert f"one or more of {', '.join(judging.CONDITIONS)}, or never" in FAIL_ON.help
    assert (DEFAULT_STORE, DEFAULT_SETTINGS) == (
        shared_options.DEFAULT_STORE,
        shared_options.DEFAULT_SETTINGS,
    )
    prune = PruneCommand()
    assert Retention() == Retention(prune.keep, prune.max_mb)
    assert BaselineCommand(out=Path("x")).within == MAX_DISTANCE
    known = (uses(RunCommand)[name].option.kind.names for name in ("turns", "same_code"))
    assert [*map(tuple, known)] == [get_args(Turns), get_args(SameCodeOption)]


def help_of(name: str) -> str:
    return uses(OptimizeCommand)[name].help


def test_defaults_match_the_functions() -> None:
    for name, parameter in (("detector", "detector"), ("similarity", "forks")):
        default = inspect.signature(steady.analyze).parameters[parameter].default
        assert uses(OptimizeCommand)[name].default == default


def test_every_field_is_an_option_of_its_command() -> None:
    for command in kinds_of_commands():
        assert set(uses(command)) == {one.name for one in fields(command)}
        for names in command.exclusive:
            assert set(names) <= set(uses(command))


# Round trip of commands and their options.


# Printed commands parse to the same options, for random values of every command.


WORD = st.text(
    st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from(" -=|'\"$`*#\t\n\\"),
    max_size=12,
)
POSITIVE = st.floats(min_value=1e-6, max_value=1e9)
COUNT = st.integers(1, 999_999)
PAIR = st.tuples(COUNT, COUNT)

KINDS: dict[int, st.SearchStrategy[Any]] = {
    id(kinds.TEXT): WORD,
    id(kinds.FILES): WORD,
    id(kinds.PATH): WORD.filter(lambda text: "\0" not in text).map(Path),
    id(kinds.TARGET): WORD.map(kinds.target_of),
    id(kinds.FLAG): st.booleans(),
    id(kinds.WHOLE): st.integers(-9, 10**12),
    id(kinds.NUMBER): st.floats(allow_nan=False),
    id(kinds.SECONDS): POSITIVE,
    id(kinds.POSITIVE): st.integers(1, 999_999),
    id(kinds.TIME): POSITIVE | st.integers(1, 600).map(lambda minutes: 60.0 * minutes),
    id(kinds.EXPRESSION): st.sampled_from(["", "a", "-b|c d", r"x\.y$", "'", "(?i)go/n=1"]),
    id(kinds.COUNTS): PAIR,
    id(kinds.NEW): PAIR | st.just(kinds.SKIP),
    id(kinds.PART): PAIR.map(lambda pair: (min(pair), max(pair))),
    id(kinds.ROTATION): st.integers(0, 10**9 - 1) | st.just(kinds.ALL),
    id(kinds.SEED): st.integers(0, 10**18 - 1),
}


def values_of(kind: Kind[Any]) -> st.SearchStrategy[Any]:
    if kind.names:
        return st.sampled_from(list(kind.names))
    if kind.share is not None:
        return st.floats(0.0, 1.0, exclude_min=kind.share.above_zero, exclude_max=True)
    return KINDS[id(kind)]


def values_for(used: Use) -> st.SearchStrategy[Any]:
    values = values_of(used.option.kind)
    several = used.operand in ("*", "+") if used.operand else used.option.takes != "one"
    if several:
        return st.lists(values, min_size=int(used.required), max_size=3).map(tuple)
    return values if used.required else values | st.just(used.default)


@st.composite
def commands(draw: st.DrawFn, kind: type[Command]) -> Command:
    chosen = {name: draw(values_for(used)) for name, used in uses(kind).items()}
    for names in kind.exclusive:
        for name in names:
            if name != draw(st.sampled_from(names)):
                chosen[name] = uses(kind)[name].default
    for names in kind.exclusive:
        first, *rest = (name for name in names)
        if chosen[first] != uses(kind)[first].default:
            chosen |= {name: uses(kind)[name].default for name in rest}
    return kind(**chosen)


@pytest.mark.parametrize("kind", kinds_of_commands(), ids=lambda kind: kind.called)
@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_printed_commands_parse_to_the_same_options(
    kind: type[Command], data: st.DataObject
) -> None:
    command = data.draw(commands(kind))
    assert parse(command.words) == command
    program, *words = shlex.split(command.line)
    assert program == "steady"
    assert parse(corrected(words)) == command
    assert words == command.words or "--jar" in command.words


def test_commands_are_printed_in_the_usual_form() -> None:
    jvm: dict[str, Any] = {"full": (5, 60), "jvm_arg": ("-Xmx1g", "x"), "out": Path("full")}
    pytest_in_both: dict[str, Any] = {"command": ("pytest", "-k", "a or b"), "out": Path("o")}
    lines: dict[str, Command] = {
        "steady compare a.json b.json --min-change 5% --out x": CompareCommand(
            pair=("a.json", "b.json"), min_change=0.05, out=Path("x")
        ),
        "steady run --full 5x60 --jar=-a.jar --jvm-arg=-Xmx1g --jvm-arg x --out full": RunCommand(
            jar=Path("-a.jar"), **jvm
        ),
        "steady run . --full 5x60 --out full -- pytest benchmarks": RunCommand(
            full=(5, 60), jar=Path(), command=("pytest", "benchmarks"), out=Path("full")
        ),
        "steady run --base old --head './tool -x' --out o -- pytest -k 'a or b'": RunCommand(
            base=Path("old"), head="./tool -x", **pytest_in_both
        ),
        "steady run --new skip --time-budget 10m": RunCommand(time_budget=600.0, new=(0, 0)),
        "steady compare --earlier c d -- -a b": CompareCommand(
            pair=("-a", "b"), earlier=("c", "d")
        ),
    }
    for line, command in lines.items():
        assert command.line == line
        assert parse(command.words) == command
        assert parse(corrected(shlex.split(line)[1:])) == command


def test_targets_are_paths_or_commands_and_options_can_repeat(tmp_path: Path) -> None:
    folder = tmp_path / "my tool"
    assert kinds.target_of(str(folder)) == str(folder)
    folder.mkdir()
    assert kinds.target_of(str(folder)) == folder
    words = ["compare", "a", "b", "--earlier", "c", "d", "--earlier=-e", "--json"]
    assert parse(words) == CompareCommand(pair=("a", "b"), earlier=("c", "d", "-e"), output="json")


def test_durations_are_parsed_and_others_are_rejected() -> None:
    times = {"600": 600, "1s": 1, "10m": 600, "1.5h": 5400}
    assert {text: seconds_of(text) for text in times} == times
    for text in ("", "m", "0", "-5m", "10d", "nan", "inf", "1e999h", "ten"):
        with pytest.raises(ValueError, match="is not a time; write 600, 10m"):
            seconds_of(text)
