"""Fitting: whole rows, most important first, and every row counted."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.report.markdown import RowBlock, characters, fit, utf8_bytes


def block(name: str, rows: tuple[str, ...]) -> RowBlock:
    return RowBlock(f"<{name}>", rows, lambda left: f"{left} more {name}", f"</{name}>")


ROWS = st.lists(st.text("aé😀", max_size=30).map(lambda t: f"row {t}"), max_size=30).map(tuple)


@given(ROWS, ROWS, st.integers(150, 2500), st.sampled_from([characters, utf8_bytes]))
def test_it_fits_and_no_row_is_lost_or_cut(one, other, limit, size) -> None:  # type: ignore[no-untyped-def]
    text = fit(["verdict", block("x", one), block("y", other), "end"], limit, size)
    assert size(text) <= limit
    lines = text.splitlines()
    for name, rows in (("x", one), ("y", other)):
        start = lines.index(f"<{name}>") + 1 if f"<{name}>" in lines else 0
        counted = [int(m[1]) for m in re.finditer(rf"(\d+) more {name}\n", text)]
        kept = len(rows) - sum(counted)
        assert lines[start : start + kept] == list(rows[:kept]) or kept == 0
        assert len(counted) == (kept < len(rows))
        assert text.count(f"<{name}>") == text.count(f"</{name}>") == (kept > 0)
    if re.search(r"more x", text):
        assert not other or f"{len(other)} more y" in text


def test_text_without_rows_must_fit() -> None:
    with pytest.raises(ValueError, match="a limit of 20 leaves no room"):
        fit(["a verdict that is longer than that"], 20, characters)


def test_everything_stands_where_there_is_room() -> None:
    text = fit(["v", block("x", ("1", "2")), block("y", ()), ""], 1000, characters)
    assert text == "v\n\n<x>\n1\n2\n</x>\n"


def test_characters_beyond_the_basic_plane_count_twice() -> None:
    assert characters("a😀") == 3
    assert utf8_bytes("a😀") == 5
