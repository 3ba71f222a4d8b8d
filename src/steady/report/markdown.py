"""The pull request's comment: what changed, then what to do about it, and the rest folded."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape

from steady.errors import InputError
from steady.model import name_parts
from steady.patterns import SUITE_KEY
from steady.report.document import (
    METHOD_PAGE,
    Cell,
    Code,
    Column,
    Document,
    Name,
    Names,
    Piece,
    Row,
    Section,
    Spelling,
    Words,
)
from steady.text.escape import code_span, inline, line_start, plain, visible
from steady.text.numbers import NO_BREAK


@dataclass(frozen=True, slots=True)
class RowBlock:
    """A part of a text that may be shortened.

    Parameters
    ----------
    opening, closing : str
        What stands before and after the rows: a heading and a table's head, a closing tag.
    rows : tuple of str
        One line each, most important first.
    rest : callable
        Given how many rows are left out, the line that says so, markup included.
    """

    opening: str
    rows: tuple[str, ...]
    rest: Callable[[int], str]
    closing: str = ""

    def text(self, kept: int) -> str:
        """Return the block with its first rows; without any row only the line that counts."""
        left = len(self.rows) - kept
        counting = [self.rest(left)] if left else []
        if not kept:
            return "\n".join(counting)
        opening = [self.opening] * bool(self.opening)
        return "\n".join([*opening, *self.rows[:kept], *counting, self.closing]).rstrip("\n")


def characters(text: str) -> int:
    """Count as JavaScript does: no count of characters that GitHub may use gives more."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf8_bytes(text: str) -> int:
    """Count bytes."""
    return len(text.encode())


def fit(blocks: Sequence[str | RowBlock], limit: int, size: Callable[[str], int]) -> str:
    """Join blocks, a blank line between them, to a text of at most `limit`.

    Strings stand as they are. The rows of the others are taken in order until one does not fit;
    from there on every block only says how many rows it had.

    Parameters
    ----------
    blocks : sequence of str or RowBlock
        In the order in which they are read, which is that of their importance.
    limit : int
        Largest size of the whole.
    size : callable
        Measures a text; additive over concatenation.

    Raises
    ------
    ValueError
        If not even the text without any row fits.
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
    """Return what a block takes beside its rows, line ends included."""
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


COMMENT_LIMIT = 65_536
"""Characters that GitHub takes as a comment's body."""

_LONGEST_COMMAND = 1200
_ROOM_TO_POST = 512  # for what is put before the text when it is posted: what was wrong before

_URL = re.compile(r"https?://[^\s<>()\[\]`\"]+")

_LONGEST_NAME = 240
_MOST_AT_A_GLANCE = 20
_LONGEST_LINE = 20  # characters of a name; a telephone has no room for more beside the change

DEFAULT_TITLE = "Benchmarks"
"""What a suite is called that has no name; a heading leaves it out."""


def _name(name: Name) -> str:
    """Write a name in a table, on two lines where one is too long."""
    whole = code_span(name.label)
    qualifier, member = name_parts(name.text).qualifier, name_parts(name.text).member
    if len(name.label) <= _LONGEST_LINE or not qualifier or len(name.label) > _LONGEST_NAME:
        return whole
    parts = (qualifier, f"{member} {name.details}".strip())
    return "<br>".join(map(code_span, parts))


def _code(code: Code, *, in_table: bool) -> str:
    """Write code; a command is whole, since it is there to be pasted."""
    limit = _LONGEST_COMMAND if code.command else _LONGEST_NAME
    return code_span(code.text, limit=limit, in_table=in_table)


