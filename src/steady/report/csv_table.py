"""A comparison as CSV: a row for each benchmark and for each of its further results."""

from __future__ import annotations

import csv
import io
import math

from steady.compare import Comparison
from steady.compare.comparison_rows import COLUMNS, row_of
from steady.text.escape import visible

_FORMULA = ("=", "+", "-", "@")


def csv_table(comparison: Comparison) -> str:
    """Write a comparison as CSV with a heading, in the comparison's order.

    Numbers are not rounded. Missing and infinite numbers leave their cell empty. A text
    that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for change in (*comparison.changes, *comparison.metrics.changes):
        writer.writerow(map(_cell, row_of(change)))
    return file.getvalue()


def _cell(value: str | int | float) -> str:
    if isinstance(value, str):
        shown = visible(value)
        return f"'{shown}" if shown.startswith(_FORMULA) else shown
    if isinstance(value, int):
        return str(value)
    return repr(float(value)) if math.isfinite(value) else ""
