"""A table on a terminal, the name first, with as many columns as fit.

A name that fits on two lines is broken only between words, and no number is truncated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from steady.report.document import Code, Row, Section, Tone, WordFormat
from steady.text.escape import visible
from steady.text.numbers import NO_BREAK

_ROW_STYLES: dict[Tone, str] = {"worse": "red", "better": "green", "open": "", "same": ""}
_BETWEEN = 3  # columns between two cells with `rich.box.SIMPLE_HEAD`
_EDGES = 2
_TEXT = 24  # columns; longer texts other than names are wrapped to this width
_LESS = ("runs", "detectable", "base", "head")
_FEWER = ((), _LESS[:1], _LESS[:2], _LESS)
"""Keys of the columns to omit, tried in this order until the table fits."""

_WORDS = re.compile(r"[^\s./,_]*[./,_]?[ ]?|\s")


def code(piece: Code) -> str:
    """Return literal text, and a command in backticks."""
    return f"`{visible(piece.text)}`" if piece.command else visible(piece.text)


SENTENCE = WordFormat(
    partial(visible, kept=NO_BREAK), code, name=lambda name: visible(name.label), most=3
)
_CELL = replace(
    SENTENCE, text=visible
)  # with plain spaces, for searching: these lines are not wrapped


@dataclass(frozen=True)
class Layout:
    """The layout of a section on a terminal: its visible columns.

    Parameters
    ----------
    section : Section
        The table.
    columns : tuple of int
        Indices of the visible columns, the name's first.
    width : int
        Width of the terminal in columns.
    """

    section: Section
    columns: tuple[int, ...]
    width: int

    @classmethod
    def of(cls, section: Section, width: int, *, whole: bool = False) -> Layout:
        """Return the layout with as many columns as fit on a terminal.

        Parameters
        ----------
        section : Section
            The table.
        width : int
            Width of the terminal in columns.
        whole : bool
            Whether to show every column.
        """
        columns = section.columns
        order = sorted(
            (i for i, column in enumerate(columns) if column.kind != "picture"),
            key=lambda i: (columns[i].kind == "number", columns[i].role != "lead"),
        )
        layouts = [
            cls(section, tuple(i for i in order if columns[i].key not in without), width)
            for without in (_FEWER[:1] if whole else _FEWER)
        ]
        return next((layout for layout in layouts if layout.least <= width), layouts[-1])

    @property
    def keys(self) -> frozenset[str]:
        """Keys of the visible columns."""
        return frozenset(self.section.columns[i].key for i in self.columns)

    @cached_property
    def least(self) -> int:
        """Minimum width of the table."""
        needed = (max(map(cell_len, self._lines(i)), default=0) for i in self.columns)
        widths = [
            width if self.section.columns[i].kind == "number" else self._narrowest(i)
            for i, width in zip(self.columns, needed, strict=True)
        ]
        return sum(widths) + _BETWEEN * (len(widths) - 1) + _EDGES

    def _narrowest(self, index: int) -> int:
        column = self.section.columns[index]
        texts = [_CELL(row.cells[index].text) for row in self.section.rows]
        if column.kind == "name":
            return max(map(narrowest, (column.key, *texts)), default=0)
        return min(_TEXT, max(map(cell_len, (column.key, *texts)), default=0))

    def _lines(self, index: int) -> list[str]:
        return [
            self.section.columns[index].key,
            *(line for row in self.section.rows for line in self._cell_lines(row, index)),
        ]

    def _cell_lines(self, row: Row, index: int) -> list[str]:
        """Return the lines of a cell, with its small print unless the table is folded.

        The intervals of base and head are omitted: they can overlap although the change is clear.
        """
        cell, column = row.cells[index], self.section.columns[index]
        first = f"{_CELL(cell.text)} ({cell.remark})" if cell.remark else _CELL(cell.text)
        detail = column.role == "detail"
        folded = self.section.folded and not self.section.detailed
        small = "" if folded or detail else visible(cell.small)
        return [*filter(None, (first, small, "" if folded else cell.aside))]

    def drawn(self) -> Table:
        """Return the table; lines overflow if the terminal is narrower than its minimum width."""
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim")
        table.width = self.least if self.least > self.width else None
        for index in self.columns:
            column = self.section.columns[index]
            number = column.kind == "number"
            table.add_column(
                column.key,
                justify="right" if number else "left",
                overflow="fold",
                no_wrap=number,
                min_width=None if number else self._narrowest(index),
            )
        for row in self.section.rows:
            table.add_row(*(self._cell(row, index) for index in self.columns))
        return table

    def _cell(self, row: Row, index: int) -> RenderableType:
        column = self.section.columns[index]
        if column.kind != "number":
            return WholeWords(_CELL(row.cells[index].text))
        style = _ROW_STYLES[self.section.tone] if column.role == "lead" else ""
        return Text("\n".join(self._cell_lines(row, index)), style)


class WholeWords:
    """Text that is broken inside a word only if the word is wider than the column.

    Parameters
    ----------
    text : str
        Plain text on one line.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Return the widths of the longest word and of the whole text."""
        longest = max((cell_len(word) for word in _words(self._text)), default=0)
        return Measurement(longest, cell_len(self._text)).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the wrapped lines."""
        for line in _lines(self._text, options.max_width):
            yield Text(line, overflow="fold", no_wrap=cell_len(line) <= options.max_width)


def narrowest(text: str) -> int:
    """Return the minimum width at which a text fits on two lines, broken between words.

    >>> narrowest("NumericBenchmark.editDistance"), narrowest("a"), narrowest("")
    (17, 1, 0)
    """
    words = _words(text)
    ends = list(accumulate(map(cell_len, words)))
    spaces = (len(word) - len(word.rstrip()) for word in words)  # removed at the end of a line
    return min(
        (max(end - space, ends[-1] - end) for end, space in zip(ends, spaces, strict=True)),
        default=0,
    )


def _words(text: str) -> list[str]:
    return [word for word in _WORDS.findall(text) if word]


def _lines(text: str, width: int) -> Iterator[str]:
    line = ""
    for word in _words(text):
        if line and cell_len(line) + cell_len(word.rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += word
    yield line.rstrip()
