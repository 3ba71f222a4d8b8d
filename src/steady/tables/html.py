"""HTML tables of results for notebooks: of limited size, escaped, and without scripts."""

from collections.abc import Iterable, Sequence
from itertools import islice

from markupsafe import Markup

from steady.text.escape import shorten, visible

MOST_ROWS = 20
"""Maximum number of rows; a line below the table counts the others."""

LONGEST_CELL = 120
"""Maximum number of characters in a cell."""

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
