"""Percentages are parsed consistently by all interfaces."""

import argparse
import inspect
import json
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steady
from steady.action.inputs import INPUTS
from steady.cli.settings import schema as schema_of
from steady.errors import InputError
from steady.optimize import STRATEGIES
from steady.optimize.strategy import make_strategy
from steady.options.parser import COMMANDS, build_parser
from steady.percent import BOUND, LEVEL, POSITIVE, SHARE
from steady.settings.settings_file import parse_settings
from steady.steadystate import METHODS

OPTIONAL_SHARES = {"confidence", "false_alarms"}
OTHER_UNITS = {
    "fork_timeout", "iteration_seconds", "list_timeout", "max_mb", "startup_seconds", "time_budget"
}  # fmt: skip
NO_SHARES = {"slope_crit", "t_crit", "startup_seconds"}


def test_interfaces_differ_only_in_the_allowed_range() -> None:
    taken = {"5%": 0.05, "5 %": 0.05, "0.05": 0.05, "2.5%": 0.025, ".5": 0.5, "1e-3": 0.001}
    refused = ("5", "1", "-5%", "nan", "inf", "1e999%", "5%%", "5 percent", "", "%", "1_0%", "٥%")
    expected = r"^expected a percentage .*%, or a fraction .*, got '"
    for of in (SHARE, POSITIVE, LEVEL, BOUND):
        assert {text: of.parse(text) for text in taken} == taken
        for text in refused:
            with pytest.raises(ValueError, match=expected):
                of.parse(text)
    assert (SHARE.parse("0"), SHARE.parse("0%")) == (0.0, 0.0)
    assert BOUND.parse("500%") == 5.0
    for of, text in ((SHARE, "500%"), (POSITIVE, "100%"), (LEVEL, "0%"), (BOUND, "0")):
        with pytest.raises(ValueError, match="expected"):
            of.parse(text)


@given(st.text(max_size=20) | st.text("0123456789.eE+-% ", max_size=12))
def test_any_text_is_parsed_or_rejected(text: str) -> None:
    try:
        value = SHARE.parse(text)
    except ValueError:
        return
    assert 0.0 <= value < 1.0


# New options with a percentage are tested automatically.


def test_every_option_of_the_command() -> None:
    found = set()
    for command, action in _options():
        if _as_float(action) != 0.05 or action.dest in OTHER_UNITS:
            continue
        found.add(action.option_strings[0])
        assert callable(action.type)
        for text in ("5", "1", "99"):
            with pytest.raises(argparse.ArgumentTypeError, match=r"; write --[a-z-]+ \d+%$"):
                _parsed(action, text)
        assert _parsed(action, "5%") == 0.05, (command, action.dest)
    assert found == {
        "--budget", "--confidence", "--detect", "--false-alarms", "--min-change", "--power",
        "--threshold",
    }  # fmt: skip


def test_every_input_of_the_action() -> None:
    found = set()
    for declared in INPUTS:
        try:
            value = declared.parse("0.05")
        except InputError:
            continue
        if not isinstance(value, float) or declared.field in OTHER_UNITS:
            continue
        found.add(declared.name)
        with pytest.raises(InputError, match=f"; write `{declared.name}: 5%`$"):
            declared.parse("5")
        assert declared.parse("5%") == 0.05
    assert found == {
        "budget", "confidence", "detect", "false-alarms", "min-change", "power", "threshold"
    }  # fmt: skip


def test_every_key_of_the_settings() -> None:
    lines = {
        "min-change": "thresholds:\n  - {pattern: a, min-change: 5}",
        "bound": "accepted:\n  - {pattern: a, reason: b, bound: 5}",
        "false-alarms": "false-alarms: 5",
    }
    schema = json.dumps(schema_of("settings"))
    assert schema.count(" ?%)$") == len(lines)
    for key, text in lines.items():
        with pytest.raises(InputError, match=f"; write `{key}: 5%`"):
            parse_settings(f"version: 1\n{text}\n")
    for written in ("5%", "0.05", '"5%"', "'0.05'"):
        text = lines["min-change"].replace("5}", f"{written}}}")
        assert parse_settings(f"version: 1\n{text}\n").thresholds[0].min_change == 0.05


def test_every_parameter_of_the_functions() -> None:
    found = set()
    for function, give in _functions():
        for name, parameter in inspect.signature(function).parameters.items():
            share = isinstance(parameter.default, float) and 0.0 < parameter.default < 1.0
            if (share or name in OPTIONAL_SHARES) and name not in NO_SHARES:
                found.add(name)
                with pytest.raises(InputError, match=name):
                    give(**{name: 5})
    assert found >= {"min_change", "confidence", "false_alarms", "threshold", "level_p"}


def test_every_option_of_a_strategy() -> None:
    for entry in STRATEGIES.values():
        for field in fields(cast("Any", entry.value)):
            name = field.name
            if isinstance(field.default, float) or name in OPTIONAL_SHARES:
                with pytest.raises(InputError, match=f"{name} is 5; give .*; write {name}='5%'$"):
                    make_strategy(entry.name, **{name: 5})
                for text in ("4%", 0.04):
                    assert getattr(make_strategy(entry.name, **{name: text}), name) == 0.04


def _options() -> Iterator[tuple[str, argparse.Action]]:
    for command in COMMANDS:
        waiting = [build_parser([command])]
        while waiting:
            parser = waiting.pop()
            waiting += parser.subcommands.values()
            for action in parser.actions:
                if action.option_strings:
                    yield command, action


def _parsed(action: argparse.Action, text: str) -> object:
    return action.type(text) if callable(action.type) else None


def _as_float(action: argparse.Action) -> object:
    try:
        return _parsed(action, "0.05")
    except (argparse.ArgumentTypeError, ValueError):
        return None


def _functions() -> Iterator[tuple[Callable[..., object], Callable[..., object]]]:
    values = np.random.default_rng(0).lognormal(0, 0.01, (3, 120))
    suite = steady.Suite.of({"a": values}, unit="ns/op", iteration_seconds=1.0)
    arguments: dict[str, tuple[object, ...]] = {
        "compare": (suite, suite),
        "detect": (values[0],),
        "similarity": (values,),
        "analyze": (suite,),
        "optimize": (suite,),
    }
    for name in steady.__all__:
        function = getattr(steady, name)
        if inspect.isfunction(function):
            yield function, partial(function, *arguments.get(name, (values,)))
    for entry in METHODS.values():
        yield entry.value, partial(steady.detect, values[0], entry.name)
