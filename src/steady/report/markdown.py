"""Reports as Markdown, from templates: all text is escaped, and rows beyond a limit are counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from html import escape
from typing import TYPE_CHECKING

from steady.errors import InputError
from steady.model import name_parts
from steady.report.document import Cell, Code, Column, Name, Names, Row, Section, WordFormat, Words
from steady.text.escape import code_span, inline, line_start, plain, visible
from steady.text.numbers import NO_BREAK

if TYPE_CHECKING:
    from jinja2 import Environment

_URL = re.compile(r"https?://[^\s<>()\[\]`\"]+")
_PLACE = re.compile("\n{0,2}\0(\\d+)\0\n{0,2}")
"""Placeholder of rows. No text contains its null character, which escaping makes visible."""

_BLANK_LINES = re.compile("\n{3,}")


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Rows that can be omitted from the end if the text is too long.

    Parameters
    ----------
    opening, closing : str
        Text before and after the rows: a heading and a table's head, a closing tag.
    rows : tuple of str
        Lines, most important first.
    rest : callable
        Function from the number of omitted rows to a line of Markdown that gives it.
    """

    opening: str
    rows: tuple[str, ...]
    rest: Callable[[int], str]
    closing: str = ""

    def text(self, kept: int) -> str:
        """Return the block with its first rows, or only the number of rows if none is kept."""
        left = len(self.rows) - kept
        counting = [self.rest(left)] if left else []
        if not kept:
            return "\n".join(counting)
        opening = [self.opening] * bool(self.opening)
        return "\n".join([*opening, *self.rows[:kept], *counting, self.closing]).rstrip("\n")


def characters(text: str) -> int:
    """Count UTF-16 code units, as JavaScript does: an upper bound of any count used by GitHub."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf8_bytes(text: str) -> int:
    """Count bytes in UTF-8."""
    return len(text.encode())


def fit(blocks: Sequence[str | RowBlock], limit: int, size: Callable[[str], int]) -> str:
    """Join blocks, separated by blank lines, to a text of limited size.

    Strings are kept whole. Rows are added in order until one does not fit; the rows of all later
    blocks are only counted.

    Parameters
    ----------
    blocks : sequence of str or RowBlock
        Blocks in reading order, most important first.
    limit : int
        Maximum size of the text.
    size : callable
        Function that returns the size of a text; additive over concatenation.

    Raises
    ------
    ValueError
        If the text does not fit without any rows.
    """
    present = [block for block in blocks if block if isinstance(block, str) or block.rows]
    room = limit - sum(_frame(block, size) for block in present)
    if room < 0:
        raise ValueError(f"a limit of {limit} leaves no room for the text around the rows")
    texts = []
    for block in present:
        if isinstance(block, str):
            texts.append(block)
            continue
        kept, used = _take(block.rows, room, size)
        room = room - used if kept == len(block.rows) else 0
        texts.append(block.text(kept))
    return "\n\n".join(texts) + "\n"


def _frame(block: str | RowBlock, size: Callable[[str], int]) -> int:
    """Return the size of a block without its rows, line ends included."""
    if isinstance(block, str):
        return size(block) + 2
    return size(block.opening + block.closing + block.rest(len(block.rows))) + 8


def _take(rows: Sequence[str], room: int, size: Callable[[str], int]) -> tuple[int, int]:
    used = 0
    for index, row in enumerate(rows):
        cost = size(row) + 1
        if used + cost > room:
            return index, used
        used += cost
    return len(rows), used


_LONGEST_COMMAND = 1200
_LONGEST_NAME = 240
_LONGEST_LINE = 20  # characters of a name next to the change on a phone


def _name(name: Name) -> str:
    """Format a name for a table, on two lines if it is long."""
    whole = code_span(name.label)
    qualifier, member = name_parts(name.text).qualifier, name_parts(name.text).member
    if len(name.label) <= _LONGEST_LINE or not qualifier or len(name.label) > _LONGEST_NAME:
        return whole
    parts = (qualifier, f"{member} {name.details}".strip())
    return "<br>".join(map(code_span, parts))


def _code(code: Code, *, in_table: bool) -> str:
    """Format literal text; a command is not shortened, so that it can be pasted."""
    limit = _LONGEST_COMMAND if code.command else _LONGEST_NAME
    return code_span(code.text, limit=limit, in_table=in_table)


SENTENCE = WordFormat(
    partial(inline, limit=1000),
    partial(_code, in_table=False),
    name=lambda name: code_span(name.label, in_table=False),
    most=3,
)
_CELL = WordFormat(
    partial(inline, limit=500, kept=NO_BREAK),
    partial(_code, in_table=True),
    name=lambda name: code_span(name.label),
    most=3,
)
_NARROW = replace(_CELL, name=_name)


def section_block(section: Section, place: str) -> RowBlock:
    """Return a section as a block; `place` is Markdown that names the location of omitted rows."""
    if section.as_list:
        section = _list(section)
    heading = f"#### {plain(section.title)}"
    if section.folded:
        heading = f"<details><summary>{escape(visible(section.title))}</summary>"
    above = "\n\n".join([heading, *map(SENTENCE, section.intro)]) + "\n"
    return RowBlock(
        f"{above if section.title else ''}{_table_head(section)}".lstrip("\n"),
        tuple(_row(row, section) for row in section.rows),
        partial(_rest, section, place),
        "\n</details>" if section.folded else "",
    )


def _list(section: Section) -> Section:
    """Return a section as a list of the sentences of its rows."""
    rows = tuple(replace(row, cells=(Cell(row.line),)) for row in section.rows)
    return replace(section, rows=rows, columns=())


def _table_head(section: Section) -> str:
    """Return the two lines above a table's rows; empty for a list."""
    columns = [column for _, column in _shown_columns(section)]
    if not columns:
        return ""
    titles = " | ".join(column.title for column in columns)
    alignments = "|".join("--:" if column.kind == "number" else ":--" for column in columns)
    return f"\n| {titles} |\n|{alignments}|"


