"""Rows as CSV (RFC 4180), in which no text is a formula to a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from steady.text.escape import visible

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""What a text begins with that a spreadsheet would calculate."""


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    r"""Return a header and a record for each row, with the line ends of RFC 4180.

    Numbers are not rounded, and None is an empty field. A text that a spreadsheet would take for a
    formula begins with an apostrophe, and characters that cannot be seen are written out.

    Parameters
    ----------
    columns : sequence of str
        In their order.
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
