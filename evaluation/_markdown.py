"""Sections of the document as data, and how they are written as Markdown."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

WIDTH = 120


class Number(str):
    """A number as the document shows it, which still knows its value.

    Parameters
    ----------
    value : float
        Not NaN.
    digits : int
        Behind the point.
    unit : str
        What follows the number.
    """

    value: float
    """Rounded, as it is shown."""
    _how: tuple[int, str]

    def __new__(cls, value: float, digits: int = 0, unit: str = "") -> Number:
        """Round the value; zero has no sign."""
        rounded = round(value, digits) + 0.0
        shown = super().__new__(cls, f"{rounded:.{digits}f}{unit}")
        shown.value, shown._how = rounded, (digits, unit)
        return shown

    def __getnewargs__(self) -> tuple[float, int, str]:  # type: ignore[override]
        """Return what a copy in another process is made of."""
        return self.value, *self._how


Cell: TypeAlias = str | tuple[str, str]
"""A text, or two that stand beside each other."""


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
    """Return what stands in a table of the section.

    Parameters
    ----------
    section : sequence of str or Table
        Where to look.
    row : sequence of str
        What the row's first cells hold.
    column : str
        Title of the column.
    part : int
        Which of the tables that hold such a row and column, counted from 0.

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
    """Return the words of a source text in lines as long as the other documents'."""
    words = " ".join(text.split())
    return textwrap.fill(words, WIDTH, break_long_words=False, break_on_hyphens=False)


def percent(share: float, digits: int = 0) -> str:
    """Return a share in per cent."""
    return number(100 * share, digits)


def number(value: float, digits: int = 2) -> str:
    """Return a number without a sign on zero; a dash where it is not a number."""
    return "–" if math.isnan(value) else Number(value, digits)