def _shown_columns(section: Section) -> list[tuple[int, Column]]:
    """Return the visible columns with their indices, the change first: phones cut off the last."""
    left_out = ("detail", "under") if section.folded else ()
    shown = [
        (index, column)
        for index, column in enumerate(section.columns)
        if column.kind != "picture" and column.role not in left_out
    ]
    return sorted(shown, key=lambda place: place[1].role != "lead")


def _row(row: Row, section: Section) -> str:
    if not section.columns:
        return f"- {line_start(SENTENCE(row.cells[0].text))}"
    cells = [_cell(row.cells[index], column, section) for index, column in _shown_columns(section)]
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell, column: Column, section: Section) -> str:
    narrow = not section.folded and column.kind == "name" and _is_one_name(cell.text)
    word_format = _NARROW if narrow else _CELL
    remark = f"{NO_BREAK}{plain(cell.remark)}" if cell.remark else ""
    lines = [word_format(cell.text) + remark]
    if cell.small and (section.detailed or not section.folded):
        lines.append(f"<sub>{_CELL(cell.small)}</sub>")
    return "<br>".join(filter(None, lines))


def _is_one_name(words: Words) -> bool:
    pieces = words if isinstance(words, tuple) else (words,)
    return sum(len(piece.names) for piece in pieces if isinstance(piece, Names)) == 1


def _rest(section: Section, place: str, left: int) -> str:
    noun = section.noun if left == 1 else section.plural
    return f"\n{left:,} more {noun} in {place}."


class Markdown(str):
    """Text that is Markdown and is not escaped; strings derived from it are `str`, and are."""

    __slots__ = ()


def render_template(
    template: str, place: str, limit: int, size: Callable[[str], int], **content: object
) -> str:
    """Render a template, with as many rows of its tables as fit.

    Parameters
    ----------
    template : str
        Name of a file in ``templates``. In it, ``rows(section)`` inserts a section or a `RowBlock`
        as a paragraph. Several blank lines between paragraphs are reduced to one.
    place : str
        Location of rows that do not fit, as Markdown.
    limit : int
        Maximum size of the text.
    size : callable
        Function that returns the size of a text; see `fit`.
    **content
        Variables of the template.

    Returns
    -------
    str
        GitHub Flavored Markdown.
    """
    tables: list[RowBlock] = []

    def rows(part: Section | RowBlock) -> Markdown:
        tables.append(part if isinstance(part, RowBlock) else section_block(part, place))
        return Markdown(f"\0{len(tables) - 1}\0")

    text = _environment().get_template(template).render(content, rows=rows)
    parts = _PLACE.split(_BLANK_LINES.sub("\n\n", text))
    blocks: list[str | RowBlock] = [
        tables[int(part)] if index % 2 else part.strip("\n") for index, part in enumerate(parts)
    ]
    return fit(blocks, limit, size)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # slow to import

    environment = Environment(
        loader=PackageLoader("steady.report"),
        autoescape=False,  # noqa: S701 - for HTML only; `_escaped` escapes Markdown
        finalize=_escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain"] = lambda text, limit=300: Markdown(plain(text, limit=limit))
    environment.filters["unbroken"] = _unbroken
    environment.filters["address"] = web_address
    environment.filters["verbatim"] = Markdown
    return environment


def _escaped(value: object) -> Markdown:
    """Return a value of a template, escaped.

    Raises
    ------
    TypeError
        If it is neither text, words nor a number.
    """
    if isinstance(value, Markdown):
        return value
    if isinstance(value, str | tuple | Code | Names):
        return Markdown(line_start(SENTENCE(value)))
    if isinstance(value, int):
        return Markdown(f"{value:,}")
    raise TypeError(f"a template cannot write {value!r}")


def _unbroken(text: str) -> Markdown:
    """Escape a text, and keep its no-break spaces."""
    return Markdown(line_start(inline(text, limit=500, kept=NO_BREAK).strip()))


def web_address(address: str) -> Markdown:
    """Return a URL for a link.

    Raises
    ------
    InputError
        If it is not a URL.
    """
    if not _URL.fullmatch(address):
        raise InputError(
            f"{address!r} is not the address of a web page; it must begin with https://"
        )
    return Markdown(address)
