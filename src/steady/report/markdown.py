"""The pull request's comment: the verdict first, the worst first, never too long."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from html import escape

from steady.compare import Comparison
from steady.errors import InputError
from steady.optimize.plan import Plan
from steady.patterns import SUITE_KEY
from steady.report.content import content
from steady.report.document import Cell, Column, Document, Row, Section, Spelling
from steady.report.fitting import RowBlock, characters, fit
from steady.text.escape import code_span, inline, line_start, plain, visible
from steady.text.numbers import NO_BREAK

COMMENT_LIMIT = 65_536
"""Characters that GitHub takes as a comment's body."""

_ROOM_TO_POST = 512  # for what is put before the text when it is posted: what was wrong before

_URL = re.compile(r"https?://[^\s<>()\[\]`\"]+")

_SENTENCE = Spelling(
    partial(inline, limit=1000),
    code=lambda code: code_span(code.text),
    name=lambda name: code_span(name.label),
    most=3,
)
_CELL = replace(_SENTENCE, text=partial(inline, limit=500, kept=NO_BREAK))


def marker(key: str) -> str:
    """Return the hidden first line by which a comment is found again.

    Raises
    ------
    InputError
        If the key cannot stand in an HTML comment.
    """
    if not SUITE_KEY.fullmatch(key):
        raise InputError(
            f"key {key!r} cannot name a comment; give at most 64 letters, digits, '.', '_' and "
            "single '-'"
        )
    return f"<!-- steady:{key} -->"


def comment(
    comparison: Comparison,
    plan: Plan | None = None,
    *,
    title: str = "Benchmarks",
    key: str = "default",
    report_url: str | None = None,
    limit: int = COMMENT_LIMIT - _ROOM_TO_POST,
) -> str:
    """Write a comparison as the body of a comment.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    plan : Plan, optional
        What it cost, and what it would have cost.
    title : str
        What the suite is called.
    key : str
        Tells this comment from those of other suites on the same pull request.
    report_url : str, optional
        Where the whole report stands.
    limit : int
        Most characters; rows that do not fit are counted, from the least important end.

    Returns
    -------
    str
        GitHub Flavored Markdown; the same arguments give the same text.

    Raises
    ------
    InputError
        If the key or the address cannot be used.
    """
    link = "" if report_url is None else f"the [report]({_url(report_url)})"
    more = f"More in {link}." if link else ""
    head = marker(key)
    parts = blocks(content(comparison, plan, title=title), link or "the job summary", more)
    body = fit(parts, limit - characters(head) - 1, characters)
    return f"{head}\n{body}"


def blocks(document: Document, place: str, more: str = "") -> list[str | RowBlock]:
    """Return the parts of the comment and of the job summary, most important first.

    `place` is where rows that do not fit are found, `more` a sentence on where there is more
    to see, both as Markdown.
    """
    sections = [section for section in document.sections if not section.page_only]
    known = " ".join(_SENTENCE(words) for words in document.known if words)
    warnings = [f"> {plain(warning)}" for warning in document.warnings]
    about = [plain(text, limit=1000) for text in (document.cost, document.names) if text]
    return [
        f"### {plain(document.title)}: {plain(document.headline)}\n\n"
        f"**{plain(document.verdict, limit=1000)}**",
        line_start(known),
        "\n".join(["> [!WARNING]", *warnings]) if warnings else "",
        *(section_block(section, place) for section in sections if not section.folded),
        "\n".join([*about, more] if more else about),
        *(section_block(section, place) for section in sections if section.folded),
        f"<sub>{plain(document.method, limit=1000)}</sub>",
    ]


def section_block(section: Section, place: str) -> RowBlock:
    """Return a section of which rows may be left out; they are found in `place`, as Markdown."""
    heading = f"#### {plain(section.title)}"
    if section.folded:
        heading = f"<details><summary>{escape(visible(section.title))}</summary>"
    above = "\n\n".join([heading, *map(_SENTENCE, section.intro)])
    return RowBlock(
        f"{above}\n{_table_head(section)}",
        tuple(_row(row, section) for row in section.rows),
        partial(_rest, section, place),
        "\n</details>" if section.folded else "",
    )


def _table_head(section: Section) -> str:
    """Return the two lines above a table's rows; none for a list."""
    columns = [column for column in section.columns if _is_shown(column, section)]
    if not columns:
        return ""
    titles = " | ".join(column.title for column in columns)
    alignments = "|".join("--:" if column.kind == "number" else ":--" for column in columns)
    return f"\n| {titles} |\n|{alignments}|"


def _is_shown(column: Column, section: Section) -> bool:
    return column.kind != "picture" and not (section.folded and column.role == "detail")


def _row(row: Row, section: Section) -> str:
    if not section.columns:
        return f"- {line_start(_SENTENCE(row.cells[0].text))}"
    cells = [
        _cell(cell, section)
        for column, cell in zip(section.columns, row.cells, strict=True)
        if _is_shown(column, section)
    ]
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell, section: Section) -> str:
    remark = f"{NO_BREAK}({plain(cell.remark)})" if cell.remark else ""
    lines = [_CELL(cell.text) + remark]
    if cell.small and not section.folded:
        lines.append(f"<sub>{_CELL(cell.small)}</sub>")
    return "<br>".join(filter(None, lines))


def _rest(section: Section, place: str, left: int) -> str:
    noun = section.noun if left == 1 else section.plural
    return f"\n{left:,} more {noun} in {place}."


def _url(address: str) -> str:
    if not _URL.fullmatch(address):
        raise InputError(
            f"{address!r} is not the address of a web page; it must begin with https://"
        )
    return address
