"""CSV output (RFC 4180), safe from formula injection."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from steady.text.escape import visible

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""Beginnings of text that spreadsheets interpret as a formula."""


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
