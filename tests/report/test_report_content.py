"""The tree that all outputs draw: plain text in it, and each section of it in every output."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from steady.compare import Comparison
from steady.report.content import content
from steady.report.document import Code, Name, Names, Section, Spelling
from steady.report.terminal import terminal
from tests.report.from_comparison import comment, html

OUTPUTS: dict[str, Callable[[Comparison], str]] = {
    "comment": comment,
    "terminal": lambda comparison: terminal(comparison, width=300),
    "page": html,
}


def named(section: Section) -> list[str]:
    """Return the names of the benchmarks that a section is about."""
    pieces = [row.cells[0].text for row in section.rows]
    return [name.text for piece in pieces if isinstance(piece, Names) for name in piece.names]


@pytest.mark.parametrize("output", OUTPUTS)
def test_every_section_is_in_every_output(output: str, eventful: Comparison) -> None:
    text = re.sub(r"<wbr>|</?code>|`", "", OUTPUTS[output](eventful))
    sections = [section for section in content(eventful).sections if section.rows]
    assert len(sections) == 6
    if output == "comment":
        sections = [section for section in sections if not section.is_lead]
    for section in sections:
        heading = section.chapter if output == "page" and section.chapter else section.title
        assert heading in text
        assert all(name in text for name in named(section))


def test_sections_stand_in_the_order_of_their_importance(eventful: Comparison) -> None:
    sections = [section for section in content(eventful).sections if section.rows]
    assert [section.title for section in sections] == [
        "Regressions", "Not compared", "Different surroundings", "Improvements", "1 unchanged",
        "2 notes on single benchmarks",
    ]  # fmt: skip
    assert [section.folded for section in sections] == [False] * 4 + [True] * 2


def test_every_row_has_a_cell_for_each_column(eventful: Comparison) -> None:
    for section in content(eventful).sections:
        assert {len(row.cells) for row in section.rows} <= {len(section.columns) or 1}


def test_text_in_the_tree_is_as_it_was_found(hostile: Comparison) -> None:
    sections = {section.title: section for section in content(hostile).sections}
    (name,) = named(sections["Regressions"])
    assert name == hostile.regressions[0].identity.name
    happened = sections["Not compared"].rows[0].cells[1].text
    assert happened == ("failed in head: ", Code(hostile.ledger.failed[0].reason))


def test_names_beyond_the_most_are_counted() -> None:
    names = Names(tuple(Name(text) for text in "abcd"))
    spelling = Spelling(str.upper, lambda code: f"<{code.text}>", lambda name: name.label, most=2)
    assert spelling(("x ", names, " y ", Code("z"))) == "X a, b and 2 more Y <z>"
    assert spelling(Names(names.names[:2])) == "a, b"
