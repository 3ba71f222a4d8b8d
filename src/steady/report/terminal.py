"""The comparison on a terminal: what the comment says, plain where nobody sees colours."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from steady.compare import Comparison
from steady.optimize.suite_plan import Plan
from steady.report.content import content
from steady.report.document import Cell, Code, Column, Document, Row, Section, Spelling
from steady.report.terminal_cells import Glyphs, TextStrips, WholeWords, glyphs_for
from steady.text.escape import log_lines, visible
from steady.text.numbers import NO_BREAK

_STYLES = {"worse": "bold red", "better": "bold green", "open": "bold yellow", "same": "bold"}
_ROW_STYLES = {"worse": "red", "better": "green", "open": "", "same": ""}
_MOST_ROWS = 1_000  # of one table or list, the most important first
_NARROW = 100  # columns; in fewer, further figures leave no room for the names
_NARROWER = 60  # in fewer, only the change and the name have room
_NARROWEST = 40
_WITHOUT_TERMINAL = 4000  # columns: a file or a pipe has no width, and searching wants whole lines


def _code(code: Code) -> str:
    return f"`{visible(code.text)}`" if code.command else visible(code.text)


_SENTENCE = Spelling(
    partial(visible, kept=NO_BREAK), _code, name=lambda name: visible(name.label), most=3
)
_CELL = replace(_SENTENCE, text=visible)  # not broken anyway, and easily searched for


def terminal(
    comparison: Comparison,
    plan: Plan | None = None,
    *,
    width: int = 100,
    color: bool = False,
    glyphs: Glyphs | None = None,
) -> str:
    """Write a comparison as text for a terminal.

    Parameters
    ----------
    comparison, plan
        As in `steady.report.markdown.comment`.
    width : int
        Columns.
    color : bool
        Whether to use colours; without them the text is plain.
    glyphs : Glyphs, optional
        What to draw a strip of each change with; without them there is none.

    Returns
    -------
    str
        No line of it is a command to a runner that reads the log.
    """
    file = io.StringIO()
    console = Console(
        file=file,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )
    strips = None if glyphs is None else TextStrips(comparison, glyphs)
    console.print(_comparison(content(comparison, plan), strips, width))
    lines = (line.rstrip() for line in file.getvalue().splitlines())
    return log_lines("\n".join(lines) + "\n")


def print_comparison(
    comparison: Comparison,
    plan: Plan | None = None,
    console: Console | None = None,
    *,
    strips: bool = False,
) -> None:
    """Print a comparison, as wide and as colourful as the console is; see `terminal`.

    With `strips` each change is drawn, in characters that the console's encoding has.
    """
    console = console or output_console()
    width = max(console.width, _NARROWEST)
    color = console.color_system is not None and not console.no_color
    glyphs = glyphs_for(console.encoding) if strips else None
    text = terminal(comparison, plan, width=width, color=color, glyphs=glyphs)
    console.file.write(text)


def output_console() -> Console:
    """Return the console of standard output; without a terminal it breaks no lines.

    Texts are printed as they are: brackets and colons in them are no markup.
    """
    console = Console(color_system=_colors(), highlight=False, markup=False, emoji=False)
    # With FORCE_COLOR, Rich takes anything for a terminal.
    if not console.file.isatty() and "COLUMNS" not in os.environ:
        console.width = _WITHOUT_TERMINAL
    return console


def _colors() -> Literal["auto", "standard"] | None:
    """Return which colours there are; without any, nothing is bold or dim either."""
    if os.environ.get("NO_COLOR"):
        return None
    return "standard" if os.environ.get("FORCE_COLOR") else "auto"


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: int = 0,
    console: Console | None = None,
) -> None:
    """Print rows of plain text under the names of their columns, the first `numbers` numeric."""
    headings = (
        Column(title, "number" if index < numbers else "text", word=title)
        for index, title in enumerate(columns)
    )
    body = tuple(Row(tuple(map(Cell, row))) for row in rows)
    section = Section("", "row", "rows", body, tuple(headings))
    (console or output_console()).print(_table(section))


def _comparison(document: Document, strips: TextStrips | None, width: int) -> RenderableType:
    title = Text(document.headline.capitalize(), _STYLES[document.tone])
    closing = (*document.known, document.cost, document.names, _headings(document, width))
    parts: list[RenderableType] = [
        Text.assemble(title, ". ", _SENTENCE(document.verdict)),
        *(Text(warning, "bold") for warning in document.warnings),
        *(part for section in document.sections for part in _section(section, strips, width)),
        Text(""),
        *(Text(_SENTENCE(words)) for words in closing if words),
        Text(_SENTENCE(document.method), "dim"),
    ]
    return Group(*parts)


def _headings(document: Document, width: int) -> str:
    """Say what the headings of the tables mean, and the score beside a value."""
    tables = [s for s in document.sections if s.rows and not s.page_only]
    columns = {column.key: column.title for table in tables for column in table.columns}
    cells = (cell for table in tables for row in table.rows for cell in row.cells)
    meanings = (
        f"Runs: {columns.get('runs', '').lower()}." * ("runs" in columns and width >= _NARROW),
        "Detectable: the smallest change that these results could show."
        * ("detectable" in columns),
        "Score: the harness's own mean." * any(cell.aside for cell in cells),
    )
    return " ".join(filter(None, meanings)) if width >= _NARROWER else ""


def _section(section: Section, strips: TextStrips | None, width: int) -> Iterable[RenderableType]:
    if section.page_only or not section.rows:
        return
    yield Text(f"\n{section.title}", "bold")
    yield from (Text(_SENTENCE(words)) for words in section.intro)
    shown = replace(section, rows=section.rows[:_MOST_ROWS])
    if section.rows[0].line or not any(c.kind == "number" for c in section.columns):
        yield from (Padding(Text(_line(row)), (0, 0, 0, 2)) for row in shown.rows)
    else:
        drawn = strips if any(c.key == "plot" for c in section.columns) else None
        yield _table(_narrowed(shown, width), drawn)
    if left := len(section.rows) - len(shown.rows):
        yield Text(f"{left:,} more: `--output json` has them all")


def _line(row: Row) -> str:
    """Return a row as a sentence."""
    if row.line:
        return _SENTENCE(row.line)
    first, *others = (_SENTENCE(cell.text) for cell in row.cells)
    return ": ".join(filter(None, (first, ", ".join(others))))


def _table(section: Section, strips: TextStrips | None = None) -> Table:
    """Draw a table: numbers first, so that they stand below each other, however long a name is.

    A strip, where there is one, follows the numbers.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim")
    chosen = [index for index, c in enumerate(section.columns) if c.kind != "picture"]
    chosen.sort(key=lambda index: _place(section.columns[index]))
    last_number = max((i for i in chosen if section.columns[i].kind == "number"), default=-1)
    for index in chosen:
        column = section.columns[index]
        number = column.kind == "number"
        justify: Literal["right", "left"] = "right" if number else "left"
        table.add_column(column.key, justify=justify, overflow="fold", no_wrap=number)
        if strips is not None and index == last_number:
            table.add_column(strips.heading, no_wrap=True)
    drawn = {} if strips is None else strips.strips()
    for row in section.rows:
        cells = [_cell(section, row, index) for index in chosen]
        if strips is not None:
            cells.insert(chosen.index(last_number) + 1, Text(drawn.get(row.identities[0], "")))
        table.add_row(*cells)
    return table


