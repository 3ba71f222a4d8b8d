"""A table on a terminal, the name first: in columns, or as a block for each row where it is narrow.

No name is dropped or broken inside a word where it fits on two lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from rich import box
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from steady.report.document import AT_MOST, Code, Row, Section, Spelling, Tone
from steady.report.whole_words import WholeWords, narrowest
from steady.text.escape import visible
from steady.text.numbers import NO_BREAK

_ROW_STYLES: dict[Tone, str] = {"worse": "red", "better": "green", "open": "", "same": ""}
_NARROWEST = 80  # columns of a terminal; in fewer, each row is a block
_BETWEEN = 3  # columns, which `rich.box.SIMPLE_HEAD` puts between two cells
_EDGES = 2
_TEXT = 24  # columns; a longer text that is no name is wrapped to as many
_INDENT = 2
_LESS = ("runs", "detectable", AT_MOST)
_FEWER = ((), _LESS[:1], _LESS)
"""Keys of columns that a table does without, one choice after the other, until it fits."""


def code(piece: Code) -> str:
    """Write code as it is; a command, which is there to be pasted, in backticks."""
    return f"`{visible(piece.text)}`" if piece.command else visible(piece.text)


SENTENCE = Spelling(
    partial(visible, kept=NO_BREAK), code, name=lambda name: visible(name.label), most=3
)
_CELL = replace(SENTENCE, text=visible)  # not broken anyway, and easily searched for


@dataclass(frozen=True)
class Layout:
    """The layout of a section on a terminal: which columns it shows, and how.

    Parameters
    ----------
    section : Section
        The table.
    columns : tuple of int
        Their places in the section, the name's first.
    in_columns : bool
        Whether they stand side by side; otherwise each row is a block.
    width : int
        Columns of the terminal.
    whole : bool
        Whether a block has all numbers, on as many lines as they need.
    """

    section: Section
    columns: tuple[int, ...]
    in_columns: bool
    width: int
    whole: bool = False

    @classmethod
    def of(cls, section: Section, width: int, *, whole: bool = False) -> Layout:
        """Choose what fits a terminal.

        Parameters
        ----------
        section : Section
            The table.
        width : int
            Columns of the terminal.
        whole : bool
            Whether every number is shown.
        """
        columns = section.columns
        order = sorted(
            (i for i, column in enumerate(columns) if column.kind != "picture"),
            key=lambda i: (columns[i].kind == "number", columns[i].role != "lead"),
        )
        if width >= _NARROWEST:
            for without in _FEWER[:1] if whole else _FEWER:
                kept = tuple(i for i in order if columns[i].key not in without)
                layout = cls(section, kept, True, width)
                if layout._least() <= width:
                    return layout
        return cls(section, tuple(order), False, width, whole)

    @property
    def keys(self) -> frozenset[str]:
        """The headings that a reader sees."""
        shown = (self.section.columns[i] for i in self.columns)
        return frozenset(column.key for column in shown) if self.in_columns else frozenset()

    def _least(self) -> int:
        """Return the columns that a table takes at the least."""
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
        """Return what a cell says, and its small print where there is room and need for it.

        The interval of the change is what counts. Those of base and head may overlap all the same.
        """
        cell, column = row.cells[index], self.section.columns[index]
        first = f"{_CELL(cell.text)} ({cell.remark})" if cell.remark else _CELL(cell.text)
        detail = column.role == "detail"
        folded = self.section.folded and not self.section.detailed
        small = "" if folded or detail else visible(cell.small)
        return [*filter(None, (first, small, "" if folded else cell.aside))]

    def drawn(self) -> RenderableType:
        """Return the table."""
        return self._table() if self.in_columns else self._blocks()

    def _table(self) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim")
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

    def _blocks(self) -> Group:
        """Return a block for each row: the name, and below it the numbers for which there is room.

        Texts have as much room as they need.
        """
        parts: list[RenderableType] = []
        for row in self.section.rows:
            name, *others = self.columns
            parts.append(WholeWords(_CELL(row.cells[name].text)))
            style = _ROW_STYLES[self.section.tone]
            below = [Text(line, style) for line in self._numbers(row)]
            below += [
                Text(f"{self.section.columns[i].key}: {_CELL(row.cells[i].text)}")
                for i in others
                if self.section.columns[i].kind != "number"
            ]
            parts += [Padding(line, (0, 0, 0, _INDENT)) for line in below if line.plain]
        return Group(*parts)

    def _numbers(self, row: Row) -> list[str]:
        """Return the line of a row's numbers, the change before all others; or all lines."""
        columns = self.section.columns
        numbers = [i for i in self.columns if columns[i].kind == "number"]
        numbers.sort(key=lambda i: columns[i].key == "runs")
        sides = [] if self.whole else [i for i in numbers if columns[i].key in ("base", "head")]
        texts: list[str] = []
        for index in numbers:
            cell = row.cells[index]
            if index in sides:
                texts += [_side_by_side([_CELL(row.cells[i].text) for i in sides])] * (
                    index == sides[0]
                )
            elif columns[index].role == "lead":
                texts += [line for line in self._cell_lines(row, index) if line]
            else:
                texts.append(f"{columns[index].key} {_CELL(cell.text)}")
        lines = _packed(texts, self.width - _INDENT)
        return lines if self.whole else lines[:1]


def _packed(texts: Sequence[str], width: int) -> list[str]:
    """Put texts on lines, as many on each as there is room for."""
    lines: list[str] = []
    for text in texts:
        if lines and cell_len(lines[-1]) + _INDENT + cell_len(text) <= width:
            lines[-1] += " " * _INDENT + text
        else:
            lines.append(text)
    return lines


def _side_by_side(texts: Sequence[str]) -> str:
    """Write numbers from base to head, with their unit once where it is the same.

    >>> _side_by_side(["110.3 us/op", "157.1 us/op"]), _side_by_side(["999 B", "1 KB"])
    ('110.3 → 157.1 us/op', '999 B → 1 KB')
    """
    parted = [text.partition(" ") for text in texts]
    same = all(a[1:] == b[1:] for a, b in pairwise(parted))
    shown = [number for number, *_ in parted] if same else list(texts)
    unit = "".join(parted[0][1:]) if same and parted else ""
    return " → ".join(shown) + unit
