"""CSV: round trips, and protection from formula injection."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.tables.csv_text import csv_text
from tests.tables.results import comparison_of


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "\r=1", "＝1"])
def test_no_text_is_a_formula_and_numbers_stay_numbers(text: str) -> None:
    written = csv_text(["a", "b"], [{"a": text, "b": -1.5}])
    [_, [shown, number]] = csv.reader(io.StringIO(written, newline=""))
    assert shown[0] in "'\\"
    assert number == "-1.5"


@given(st.lists(st.text(st.characters(categories=["L", "N", "P"]), max_size=8), min_size=1))
def test_what_a_person_can_read_comes_back_whole(texts: list[str]) -> None:
    written = csv_text(["a", "x"], [{"a": text, "x": None} for text in texts])
    assert written.endswith("\r\n")
    assert written.count("\r\n") == 1 + len(texts)
    header, *rows = csv.reader(io.StringIO(written, newline=""), strict=True)
    assert header == ["a", "x"]
    assert [(row[0].removeprefix("'"), row[1]) for row in rows] == [
        (text.removeprefix("'"), "") for text in texts
    ]


def test_a_comparison_has_the_numbers_of_its_frame() -> None:
    comparison = comparison_of([f"b{i}" for i in range(12)])
    rows = list(csv.DictReader(io.StringIO(comparison.to_csv(), newline="")))
    assert [*rows[0]] == list(comparison.to_pandas().columns)
    for row, own in zip(rows, comparison.to_dict()["changes"], strict=True):
        assert row == {name: "" if v is None else str(v) for name, v in own.items()}