def _narrowed(section: Section, width: int) -> Section:
    """Leave out the intervals of each side, and in a narrow terminal what it has no room for.

    The interval of the change is what counts. Those of base and head may overlap all the same.
    """
    wide = width >= _NARROW
    kept = [i for i, column in enumerate(section.columns) if wide or _has_room(column, width)]
    details = [i for i in kept if section.columns[i].role == "detail"]
    rows = []
    for row in section.rows:
        cells = dict(enumerate(row.cells))
        for i in details:
            cells[i] = replace(cells[i], small="", aside=cells[i].aside if wide else "")
        rows.append(replace(row, cells=tuple(cells[index] for index in kept)))
    columns = tuple(section.columns[index] for index in kept)
    return replace(section, rows=tuple(rows), columns=columns)


def _has_room(column: Column, width: int) -> bool:
    if width >= _NARROWER:
        return column.role != "under"
    return column.kind != "number" or column.role == "lead"


def _place(column: Column) -> tuple[bool, bool]:
    return column.kind != "number", column.role != "lead"


def _cell(section: Section, row: Row, index: int) -> RenderableType:
    """Return a cell; its small print only where the table is not folded in other outputs."""
    column, cell = section.columns[index], row.cells[index]
    text = _CELL(cell.text)
    if column.kind != "number":
        return WholeWords(text)
    first = f"{text} ({cell.remark})" if cell.remark else text
    below = () if section.folded else (visible(cell.small), cell.aside)
    style = _ROW_STYLES[section.tone] if column.role == "lead" else ""
    return Text("\n".join(filter(None, (first, *below))), style)
