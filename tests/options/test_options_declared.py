"""Every option is declared once, and who else knows it knows the same."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
from all_commands import kinds_of_commands

import steady
from steady import judging
from steady.action.inputs import INPUTS
from steady.cli.settings import schema
from steady.compare import DEFAULT_RULE
from steady.engine import Turns
from steady.harness.search import LISTING_SECONDS
from steady.history import DEFAULT_STORE, Retention
from steady.history.baseline import FARTHEST
from steady.optimize import DEFAULT_STRATEGY, STRATEGIES
from steady.optimize.cost import STARTUP_SECONDS
from steady.optimize.detect import Detect
from steady.optimize.strategies import PlanOptions
from steady.optimize.strategy import MIN_FORKS
from steady.options import shared_options
from steady.options.compare_options import FAIL_ON
from steady.options.history_options import BaselineCommand, PruneCommand
from steady.options.option import Option, uses
from steady.options.plan_options import OptimizeCommand
from steady.options.run_options import RunCommand
from steady.settings import DEFAULT_SETTINGS
from steady.settings.repo_settings import SameCodeOption

MOST = 90
"""Declarations of the command and of the action together; once there were 143."""


def declared() -> set[Option]:
    of_commands = {
        used.option for command in kinds_of_commands() for used in uses(command).values()
    }
    return of_commands | {one.option for one in INPUTS}


def test_each_is_declared_once_and_there_are_few() -> None:
    names = sorted(option.name for option in declared())
    assert len(names) <= MOST
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in names)


def test_who_else_has_it_has_it_under_its_name() -> None:
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
    steady.load, steady.analyze, steady.optimize, steady.compare,
)  # fmt: skip


def _any(value: Any) -> Any:
    return value


def test_defaults_are_those_of_the_rooms_above() -> None:
    optimize = OptimizeCommand(results=("full",))
    run = RunCommand()
    assert optimize.startup_seconds == STARTUP_SECONDS
    assert f"(default: {MIN_FORKS}; with --detect {Detect.min_forks})" in help_of("min_forks")
    assert f"(default: {DEFAULT_STRATEGY}, or detect" in help_of("strategy")
    assert run.list_timeout == LISTING_SECONDS
    assert run.rule == DEFAULT_RULE
    assert FAIL_ON.default == judging.DEFAULT
    assert f"some of {', '.join(judging.CONDITIONS)}, or never" in FAIL_ON.help
    assert (DEFAULT_STORE, DEFAULT_SETTINGS) == (
        shared_options.DEFAULT_STORE,
        shared_options.DEFAULT_SETTINGS,
    )
    prune = PruneCommand()
    assert Retention() == Retention(prune.keep, prune.max_mb)
    assert BaselineCommand(out=Path("x")).within == FARTHEST
    known = (uses(RunCommand)[name].option.kind.names for name in ("turns", "same_code"))
    assert [*map(tuple, known)] == [get_args(Turns), get_args(SameCodeOption)]


def help_of(name: str) -> str:
    return uses(OptimizeCommand)[name].help


@pytest.mark.parametrize(("name", "parameter"), [("detector", "detector"), ("similarity", "forks")])
def test_defaults_are_those_of_the_functions(name: str, parameter: str) -> None:
    default = inspect.signature(steady.analyze).parameters[parameter].default
    assert uses(OptimizeCommand)[name].default == default


def test_every_field_is_an_option_of_its_command() -> None:
    for command in kinds_of_commands():
        assert set(uses(command)) == {one.name for one in fields(command)}
        for names in command.exclusive:
            assert set(names) <= set(uses(command))
