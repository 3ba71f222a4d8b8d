"""Strips of characters say what the table says, in whatever the encoding has."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console

from steady.compare import Change, Comparison, Estimate
from steady.report.strips import Scale
from steady.report.terminal import print_comparison, terminal
from steady.report.terminal_cells import (
    ASCII,
    BLOCKS,
    STRIP_COLUMNS,
    WholeWords,
    glyphs_for,
    narrowest,
    text_strip,
    text_strips,
)

MakeChange = Callable[..., Change]
MakeComparison = Callable[..., Comparison]


def drawn(change: Change, reach: float = 0.15, threshold: float = 0.03) -> str:
    scale = Scale(reach)
    bar = scale.bar(change)
    assert bar is not None
    return text_strip(bar, scale, threshold, ASCII)


def test_a_strip_shows_change_interval_zero_and_threshold(make_change: MakeChange) -> None:
    slower = replace(make_change("a", 0.10, "regression"), interval=(0.07, 0.13))
    assert drawn(slower) == "            ...|...   ===#===  "
    faster = replace(make_change("a", -0.10, "improvement"), interval=(-0.11, -0.09))
    assert drawn(faster) == "    =#=     ...|...            "
    assert len(drawn(slower)) == STRIP_COLUMNS


def test_what_lies_beyond_the_scale_has_an_arrow(make_change: MakeChange) -> None:
    wide = replace(make_change("a", 0.5, "unclear"), interval=(-0.2, 1.2))
    assert drawn(wide) == f"<{'=' * (STRIP_COLUMNS - 2)}>"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "no such encoding"])
def test_without_blocks_there_is_plain_ascii(
    make_comparison: MakeComparison, encoding: str
) -> None:
    assert glyphs_for(encoding) is ASCII
    heading, strips = text_strips(make_comparison(1, 0, 3), ASCII)
    assert all(text.isascii() for text in (heading, *strips.values()))


def test_every_row_of_the_table_gains_a_strip(make_comparison: MakeComparison) -> None:
    comparison = make_comparison(2, 1, 3, 1)
    heading, strips = text_strips(comparison, BLOCKS)
    with_strips = terminal(comparison, width=200, glyphs=BLOCKS)
    assert all(text.rstrip() in with_strips for text in (heading, *strips.values()))
    assert "█" not in terminal(comparison, width=200)


def test_a_base_of_zero_has_no_strip(make_comparison: MakeComparison) -> None:
    comparison = make_comparison(1)
    zero = replace(comparison.changes[0], base=Estimate(0, 0, 0, 1, 1))
    assert text_strips(replace(comparison, changes=(zero,)), BLOCKS)[1] == {}


def test_the_console_s_encoding_decides(make_comparison: MakeComparison) -> None:
    for encoding, glyph in (("utf-8", "█"), ("ascii", "#")):
        raw = io.BytesIO()
        file = io.TextIOWrapper(raw, encoding=encoding, errors="replace")
        print_comparison(make_comparison(1, 0, 1), console=Console(file=file), strips=True)
        file.flush()
        assert glyph in raw.getvalue().decode(encoding)


@pytest.mark.parametrize(
    "text", ["NumericBenchmark.editDistance", "a b c", "a.b [n=1] (thrpt)", "a"]
)
def test_the_narrowest_column_takes_a_text_on_two_lines(text: str) -> None:
    def lines(width: int) -> int:
        file = io.StringIO()
        Console(file=file, width=width).print(WholeWords(text))
        return len(file.getvalue().splitlines())

    width = narrowest(text)
    assert lines(width) <= 2
    assert max(map(len, re.split(r"[. ]", text))) <= width


def test_the_width_of_very_long_names_is_found_soon() -> None:
    began = time.process_time()
    for index in range(1000):
        narrowest(f"{'a.' * 500}{index}")
    assert time.process_time() - began < 5