_SENTENCE = Spelling(
    partial(inline, limit=1000),
    partial(_code, in_table=False),
    name=lambda name: code_span(name.label, in_table=False),
    most=3,
)
_CELL = Spelling(
    partial(inline, limit=500, kept=NO_BREAK),
    partial(_code, in_table=True),
    name=lambda name: code_span(name.label),
    most=3,
)
_NARROW = replace(_CELL, name=_name)


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
    document: Document,
    *,
    key: str = "default",
    report_url: str | None = None,
    accept: Sequence[str] = (),
    limit: int = COMMENT_LIMIT - _ROOM_TO_POST,
) -> str:
    """Write a report as the body of a comment.

    Parameters
    ----------
    document : Document
        The report.
    key : str
        Tells this comment from those of other suites on the same pull request.
    report_url : str, optional
        Where the whole report stands.
    accept : sequence of str
        Lines that accept what became worse, where comments are read; to be pasted as they are.
    limit : int
        Most characters; rows that do not fit are counted, from the least important end.

    Returns
    -------
    str
        GitHub Flavored Markdown; the same report gives the same text.

    Raises
    ------
    InputError
        If the key or the address cannot be used.
    """
    link = "" if report_url is None else f"[report]({_url(report_url)})"
    head = marker(key)
    parts = blocks(document, f"the {link}" if link else "the job summary", link, accept)
    body = fit(parts, limit - characters(head) - 1, characters)
    return f"{head}\n{body}"


SUMMARY_LIMIT = 1_048_576
"""Bytes of one step's summary; GitHub drops a longer one whole."""


def summary(document: Document) -> str:
    """Write a report as a job summary of at most `SUMMARY_LIMIT` bytes.

    Rows that do not fit are counted, from the least important end.

    Returns
    -------
    str
        GitHub Flavored Markdown; the same report gives the same text.
    """
    return fit(blocks(document, "the report"), SUMMARY_LIMIT, utf8_bytes)


def blocks(
    document: Document, place: str, link: str = "", accept: Sequence[str] = ()
) -> list[str | RowBlock]:
    """Return the parts of the comment and of the job summary, most important first.

    `place` is where rows that do not fit are found, `link` leads to the whole report; both are
    Markdown. `accept` are the lines that accept what became worse.
    """
    brief = document.brief
    sections = [s for s in document.sections if not (s.page_only or s.is_lead)]
    tables = [*([] if brief.lead is None else _first_rows(brief.lead)), *sections]
    measured = line_start(inline(brief.facts, limit=500, kept=NO_BREAK).strip())
    facts = " · ".join(filter(None, (measured, link)))
    known = _SENTENCE(tuple(_spaced((brief.others, *document.known))))
    warnings = [f"> {plain(warning)}" for warning in document.warnings]
    about = [plain(text, limit=1000) for text in (document.cost, document.names) if text]
    method = [*about, f"<sub>{_method(document)}</sub>"]
    folded = [section_block(section, place) for section in tables if section.folded]
    advice = _SENTENCE(brief.advice)
    lost = [] if brief.lost is None else [section_block(brief.lost, place)]
    above: list[str | RowBlock] = [
        f"### {brief.mark} {_heading(document)}",
        "\n".join(["> [!WARNING]", *warnings]) if warnings else "",
        *(lost if brief.lost_first else ()),
        f"**To do:** {advice}" if advice else "",
    ]
    shown: list[str | RowBlock] = [
        section_block(section, place) for section in tables if not section.folded
    ]
    shown[1:1] = [_accepting(accept), *(() if brief.lost_first else lost)]
    if brief.calm:
        details = [_fold("Details"), facts, line_start(known)]
        return [*above, *shown, *details, *folded, *method, "</details>"]
    above += [facts]
    end = [_fold("How this was measured"), *method, "</details>"]
    return [*above, *shown, line_start(known), *folded, *end]


def _method(document: Document) -> str:
    """Say how it was decided; the page that says more is a link where its address is known."""
    text, page = plain(document.method, limit=1000), plain(METHOD_PAGE)
    if not document.pages:
        return text
    return text.replace(page, f"[{page}]({_url(f'{document.pages}/methods-compare.md')})")


def _first_rows(section: Section) -> list[Section]:
    """Fold the rows of a table that nobody reads at a glance."""
    left = section.rows[_MOST_AT_A_GLANCE:]
    if section.folded or not left:
        return [section]
    first = replace(section, rows=section.rows[:_MOST_AT_A_GLANCE])
    title = f"{len(left):,} more {section.noun if len(left) == 1 else section.plural}"
    return [first, replace(section, title=title, rows=left, folded=True)]


def _heading(document: Document) -> str:
    title = "" if document.title == DEFAULT_TITLE else f"{plain(document.title)} · "
    return f"{title}{plain(document.brief.line)}"


