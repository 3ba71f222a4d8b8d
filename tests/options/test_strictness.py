"""How strict a verdict is: one group of options, wherever it is asked for."""

from dataclasses import fields
from inspect import get_annotations, signature
from typing import Any

import pytest

from steady.action.inputs import INPUTS, ActionInputs
from steady.compare import compare
from steady.compare.criteria import CompareOptions
from steady.engine.request import RunRequest
from steady.errors import InputError
from steady.judging import Evidence
from steady.optimize.detect import Detect
from steady.options.compare_options import CompareCommand, ReportCommand
from steady.options.run_options import RunCommand
from steady.options.strictness import MIN_CHANGE, Strictness, check_strictness, strictness_of
from tests.looped import looped

NAMES = {one.name for one in fields(Strictness)}
GIVEN: dict[str, Any] = {
    "rule": "overlap", "min_change": 0.05, "confidence": 0.9, "false_alarms": None,
}  # fmt: skip
KINDS: tuple[type[Any], ...] = (
    CompareCommand, ReportCommand, RunCommand, RunRequest, ActionInputs, CompareOptions, Evidence,
)  # fmt: skip


@looped("kind", KINDS)
def test_the_group_is_declared_once(kind: type[Any]) -> None:
    owners = [part for part in kind.__mro__ if NAMES & get_annotations(part).keys()]
    assert owners == [Strictness]


def test_defaults_are_declared_once() -> None:
    usual = strictness_of(Strictness())
    assert usual == strictness_of(RunCommand()) == strictness_of(ActionInputs(mode="compare"))
    parameters = signature(compare).parameters
    assert {name: parameters[name].default for name in NAMES} == usual
    assert Detect().min_change == usual["min_change"] == MIN_CHANGE.default
    inputs = {one.field: one.own_default for one in INPUTS if one.field in NAMES}
    assert inputs == {"rule": usual["rule"], "min_change": "3%", "confidence": "",
                      "false_alarms": ""}  # fmt: skip


def test_the_group_is_passed_on_completely() -> None:
    assert GIVEN.keys() == NAMES
    run = RunCommand(**GIVEN)
    command = CompareCommand(pair=("results",), **strictness_of(run))
    assert command == CompareCommand(pair=("results",), **GIVEN)
    assert strictness_of(command) == GIVEN


def test_confidence_and_false_alarms_exclude_each_other() -> None:
    check_strictness(RunCommand(confidence=0.9))
    check_strictness(CompareCommand(false_alarms=0.1))
    with pytest.raises(InputError, match=r"--confidence .* and --false-alarms .* exclude"):
        check_strictness(RunCommand(confidence=0.9, false_alarms=0.1))
