"""The one table of a comment: what changed, narrow enough for a telephone, the worst first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from steady.compare import Change, Comparison
from steady.report import figures
from steady.report.document import BENCHMARK, Cell, Column, Row, Section
from steady.report.figures import readable
from steady.report.metric_rows import metric_change
from steady.report.names import ShortNames
from steady.text import numbers
from steady.text.escape import shorten

WORSE, BETTER, ACCEPTED, WOULD_BE = "🔴", "🟢", "☑️", "⚪"
"""What stands before a row; the row's words say the same to those who see no colours."""

_LONGEST_UNIT = 20
_LONGEST_METRIC = 60
_COLUMNS = (
    Column("Change", role="lead"),
    BENCHMARK,
    Column("Base → head", "number"),
)
"""A telephone cuts off what is at the right: a long name, but never the change."""


def glance_section(comparison: Comparison, names: ShortNames) -> Section:
    """List everything that changed, and what is accepted of it, each benchmark in one row."""
    rows = tuple(_rows(comparison, names))
    if comparison.comparable:
        return Section("", "change", "changes", rows, _COLUMNS)
    title = f"{len(rows):,} that would have changed"
    return Section(title, "would-be change", "would-be changes", rows, _COLUMNS, folded=True)


def _rows(comparison: Comparison, names: ShortNames) -> Iterator[Row]:
    metrics = comparison.metrics
    accepted = (*comparison.accepted, *metrics.accepted)
    for mark, changes in (
        (WORSE, (*comparison.regressions, *metrics.regressions)),
        (BETTER, (*comparison.improvements, *metrics.improvements)),
        (ACCEPTED, accepted),
    ):
        for change in changes:
            yield _row(mark if comparison.comparable else WOULD_BE, change, names)


def _row(mark: str, change: Change, names: ShortNames) -> Row:
    named = names.named(change.identity)
    if change.metric:
        name = Cell((named, f" {shorten(change.metric, _LONGEST_METRIC)}"))
        by, sides = metric_change(change)
    else:
        name, by, sides = Cell(named), change_cell(change), Cell(_sides(readable(change)))
    marked = replace(by, text=f"{mark}{numbers.NO_BREAK}{by.text}")
    return Row((marked, name, sides), identities=(change.identity,))


def change_cell(change: Change, *, changed: bool = True) -> Cell:
    """Show by how much a benchmark changed, with the interval as small print."""
    word = figures.meaning(change) if changed else ""
    return Cell(figures.change_percent(change), word, figures.change_interval(change))


def _sides(change: Change) -> str:
    base, head = numbers.value(change.base.center), numbers.value(change.head.center)
    return f"{base} → {head}{numbers.NO_BREAK}{shorten(change.unit, _LONGEST_UNIT)}"
