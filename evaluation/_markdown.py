"""Sections of the document as data, and their rendering as Markdown."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

WIDTH = 120


class Number(str):
    """A formatted number that keeps its value.

    Parameters
    ----------
    value : float
        Not NaN.
    digits : int
        Number of decimals.
    unit : str
        Suffix of the number.
    """

    value: float
    """The rounded value."""
    _how: tuple[int, str]

    def __new__(cls, value: float, digits: int = 0, unit: str = "") -> Number:
        """Round the value; zero has no sign."""
        rounded = round(value, digits) + 0.0
        shown = super().__new__(cls, f"{rounded:.{digits}f}{unit}")
        shown.value, shown._how = rounded, (digits, unit)
        return shown

    def __getnewargs__(self) -> tuple[float, int, str]:  # type: ignore[override]
        """Return the arguments for unpickling."""
        return self.value, *self._how


Cell: TypeAlias = str | tuple[str, str]
"""A text, or two texts side by side."""


@dataclass(frozen=True)
class Table:
    """A table whose first columns are text and whose others are numbers.

    Parameters
    ----------
    header : sequence of str
        Titles of the columns.
    rows : sequence of sequence of str or of two of them
        Their cells.
    texts : int
        How many columns are text.
    grouped : bool
        Whether a first cell that repeats the one above it is left empty.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    texts: int = 1
    grouped: bool = False

    def __str__(self) -> str:
        """Return the table as Markdown."""
        rules = [*["---"] * self.texts, *["--:"] * (len(self.header) - self.texts)]
        lines = [self.header, rules]
        above: Cell = ""
        for row in self.rows:
            first = "" if self.grouped and row[0] == above else row[0]
            above = row[0]
            lines.append(
                [one if isinstance(one, str) else " / ".join(one) for one in (first, *row[1:])]
            )
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)


Section: TypeAlias = Sequence[str | Table]
"""Paragraphs, titles and tables of one part of the document."""


def cell(section: Section, row: Sequence[str], column: str, part: int = 0) -> Cell:
    """Return a cell of a table in a section.

    Parameters
    ----------
    section : sequence of str or Table
        Section to search.
    row : sequence of str
        First cells of the row.
    column : str
        Title of the column.
    part : int
        Index among the tables with such a row and column.

    Raises
    ------
    LookupError
        If there is no such cell.
    """
    tables = [one for one in section if isinstance(one, Table) and column in one.header]
    found = [
        cells[table.header.index(column)]
        for table in tables
        for cells in table.rows
        if tuple(cells[: len(row)]) == tuple(row)
    ]
    if len(found) <= part:
        raise LookupError(f"no table number {part} with row {row} and column {column!r}")
    return found[part]


def render(section: Section) -> str:
    """Return a section as Markdown."""
    return "\n\n".join(map(str, section)).strip()


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose first column is text and whose others are numbers."""
    return str(Table(header, list(rows)))


def paragraph(text: str) -> str:
    """Wrap a text at the line length of the documents."""
    words = " ".join(text.split())
    return textwrap.fill(words, WIDTH, break_long_words=False, break_on_hyphens=False)


def percent(share: float, digits: int = 0) -> str:
    """Format a fraction as a percentage."""
    return number(100 * share, digits)


def number(value: float, digits: int = 2) -> str:
    """Format a number without a sign on zero, or a dash for NaN."""
    return "–" if math.isnan(value) else Number(value, digits)
