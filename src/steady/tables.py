"""Export of results as tables: data frames of pandas, CSV, and HTML for notebooks."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from steady.errors import MissingToolError
from steady.text.escape import shorten, visible

if TYPE_CHECKING:  # of an extra, or slow to import
    import numpy as np
    import numpy.typing as npt
    import pandas


MOST_ROWS = 20
"""Maximum number of rows of an HTML table; a line below the table counts the others."""

LONGEST_CELL = 120
"""Maximum number of characters in a cell of an HTML table."""

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""Beginnings of text that spreadsheets interpret as a formula."""

_WHOLE = Markup(
    '<div class="tex2jax_ignore mathjax_ignore">\n<p>{}</p>\n{}{}</div>'  # no MathJax
)
_TABLE = Markup(
    "<table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table>\n"
)  # fmt: skip
_HEAD = Markup('<th style="text-align: left">{}</th>')
_CELL = Markup('<td style="text-align: left">{}</td>')
_ROW = Markup("<tr>{}</tr>\n")
_MORE = Markup("<p>and {:,} more</p>\n")


@contextmanager
def _import_hint() -> Iterator[None]:
    """Replace the error of an import of pandas by one that explains how to install it."""
    try:
        yield
    except ModuleNotFoundError:
        raise MissingToolError(
            "data frames need pandas; install it with `pip install 'steady-action[tables]'`"
        ) from None


@dataclass(frozen=True, eq=False)
class CategoricalColumn:
    """A column with few distinct texts, which becomes categorical in pandas.

    Parameters
    ----------
    codes : ndarray of int, shape (rows,)
        Index of each row's text in `texts`, or -1 if missing.
    texts : sequence of str
        Distinct texts.
    """

    codes: npt.NDArray[np.integer[Any]]
    texts: Sequence[str]


def frame(columns: Mapping[str, npt.NDArray[Any] | CategoricalColumn]) -> pandas.DataFrame:
    """Return a data frame of columns of equal length, without copying if possible."""
    with _import_hint():
        import pandas

    return pandas.DataFrame(
        {
            name: _categorical(c) if isinstance(c, CategoricalColumn) else c
            for name, c in columns.items()
        },
        copy=False,
    )


def _categorical(column: CategoricalColumn) -> pandas.Categorical[str]:
    import pandas

    return pandas.Categorical.from_codes(column.codes, categories=pandas.Index(list(column.texts)))


def frame_of_rows(
    rows: Iterable[Mapping[str, object]], kinds: Mapping[str, type]
) -> pandas.DataFrame:
    """Return rows as a data frame with column types that do not depend on the data.

    Parameters
    ----------
    rows : iterable of mapping
        Values by column; None if unknown.
    kinds : mapping of str to type
        Type of each column, in order. An unknown float becomes NaN.
    """
    with _import_hint():
        import pandas

    listed = list(rows)
    return pandas.DataFrame(
        {
            name: pandas.Series([row[name] for row in listed], dtype=kind)
            for name, kind in kinds.items()
        }
    )


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    r"""Return a header and one record per row, with the line ends of RFC 4180.

    Numbers are not rounded, and None is an empty field. An apostrophe is prepended to text that a
    spreadsheet would interpret as a formula, and invisible characters are escaped.

    Parameters
    ----------
    columns : sequence of str
        Names of the columns, in order.
    rows : iterable of mapping
        Values by column.

    References
    ----------
    Y. Shafranovich, *Common Format and MIME Type for Comma-Separated Values (CSV) Files*, RFC 4180;
    OWASP, *CSV Injection*.

    >>> csv_text(["name", "x"], [{"name": "=a,b", "x": -0.5}, {"name": "c", "x": None}])
    'name,x\r\n"\'=a,b",-0.5\r\nc,\r\n'
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_field(row[column]) for column in columns] for row in rows)
    return text.getvalue()


def _field(value: object) -> object:
    if not isinstance(value, str):
        return value
    shown = visible(value)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown


def html_table(
    sentence: str, header: Sequence[str], rows: Iterable[Sequence[str]], total: int
) -> str:
    """Return a sentence followed by a table, as HTML.

    Parameters
    ----------
    sentence : str
        Summary of the result, in one line.
    header : sequence of str
        Names of the columns.
    rows : iterable of sequence of str
        Cells of each row; at most `MOST_ROWS` rows are used.
    total : int
        Total number of rows.
    """
    shown = [_ROW.format(_joined(_CELL, row)) for row in islice(rows, MOST_ROWS)]
    table = _TABLE.format(_joined(_HEAD, header), Markup("").join(shown)) if shown else ""
    more = _MORE.format(total - len(shown)) if total > len(shown) else ""
    return str(_WHOLE.format(_cut(sentence), table, more))


def _joined(cell: Markup, texts: Iterable[str]) -> Markup:
    return Markup("").join(cell.format(_cut(text)) for text in texts)


def _cut(text: str) -> str:
    return shorten(visible(text, kept="\u00a0"), LONGEST_CELL)
