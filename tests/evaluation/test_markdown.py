"""Numbers and tables as they stand in the document."""

from __future__ import annotations

import math

import pytest

from evaluation._markdown import Cell, Number, Table, cell, markdown, number, percent
from tests.looped import looped


def test_a_table_has_one_text_column() -> None:
    expected = "| a | b |\n| --- | --: |\n| x | 1 |"
    assert markdown(["a", "b"], [["x", "1"]]) == expected


def test_a_table_says_once_what_rows_have_in_common() -> None:
    rows: list[list[Cell]] = [["a", "x", "1"], ["a", "y", "2"], ["b", "y", ("3", "4")]]
    assert str(Table(["", "", "n"], rows, texts=2, grouped=True)).splitlines()[2:] == [
        "| a | x | 1 |", "|  | y | 2 |", "| b | y | 3 / 4 |",
    ]  # fmt: skip


def test_a_cell_is_found_by_its_row_and_column() -> None:
    first, second = (Table(["", "n"], [["a", number(n, 1)]]) for n in (1.26, 2.0))
    found = cell(["text", first, second], ["a"], "n")
    assert found == "1.3"
    assert isinstance(found, Number)
    assert found.value == 1.3
    assert cell(["text", first, second], ["a"], "n", part=1) == "2.0"
    with pytest.raises(LookupError, match="no table number 2"):
        cell([first, second], ["a"], "n", part=2)


@looped(("share", "digits", "text"), [(0.1234, 1, "12.3"), (-1e-9, 0, "0"), (math.nan, 2, "–")])
def test_percent_has_no_sign_on_zero_and_a_dash_for_no_number(
    share: float, digits: int, text: str
) -> None:
    assert percent(share, digits) == text
