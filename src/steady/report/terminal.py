"""The report on a terminal: the content of the comment, as plain or coloured text."""

import io
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from steady.report.document import METHOD_PAGE, Cell, Column, Document, Row, Section, Words
from steady.report.terminal_table import SENTENCE, Layout
from steady.report.verdict import tone
from steady.text.escape import log_text
from steady.text.numbers import NO_BREAK

_STYLES = {"worse": "bold red", "better": "bold green", "open": "bold yellow", "same": "bold"}
_MOST_ROWS = 1_000  # maximum of a table or list
_NARROWEST = 40
_WITHOUT_TERMINAL = 4000  # columns; lines in files and pipes are not wrapped, for searching
_UNBROKEN = "\ue000"  # placeholder for the no-break space, at which Rich would break lines


def terminal(document: Document, *, width: int = 100, color: bool = False) -> str:
    """Return a report as text for a terminal.

    Parameters
    ----------
    document : Document
        The report.
    width : int
        Number of columns.
    color : bool
        Whether to use colours; otherwise, the text is plain.

    Returns
    -------
    str
        Text without lines that a runner would interpret as workflow commands.
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
    console.print(_drawn(document, width), crop=False)
    written = file.getvalue().replace(_UNBROKEN, NO_BREAK)
    lines = (line.rstrip() for line in written.splitlines())
    return log_text("\n".join(lines) + "\n")


def print_report(document: Document, console: Console | None = None) -> None:
    """Print a report with the width and colours of the console; see `terminal`."""
    console = console or output_console()
    width = max(console.width, _NARROWEST)
    color = console.color_system is not None and not console.no_color
    console.file.write(terminal(document, width=width, color=color))


def output_console() -> Console:
    """Return the console of standard output, which wraps lines only on a terminal.

    Brackets and colons in texts are not interpreted as markup.
    """
    console = Console(color_system=_colors(), highlight=False, markup=False, emoji=False)
    # If FORCE_COLOR is set, Rich treats any file as a terminal.
    if not console.file.isatty() and "COLUMNS" not in os.environ:
        console.width = _WITHOUT_TERMINAL
    return console


def _colors() -> Literal["auto", "standard"] | None:
    """Return the color system; None also disables bold and dim text."""
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
    """Print rows of plain text with column headings; the first `numbers` columns are numeric."""
    kinds: Sequence[Literal["number", "name", "text"]] = ("name", "text")
    headings = (
        Column(title, "number" if index < numbers else kinds[index > numbers], word=title)
        for index, title in enumerate(columns)
    )
    body = tuple(Row(tuple(map(Cell, row))) for row in rows)
    section = Section("", "row", "rows", body, tuple(headings))
    console = console or output_console()
    console.print(Layout.of(section, console.width, whole=True).drawn(), crop=False)


def _text(words: Words, style: str = "") -> Text:
    return Text(SENTENCE(words).replace(NO_BREAK, _UNBROKEN), style)


@dataclass(frozen=True, slots=True)
class _Part:
    """The visible part of a section: its first rows, and the layout of its table.

    The layout of a list is None. `total` is the number of all rows.
    """

    section: Section
    layout: Layout | None
    total: int

    @classmethod
    def of(cls, section: Section, width: int) -> "_Part":
        shown = replace(section, rows=section.rows[:_MOST_ROWS])
        is_list = shown.rows[0].line or all(column.kind != "number" for column in shown.columns)
        return cls(shown, None if is_list else Layout.of(shown, width), len(section.rows))

    def drawn(self) -> Iterable[RenderableType]:
        yield Text(f"\n{self.section.title}", "bold")
        yield from map(_text, self.section.intro)
        if self.layout is None:
            yield from (Padding(_line(row), (0, 0, 0, 2)) for row in self.section.rows)
        else:
            yield self.layout.drawn()
        if left := self.total - len(self.section.rows):
            yield Text(f"{left:,} more: use `--output json` to list all")


def _drawn(document: Document, width: int) -> RenderableType:
    shown = [_Part.of(s, width) for s in document.sections if s.rows and not s.page_only]
    title = _text(f"{document.line}.", _STYLES[tone(document.summary)])
    headings = _headings([part.layout for part in shown if part.layout is not None])
    closing = (*document.sentences, document.cost, document.names, headings)
    parts: list[RenderableType] = [
        Text.assemble(title, " ", _text(document.others)),
        *(Text(warning, "bold") for warning in document.warnings),
        *(drawn for part in shown for drawn in part.drawn()),
        Text(""),
        *(_text(words) for words in closing if words),
        _text(f"{document.method} Method and rates of error: {METHOD_PAGE}.", "dim"),
    ]
    return Group(*parts)


def _headings(tables: Sequence[Layout]) -> str:
    """Return explanations of the headings in the tables, and of the score next to a value."""
    columns = {column.key: column.title for table in tables for column in table.section.columns}
    keys = frozenset[str]().union(*(table.keys for table in tables))
    cells = (cell for table in tables for row in table.section.rows for cell in row.cells)
    meanings = (
        f"Runs: {columns.get('runs', '').lower()}." * ("runs" in keys),
        "Detectable: the smallest change that these results can show." * ("detectable" in columns),
        "Score: the harness's own mean." * any(cell.aside for cell in cells),
    )
    return " ".join(filter(None, meanings))


def _line(row: Row) -> Text:
    """Return a row as a sentence."""
    if row.line:
        return _text(row.line)
    first, *others = (SENTENCE(cell.text) for cell in row.cells)
    return _text(": ".join(filter(None, (first, ", ".join(others)))))
