"""Inputs as GitHub's runner hands them over, good and bad."""

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.action.input_fields import Destination
from steady.action.inputs import INPUTS, ActionInputs
from steady.errors import InputError
from tests.looped import looped

OPTIMIZE = {"INPUT_MODE": "optimize", "INPUT_RESULTS": "a.json"}
COMPARE = {"INPUT_MODE": "compare", "INPUT_BASE": "base.json", "INPUT_HEAD": "head.json"}
DECLARED = {
    declared.variable: "" if declared.name == "token" else declared.said.default
    for declared in INPUTS
}


@looped("given_inputs", [OPTIMIZE, COMPARE])
def test_left_out_empty_and_default_are_the_same(given_inputs: dict[str, str]) -> None:
    bare = ActionInputs.from_environ(given_inputs)
    assert ActionInputs.from_environ(dict.fromkeys(DECLARED, "") | given_inputs) == bare
    assert ActionInputs.from_environ(DECLARED | given_inputs) == bare


def test_what_is_declared_is_what_the_settings_hold() -> None:
    assert [field.name for field in fields(ActionInputs)] != []
    assert {field.name for field in fields(ActionInputs)} == {declared.field for declared in INPUTS}


@looped(
    ("mode", "variable", "text", "field", "value"),
    [
        (OPTIMIZE, "RESULTS", " a.json \n\n  b/*.json\r\n", "results", ("a.json", "b/*.json")),
        (OPTIMIZE, "METRIC", "", "out", ".steady"),
        (OPTIMIZE, "COMMENT", "never", "comment", "never"),
        (OPTIMIZE, "KEY", "core-module", "key", "core-module"),
        (COMPARE, "MIN-CHANGE", "0.05", "min_change", 0.05),
        (COMPARE, "CONFIDENCE", "95%", "confidence", 0.95),
        (COMPARE, "ENVIRONMENT", "require-same", "environment", "require-same"),
        (COMPARE, "FAIL-ON", "regression, incomplete", "fail_on", {"regression", "incomplete"}),
        (COMPARE, "FAIL-ON", "never", "fail_on", frozenset()),
        # The runner leaves hyphens as they are: this is not our input.
        (COMPARE, "FAIL_ON", "never", "fail_on", ActionInputs.from_environ(COMPARE).fail_on),
        (COMPARE, "RULE", "moderated-t", "out", "steady-report"),
        (COMPARE, "TOKEN", "ghs_secret", "token", "ghs_secret"),
    ],
)
def test_what_a_workflow_gives(
    mode: dict[str, str], variable: str, text: str, field: str, value: Any
) -> None:
    settings = ActionInputs.from_environ(mode | {f"INPUT_{variable}": text})
    assert getattr(settings, field) == value
    assert "ghs_secret" not in repr(settings)


def test_a_change_to_detect_chooses_its_strategy() -> None:
    settings = ActionInputs.from_environ(
        OPTIMIZE | {"INPUT_DETECT": "5%", "INPUT_POWER": "90%", "INPUT_TIME-BUDGET": "10m"}
    )
    assert settings.strategy == "detect"
    assert settings.strategy_options == {"detect": 0.05, "power": 0.9, "time_budget": 600.0}
    assert ActionInputs.from_environ(OPTIMIZE).strategy == "error-budget"
    uoptime = {"INPUT_STRATEGY": "uoptime", "INPUT_METRIC": "cv", "INPUT_THRESHOLD": "2.5%"}
    settings = ActionInputs.from_environ(OPTIMIZE | uoptime)
    assert settings.strategy_options == {"metric": "cv", "threshold": 0.025}


@looped(
    ("text", "expected"),
    [
        ("", None),
        ("False", None),
        ("pull-request", Destination()),
        ("branch:bench/plans", Destination("bench/plans")),
    ],
)
def test_where_a_plan_is_committed(text: str, expected: Destination | None) -> None:
    assert ActionInputs.from_environ(OPTIMIZE | {"INPUT_COMMIT": text}).commit == expected


@looped("text", ["true", "main", "branch:", "branch:branch:x", "branch: x", "branch:" + "a" * 201])
def test_where_no_plan_is_committed(text: str) -> None:
    with pytest.raises(InputError, match="input `commit`: expected `false`, `pull-request` or `br"):
        ActionInputs.from_environ(OPTIMIZE | {"INPUT_COMMIT": text})


