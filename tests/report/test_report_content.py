"""The content tree of a report: order of sections, and unescaped text."""

from steady.report.content import content
from steady.report.document import Code, Name, Names, Section, WordFormat
from tests.report.made import eventful, hostile


def named(section: Section) -> list[str]:
    """Return the names of the benchmarks in a section."""
    pieces = [row.cells[0].text for row in section.rows]
    return [name.text for piece in pieces if isinstance(piece, Names) for name in piece.names]


def test_sections_are_ordered_by_importance() -> None:
    sections = [section for section in content(eventful()).sections if section.rows]
    assert [section.title for section in sections] == [
        "Regressions", "Not compared", "Different environments", "Improvements", "1 unchanged",
        "2 notes on benchmarks",
    ]  # fmt: skip
    assert [section.folded for section in sections] == [False] * 4 + [True] * 2
    for section in content(eventful()).sections:
        assert {len(row.cells) for row in section.rows} <= {len(section.columns) or 1}


def test_text_in_the_tree_is_not_escaped() -> None:
    found = hostile()
    sections = {section.title: section for section in content(found).sections}
    (name,) = named(sections["Regressions"])
    assert name == found.regressions[0].identity.name
    happened = sections["Not compared"].rows[0].cells[1].text
    assert happened == ("failed in head: ", Code(found.ledger.failed[0].reason))


def test_names_beyond_the_maximum_are_counted() -> None:
    names = Names(tuple(Name(text) for text in "abcd"))
    word_format = WordFormat(
        str.upper, lambda code: f"<{code.text}>", lambda name: name.label, most=2
    )
    assert word_format(("x ", names, " y ", Code("z"))) == "X a, b and 2 more Y <z>"
    assert word_format(Names(names.names[:2])) == "a, b"
