"""A comparison as CSV: a row for each benchmark and for each of its further results."""

from __future__ import annotations

import csv
import io
import math

from steady.compare import Change, Comparison
from steady.text.escape import visible

COLUMNS = (
    "benchmark", "metric", "unit", "outcome", "acknowledged", "change", "change_low",
    "change_high", "base", "head", "base_forks", "head_forks", "smallest", "excluded",
)  # fmt: skip
"""Changes, `smallest` and `excluded` are fractions: 0.05 is 5 %."""

_FORMULA = ("=", "+", "-", "@")


def csv_table(comparison: Comparison) -> str:
    """Write a comparison as CSV with a heading, in the comparison's order.

    Numbers are not rounded. A cell is empty where there is no number, or an infinite one. A text
    that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    changes = (*comparison.changes, *comparison.metrics.changes)
    writer.writerows(map(_row, changes))
    return file.getvalue()


def _row(change: Change) -> tuple[object, ...]:
    low, high = change.interval or (math.inf, math.inf)
    numbers = (change.ratio, low, high, change.base.center, change.head.center)
    return (
        _text(change.identity.label),
        _text(change.metric),
        _text(change.unit),
        change.outcome,
        "" if change.acknowledged is None else _text(change.acknowledged.reason),
        *map(_number, numbers),
        change.base.forks,
        change.head.forks,
        _number(change.smallest),
        _number(change.excluded),
    )


def _text(text: str) -> str:
    shown = visible(text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown


def _number(value: float) -> str:
    return repr(float(value)) if math.isfinite(value) else ""
