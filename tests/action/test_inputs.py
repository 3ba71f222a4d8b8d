"""Inputs as set by GitHub's runner, and their agreement with `action.yml`."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from docs.generate import FILES
from steady.action.input_fields import Destination, Input
from steady.action.inputs import INPUTS, ActionInputs
from steady.action.runner import OUTPUTS
from steady.compare import RULES
from steady.errors import InputError
from steady.optimize import STRATEGIES
from steady.options.option import MODES
from steady.stats import METRICS
from tests.looped import looped

OPTIMIZE = {"INPUT_MODE": "optimize", "INPUT_RESULTS": "a.json"}
UOPTIME = OPTIMIZE | {"INPUT_STRATEGY": "uoptime"}
COMPARE = {"INPUT_MODE": "compare", "INPUT_BASE": "base.json", "INPUT_HEAD": "head.json"}
DECLARED = {
    declared.variable: "" if declared.name == "token" else declared.in_action.default
    for declared in INPUTS
}


@looped("given_inputs", [OPTIMIZE, COMPARE])
def test_missing_empty_and_default_inputs_are_equivalent(given_inputs: dict[str, str]) -> None:
    bare = ActionInputs.from_environ(given_inputs)
    assert ActionInputs.from_environ(dict.fromkeys(DECLARED, "") | given_inputs) == bare
    assert ActionInputs.from_environ(DECLARED | given_inputs) == bare


def test_declared_inputs_match_the_settings() -> None:
    assert [field.name for field in fields(ActionInputs)] != []
    assert {field.name for field in fields(ActionInputs)} == {declared.field for declared in INPUTS}


@looped(
    ("mode", "variable", "text", "field", "value"),
    [
        (OPTIMIZE, "RESULTS", " a.json \n\n  b/*.json\r\n", "results", ("a.json", "b/*.json")),
        (OPTIMIZE, "METRIC", "", "out", ".steady"),
        (OPTIMIZE, "COMMENT", "never", "comment", "never"),
        (OPTIMIZE, "KEY", "core-module", "key", "core-module"),
        (OPTIMIZE, "COMMIT", "False", "commit", None),
        (OPTIMIZE, "COMMIT", "pull-request", "commit", Destination()),
        (OPTIMIZE, "COMMIT", "branch:bench/plans", "commit", Destination("bench/plans")),
        (COMPARE, "MIN-CHANGE", "0.05", "min_change", 0.05),
        (COMPARE, "CONFIDENCE", "95%", "confidence", 0.95),
        (
            COMPARE,
            "FALSE-ALARMS",
            "5%",
            "confidence",
            None,
        ),  # confidence and false alarms exclude each other
        (COMPARE, "FALSE-ALARMS", "5%", "false_alarms", 0.05),
        (COMPARE, "ENVIRONMENT", "require-same", "environment", "require-same"),
        (COMPARE, "FAIL-ON", "regression, incomplete", "fail_on", {"regression", "incomplete"}),
        (COMPARE, "FAIL-ON", "never", "fail_on", frozenset()),
        # The runner keeps hyphens, so this is not our input.
        (COMPARE, "FAIL_ON", "never", "fail_on", ActionInputs.from_environ(COMPARE).fail_on),
        (COMPARE, "RULE", "moderated-t", "out", "steady-report"),
        (COMPARE, "TOKEN", "ghs_secret", "token", "ghs_secret"),
    ],
)
def test_values_from_a_workflow_are_parsed(
    mode: dict[str, str], variable: str, text: str, field: str, value: Any
) -> None:
    settings = ActionInputs.from_environ(mode | {f"INPUT_{variable}": text})
    assert getattr(settings, field) == value
    assert "ghs_secret" not in repr(settings)


def test_detect_selects_its_strategy() -> None:
    settings = ActionInputs.from_environ(
        OPTIMIZE | {"INPUT_DETECT": "5%", "INPUT_POWER": "90%", "INPUT_TIME-BUDGET": "10m"}
    )
    assert settings.strategy == "detect"
    assert settings.strategy_options == {"detect": 0.05, "power": 0.9, "time_budget": 600.0}
    assert ActionInputs.from_environ(OPTIMIZE).strategy == "error-budget"
    given = {"INPUT_METRIC": "cv", "INPUT_THRESHOLD": "2.5%"}
    settings = ActionInputs.from_environ(UOPTIME | given)
    assert settings.strategy_options == {"metric": "cv", "threshold": 0.025}


@looped(
    ("inputs", "message"),
    [
        ({}, "input `mode`: expected `optimize` or `compare` or"),
        ({"INPUT_MODE": "Compare"}, "input `mode`: expected `optimize` or `compare` or"),
        (COMPARE | {"INPUT_BASE": ""}, "input `base` is required by mode `compare`: set it, or"),
        ({"INPUT_MODE": "optimize"}, "input `results` is required by mode `optimize`: set it"),
        *(
            (OPTIMIZE | {"INPUT_COMMIT": text}, "input `commit`: expected `false`, `pull-request`")
            for text in ("true", "branch:", "branch:branch:x", "branch: x", "branch:" + "a" * 201)
        ),
        (OPTIMIZE | {"INPUT_BASE": "b"}, "input `base` is not used by mode `optimize`"),
        (OPTIMIZE | {"INPUT_FAIL-ON": "never"}, "input `fail-on` is not used by mode `optimize`"),
        (COMPARE | {"INPUT_THRESHOLD": "1%"}, "input `threshold` is not used by mode `compare`"),
        (UOPTIME | {"INPUT_BUDGET": "3%"}, "input `budget` is not used by strategy `uoptime`"),
        (UOPTIME | {"INPUT_DETECT": "5%"}, "input `detect` is not used by strategy `uoptime`"),
        (
            OPTIMIZE | {"INPUT_METRIC": "cv"},
            "input `metric` is not used by strategy `error-budget`",
        ),
        (OPTIMIZE | {"INPUT_DETECT": "0"}, "input `detect`: expected a percentage above 0"),
        (OPTIMIZE | {"INPUT_STRATEGY": "best"}, "`strategy`: expected `error-budget` or `detect`"),
        (OPTIMIZE | {"INPUT_THRESHOLD": "1"}, "`threshold`: expected a percentage above 0 and"),
        (COMPARE | {"INPUT_MIN-CHANGE": "3"}, "or a fraction below 1 such as 0.05, got '3'"),
        (COMPARE | {"INPUT_CONFIDENCE": "99"}, "such as 99%, or a fraction such as 0.99, got '99'"),
        (
            COMPARE | {"INPUT_CONFIDENCE": "99.9%", "INPUT_FALSE-ALARMS": "5%"},
            "`false-alarms` (for the whole pull request)",
        ),
        (
            COMPARE | {"INPUT_FAIL-ON": "regressions"},
            "`fail-on`: expected one or more of regression,",
        ),
        (COMPARE | {"INPUT_FAIL-ON": "never,regression"}, "got 'never,regression'"),
        (COMPARE | {"INPUT_COMMENT": "yes"}, "`comment`: expected `always` or `changes` or"),
        (COMPARE | {"INPUT_KEY": "a:-->b"}, "`key`: expected at most 64 letters"),
        (COMPARE | {"INPUT_PLAN": "a\nb"}, "`plan`: expected one path"),
        (COMPARE | {"INPUT_RULE": "x" * 500}, "x…'"),
    ],
)
def test_invalid_inputs_are_reported(inputs: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        ActionInputs.from_environ(inputs)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


def test_all_invalid_inputs_are_reported_together() -> None:
    with pytest.raises(InputError) as caught:
        ActionInputs.from_environ(
            {"INPUT_MODE": "compare", "INPUT_RULE": "x", "INPUT_COMMENT": "y", "INPUT_JAR": "z"}
        )
    names = [part.split("`")[1] for part in str(caught.value).split("; ")]
    assert names == ["jar", "head", "rule", "comment", "base"]


@given(st.dictionaries(st.sampled_from([i.variable for i in INPUTS]), st.text(max_size=20)))
def test_any_input_is_parsed_or_rejected(inputs: dict[str, str]) -> None:
    try:
        settings = ActionInputs.from_environ(COMPARE | inputs | {"INPUT_TOKEN": "ghs_secret"})
    except InputError as error:
        message = str(error)
    else:
        message = ""
        assert 0 <= float(settings.min_change) < 1
        for rate in (settings.confidence, settings.false_alarms):
            assert rate is None or 0 < float(rate) < 1
    assert message == "" or message.startswith("input `")
    assert "ghs_secret" not in message


ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
TYPES = yaml.safe_load((ROOT / "action-types.yml").read_text(encoding="utf-8"))
NONSENSE = "\u2028no such thing"
TWO = {
    "results": "x.json\ny.json",
    "base": "x.json\ny.json",
    "head": "x.json\ny.json",
    "fail-on": "regression,incomplete",
    "metrics": "gc.alloc.rate.norm\ngc.count",
}
"""Two items of each list."""


def test_action_yml_declares_the_inputs() -> None:
    assert ACTION["inputs"] == {
        declared.name: {
            "description": declared.in_action.description,
            "required": declared.in_action.required and declared.in_action.modes == MODES,
            **({"default": declared.in_action.default} if declared.in_action.default else {}),
        }
        for declared in INPUTS
    }
    assert list(ACTION["inputs"]) == [declared.name for declared in INPUTS]


def test_action_yml_declares_the_outputs() -> None:
    assert ACTION["outputs"] == {o.name: {"description": o.description} for o in OUTPUTS}


def test_the_action_is_built_from_the_dockerfile() -> None:
    assert ACTION["runs"] == {"using": "docker", "image": "Dockerfile"}
    assert (ROOT / "Dockerfile").is_file()
    assert len(ACTION["description"]) <= 125, "GitHub's marketplace has this limit"


@looped(("name", "registry"), [("strategy", STRATEGIES), ("metric", METRICS), ("rule", RULES)])
def test_descriptions_name_every_choice(name: str, registry: Any) -> None:
    declared = next(i for i in INPUTS if i.name == name)
    assert [
        choice for choice in registry if f"`{choice}`" not in declared.in_action.description
    ] == []


@looped("name", FILES)
def test_generated_files_are_up_to_date(name: str) -> None:
    present = (ROOT / name).read_text(encoding="utf-8")
    assert FILES[name](present) == present, f"{name} is stale: type `make docs`"


def parsed(declared: Input, text: str) -> Any:
    """Return the schema of one input."""
    mode = text if declared.name == "mode" else declared.in_action.modes[0]
    needed = ("results", "base", "head")
    files = [i.name for i in INPUTS if i.name in needed and mode in i.in_action.modes]
    given = {"mode": mode, **{name: TWO[name] for name in files}, declared.name: text}
    variables = {f"INPUT_{name.upper()}": value for name, value in given.items()}
    return getattr(ActionInputs.from_environ(variables), declared.field)


def choices(declared: Input) -> list[str]:
    """Return the only allowed values in the schema; empty if there are others."""
    try:
        parsed(declared, NONSENSE)
    except InputError as error:
        expected = re.search(r"expected (`[^`]+`(?: or `[^`]+`)*), got", str(error))
        return re.findall("`([^`]+)`", expected[1]) if expected else []
    return []


def test_every_input_and_output_has_a_type() -> None:
    assert list(TYPES["inputs"]) == [declared.name for declared in INPUTS]
    assert list(TYPES["outputs"]) == [declared.name for declared in OUTPUTS]


@looped("declared", INPUTS)
def test_types_match_the_settings(declared: Input) -> None:
    kind = TYPES["inputs"][declared.name]
    taken = choices(declared)
    if taken:
        assert kind == {"type": "enum", "allowed-values": taken}
    elif kind["type"] == "list":
        text = TWO[declared.name]
        assert len(text.split(kind["separator"])) == len(parsed(declared, text)) == 2
        assert set(kind["list-item"]) >= {"type"}
    else:
        assert kind == {"type": "string"}
        assert not isinstance(_tried(declared), (tuple, frozenset))


def _tried(declared: Input) -> Any:
    try:
        return parsed(declared, "x")
    except InputError:
        return None


@looped("declared", OUTPUTS)
def test_types_of_outputs(declared: Any) -> None:
    kind = TYPES["outputs"][declared.name]["type"]
    if declared.name == "verdict":
        values = re.findall("`([a-z-]+)`", declared.description.split(": ")[1])
        assert TYPES["outputs"]["verdict"] == {"type": "enum", "allowed-values": values}
    assert (kind == "integer") == declared.description.split(": ")[-1].startswith("number of")
