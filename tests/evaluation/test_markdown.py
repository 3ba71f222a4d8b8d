"""Numbers and tables as they stand in the document."""

from __future__ import annotations

import math

import pytest

from evaluation._markdown import markdown, number, paragraph, percent


def test_a_table_has_one_text_column() -> None:
    expected = "| a | b |\n| --- | --: |\n| x | 1 |"
    assert markdown(["a", "b"], [["x", "1"]]) == expected


@pytest.mark.parametrize(
    ("share", "digits", "text"), [(0.1234, 1, "12.3"), (-1e-9, 0, "0"), (math.nan, 2, "–")]
)
def test_percent_has_no_sign_on_zero_and_a_dash_for_no_number(
    share: float, digits: int, text: str
) -> None:
    assert percent(share, digits) == text


def test_rounding_hides_the_last_digits() -> None:
    assert number(0.1 + 0.2, 12) == number(0.3, 12)


def test_a_paragraph_joins_lines() -> None:
    assert paragraph("one\n        two\n  three") == "one two three"