@looped(
    ("inputs", "message"),
    [
        ({}, "input `mode`: expected `optimize` or `compare` or"),
        ({"INPUT_MODE": "Compare"}, "input `mode`: expected `optimize` or `compare` or"),
        (
            {"INPUT_MODE": "compare", "INPUT_HEAD": "head.json"},
            "input `base` is required by mode `compare`: give it, or `history`",
        ),
        ({"INPUT_MODE": "optimize"}, "input `results` is required by mode `optimize`: give it"),
        (OPTIMIZE | {"INPUT_BASE": "b"}, "input `base` is not used by mode `optimize`"),
        (OPTIMIZE | {"INPUT_FAIL-ON": "never"}, "input `fail-on` is not used by mode `optimize`"),
        (COMPARE | {"INPUT_THRESHOLD": "1%"}, "input `threshold` is not used by mode `compare`"),
        (
            OPTIMIZE | {"INPUT_STRATEGY": "uoptime", "INPUT_BUDGET": "3%"},
            "input `budget` is not used by strategy `uoptime`",
        ),
        (
            OPTIMIZE | {"INPUT_STRATEGY": "error-budget", "INPUT_METRIC": "cv"},
            "input `metric` is not used by strategy `error-budget`",
        ),
        (
            OPTIMIZE | {"INPUT_STRATEGY": "uoptime", "INPUT_DETECT": "5%"},
            "input `detect` is not used by strategy `uoptime`",
        ),
        (OPTIMIZE | {"INPUT_DETECT": "0"}, "input `detect`: expected a percentage above 0"),
        (OPTIMIZE | {"INPUT_STRATEGY": "best"}, "`strategy`: expected `error-budget` or `detect`"),
        (OPTIMIZE | {"INPUT_THRESHOLD": "1"}, "`threshold`: expected a percentage above 0 and"),
        (COMPARE | {"INPUT_MIN-CHANGE": "3"}, "or a fraction below 1 such as 0.05, got '3'"),
        (COMPARE | {"INPUT_CONFIDENCE": "99"}, "such as 99%, or a fraction such as 0.99, got '99'"),
        (COMPARE | {"INPUT_FAIL-ON": "regressions"}, "`fail-on`: expected some of regression,"),
        (COMPARE | {"INPUT_FAIL-ON": "never,regression"}, "got 'never,regression'"),
        (COMPARE | {"INPUT_COMMENT": "yes"}, "`comment`: expected `always` or `changes` or"),
        (COMPARE | {"INPUT_KEY": "a:-->b"}, "`key`: expected at most 64 letters"),
        (COMPARE | {"INPUT_PLAN": "a\nb"}, "`plan`: expected one path"),
        (COMPARE | {"INPUT_RULE": "x" * 500}, "x…'"),
    ],
)
def test_a_mistake_is_named(inputs: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        ActionInputs.from_environ(inputs)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


def test_all_mistakes_stand_in_one_message() -> None:
    with pytest.raises(InputError) as caught:
        ActionInputs.from_environ(
            {"INPUT_MODE": "compare", "INPUT_RULE": "x", "INPUT_COMMENT": "y", "INPUT_JAR": "z"}
        )
    names = [part.split("`")[1] for part in str(caught.value).split("; ")]
    assert names == ["jar", "head", "rule", "comment", "base"]


def test_one_rate_of_error_decides() -> None:
    both = {"INPUT_CONFIDENCE": "99.9%", "INPUT_FALSE-ALARMS": "5%"}
    with pytest.raises(InputError, match="`false-alarms` is about the whole pull request"):
        ActionInputs.from_environ(COMPARE | both)
    alone = ActionInputs.from_environ(COMPARE | {"INPUT_FALSE-ALARMS": "5%"})
    assert (alone.confidence, alone.false_alarms) == (None, 0.05)


@given(st.dictionaries(st.sampled_from([i.variable for i in INPUTS]), st.text(max_size=20)))
def test_no_input_breaks_the_parser(inputs: dict[str, str]) -> None:
    try:
        settings = ActionInputs.from_environ(COMPARE | inputs | {"INPUT_TOKEN": "ghs_secret"})
    except InputError as error:
        message = str(error)
    else:
        message = ""
        assert 0 <= settings.min_change < 1
        for rate in (settings.confidence, settings.false_alarms):
            assert rate is None or 0 < rate < 1
    assert message == "" or message.startswith("input `")
    assert "ghs_secret" not in message
