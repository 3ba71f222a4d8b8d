"""A percentage is read alike wherever somebody writes one."""

from __future__ import annotations

import argparse
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.action.settings import ActionInputs
from steady.cli.common import fraction
from steady.percent import BOUND, LEVEL, POSITIVE, SHARE
from steady.settings import parse_settings

COMPARE = {"INPUT_MODE": "compare", "INPUT_BASE": "a.json", "INPUT_HEAD": "b.json"}
EVERYWHERE = (SHARE, POSITIVE, LEVEL, BOUND)


@pytest.mark.parametrize("of", EVERYWHERE)
@pytest.mark.parametrize(
    ("text", "value"),
    [("5%", 0.05), ("5 %", 0.05), ("0.05", 0.05), ("2.5%", 0.025), (".5", 0.5), ("1e-3", 0.001)],
)
def test_what_is_taken_everywhere(of: object, text: str, value: float) -> None:
    assert isinstance(of, type(SHARE))
    assert of.parse(text) == value


@pytest.mark.parametrize("of", EVERYWHERE)
@pytest.mark.parametrize(
    "text", ["5", "1", "-5%", "nan", "inf", "1e999%", "5%%", "5 percent", "", "%", "1_0%", "٥%"]
)
def test_what_is_refused_everywhere(of: object, text: str) -> None:
    assert isinstance(of, type(SHARE))
    with pytest.raises(ValueError, match=r"^expected a percentage .*%, or a fraction .*, got '"):
        of.parse(text)


def test_where_a_percentage_ends() -> None:
    assert (SHARE.parse("0"), SHARE.parse("0%")) == (0.0, 0.0)
    assert BOUND.parse("500%") == 5.0
    for of, text in ((SHARE, "500%"), (POSITIVE, "100%"), (LEVEL, "0%"), (BOUND, "0")):
        with pytest.raises(ValueError, match="expected"):
            of.parse(text)


def _as_option(text: str) -> float:
    try:
        return fraction(text)
    except argparse.ArgumentTypeError as error:
        raise ValueError(str(error)) from None


def _as_input(text: str) -> float:
    return ActionInputs.from_environ(COMPARE | {"INPUT_MIN-CHANGE": text}).min_change


def _in_settings(text: str) -> float:
    entry = {"pattern": "a", "min-change": text}
    return (
        parse_settings(json.dumps({"version": 1, "thresholds": [entry]})).thresholds[0].min_change
    )


@pytest.mark.parametrize("text", ["5%", "5 %", "0%", "99.5%", "5", "500%", "100%", "-1%", "x"])
def test_option_input_and_settings_say_the_same(text: str) -> None:
    answers = set()
    for read in (_as_option, _as_input, _in_settings):
        try:
            answers.add(str(read(text)))
        except ValueError as error:
            answers.add(str(error).partition("expected ")[2])
    assert len(answers) == 1


@given(st.text(max_size=20) | st.text("0123456789.eE+-% ", max_size=12))
def test_no_text_breaks_it(text: str) -> None:
    try:
        value = SHARE.parse(text)
    except ValueError:
        return
    assert 0.0 <= value < 1.0