def _spaced(sentences: Sequence[Words]) -> Iterator[Piece]:
    """Return the pieces of sentences with a space between any two of them."""
    first = True
    for words in filter(None, sentences):
        yield from ([] if first else [" "])
        yield from words if isinstance(words, tuple) else (words,)
        first = False


def _fold(title: str) -> str:
    return f"<details><summary>{title}</summary>"


def _accepting(accept: Sequence[str]) -> str:
    """Say how a maintainer accepts what became worse, below what it is that became worse."""
    if not accept:
        return ""
    has_bound = any(" --bound " in line for line in accept)
    bound = "`--bound`: the largest change you accept"
    if len(accept) == 1:
        line = code_span(accept[0], limit=_LONGEST_COMMAND, in_table=False)
        said = f"**Meant? Accept it with this comment, and run the job again:** {line}"
        return f"{said} ({bound})" if has_bound else said
    lines = "\n".join(["~~~~~~", *accept, "~~~~~~"])
    title = _fold("Meant? Accept them with such comments, one per line, and run the job again")
    return "\n\n".join(filter(None, (title, f"{bound}." * has_bound, lines, "</details>")))


def section_block(section: Section, place: str) -> RowBlock:
    """Return a section of which rows may be left out; they are found in `place`, as Markdown."""
    if section.as_list:
        section = _list(section)
    heading = f"#### {plain(section.title)}"
    if section.folded:
        heading = _fold(escape(visible(section.title)))
    above = "\n\n".join([heading, *map(_SENTENCE, section.intro)]) + "\n"
    return RowBlock(
        f"{above if section.title else ''}{_table_head(section)}".lstrip("\n"),
        tuple(_row(row, section) for row in section.rows),
        partial(_rest, section, place),
        "\n</details>" if section.folded else "",
    )


def _list(section: Section) -> Section:
    """Return a section without columns, each row as a sentence."""
    rows = tuple(replace(row, cells=(Cell(row.line),)) for row in section.rows)
    return replace(section, rows=rows, columns=())


def _table_head(section: Section) -> str:
    """Return the two lines above a table's rows; none for a list."""
    columns = [column for _, column in _shown_columns(section)]
    if not columns:
        return ""
    titles = " | ".join(column.title for column in columns)
    alignments = "|".join("--:" if column.kind == "number" else ":--" for column in columns)
    return f"\n| {titles} |\n|{alignments}|"


def _shown_columns(section: Section) -> list[tuple[int, Column]]:
    """Return where each column is in the tree, the change first: a telephone cuts off the last."""
    left_out = ("detail", "under") if section.folded else ()
    shown = [
        (index, column)
        for index, column in enumerate(section.columns)
        if column.kind != "picture" and column.role not in left_out
    ]
    return sorted(shown, key=lambda place: place[1].role != "lead")


def _row(row: Row, section: Section) -> str:
    if not section.columns:
        return f"- {line_start(_SENTENCE(row.cells[0].text))}"
    cells = [_cell(row.cells[index], column, section) for index, column in _shown_columns(section)]
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell, column: Column, section: Section) -> str:
    narrow = not section.folded and column.kind == "name" and _is_one_name(cell.text)
    spelling = _NARROW if narrow else _CELL
    remark = f"{NO_BREAK}{plain(cell.remark)}" if cell.remark else ""
    lines = [spelling(cell.text) + remark]
    if cell.small and (section.detailed or not section.folded):
        lines.append(f"<sub>{_CELL(cell.small)}</sub>")
    return "<br>".join(filter(None, lines))


def _is_one_name(words: Words) -> bool:
    pieces = words if isinstance(words, tuple) else (words,)
    return sum(len(piece.names) for piece in pieces if isinstance(piece, Names)) == 1


def _rest(section: Section, place: str, left: int) -> str:
    noun = section.noun if left == 1 else section.plural
    return f"\n{left:,} more {noun} in {place}."


def _url(address: str) -> str:
    if not _URL.fullmatch(address):
        raise InputError(
            f"{address!r} is not the address of a web page; it must begin with https://"
        )
    return address
