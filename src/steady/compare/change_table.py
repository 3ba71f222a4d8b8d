"""The changes of a comparison as a data frame, CSV, a notebook's table, and a picture."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from steady.compare.benchmark_change import Change, row_of
from steady.text.numbers import percent, value

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

COLUMNS: Mapping[str, type] = {
    "benchmark": str, "metric": str, "unit": str, "outcome": str, "accepted": str,
    "change": float, "change_low": float, "change_high": float, "base": float, "head": float,
    "base_forks": int, "head_forks": int, "smallest": float, "excluded": float,
}  # fmt: skip
"""The values of `row_of`, in its order."""

HEADER = ("benchmark", "outcome", "change", "interval", "base", "head", "unit")
"""Of the table in a notebook."""


def change_frame(changes: Iterable[Change]) -> pandas.DataFrame:
    """Return a row for each change; see `Comparison.to_pandas`."""
    from steady.tables import frame_of_rows

    return frame_of_rows(map(row_of, changes), COLUMNS)


def change_csv(changes: Iterable[Change]) -> str:
    """Return the same rows as CSV."""
    from steady.tables import csv_text

    return csv_text(list(COLUMNS), map(row_of, changes))


def change_html(sentence: str, changes: Sequence[Change]) -> str:
    """Return the first of the changes as a table of a notebook."""
    from steady.tables import html_table

    return html_table(sentence, HEADER, map(_cells, changes), len(changes))


def draw_changes(title: str, changes: Sequence[Change], threshold: float, ax: Axes | None) -> Axes:
    """Draw changes with their intervals, the first at the top."""
    from steady.plots.rows import Intervals, draw_intervals

    ends = [change.interval or (math.nan, math.nan) for change in changes]
    intervals = Intervals(
        [change.identity.label for change in changes],
        [change.outcome for change in changes],
        [change.ratio for change in changes],
        [low for low, _ in ends],
        [high for _, high in ends],
        threshold,
        title,
    )
    return draw_intervals(intervals, ax)


def _cells(change: Change) -> tuple[str, ...]:
    accepted = "" if change.accepted is None else ", accepted"
    ends = [percent(end, signed=True) for end in change.interval or ()]
    sides = (value(side.center) for side in (change.base, change.head))
    return (
        change.identity.label,
        f"{change.outcome}{accepted}",
        percent(change.ratio, signed=True),
        " to ".join(ends) or "–",
        *sides,
        change.unit,
    )
