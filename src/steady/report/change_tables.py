"""Tables of changes: of benchmarks, of metrics, and the first table of a comment."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from steady.compare import Change, Comparison, Estimate
from steady.compare.benchmark_change import CHANGED, meaning
from steady.compare.comparison import MetricComparison
from steady.compare.summary import Summary, is_allocation
from steady.report import figures
from steady.report.document import (
    AT_MOST,
    BENCHMARK,
    Cell,
    Column,
    LazyRows,
    Row,
    Section,
    Tone,
    Words,
)
from steady.report.names import ShortNames
from steady.text.escape import shorten
from steady.text.numbers import NO_BREAK, TENFOLD, count, value

_WORSE, _BETTER, _ACCEPTED, _WOULD_BE = "🔴", "🟢", "☑️", "⚪"
"""Symbols before rows; the text of a row has the same meaning."""

UNCLEAR = "Unclear"
"""The chapter of unclear benchmarks; their rows include the confidence interval."""

_LONGEST = 60
_LONGEST_UNIT = 40
_LONGEST_OVERVIEW_UNIT = 20
_OVERVIEW_COLUMNS = (
    Column("Change", role="lead"),
    BENCHMARK,
    Column("Base → head", "number"),
)
"""The change comes first, because narrow screens cut off the right end of a table."""


def changed_section(
    noun: str, plural: str, tone: Tone, changes: Sequence[Change], names: ShortNames
) -> Section:
    """Return the changes of one outcome; a page joins these sections into one table."""
    rows, columns = _table(changes, Column("Detectable from", "number"), names)
    title = plural.capitalize()
    return Section(title, noun, plural, rows, columns, chapter="Changed", tone=tone, is_lead=True)


def unchanged_section(
    chapter: str, noun: str, about: Words, changes: Sequence[Change], names: ShortNames
) -> Section:
    """Return the unchanged or unclear benchmarks."""
    rows, columns = _table(changes, Column(AT_MOST.capitalize(), "number", word=AT_MOST), names)
    title = f"{len(rows):,} {noun}"
    section = Section(title, noun, noun, rows, columns, (about,), folded=True, chapter=chapter)
    return replace(section, detailed=chapter == UNCLEAR)


def _table(
    changes: Sequence[Change], last: Column, names: ShortNames
) -> tuple[Sequence[Row], tuple[Column, ...]]:
    columns = (
        BENCHMARK,
        Column("Base", "number", "detail"),
        Column("Head", "number", "detail"),
        Column("Change", "number", "lead"),
        Column("", "picture", word="plot"),
        Column(names.runs_title, "number", "under", word="runs"),
        last,
    )
    return LazyRows(partial(_change_row, names), changes), columns


def _change_row(names: ShortNames, change: Change) -> Row:
    change = figures.readable(change)
    changed = change.outcome in CHANGED
    seen = figures.detectable(change) if changed else figures.excluded(change)
    cells = (
        Cell(names.named(change.identity)),
        _side(change, change.base, changed=changed),
        _side(change, change.head, changed=changed),
        change_cell(change, changed=changed),
        Cell(""),
        Cell(names.words(figures.runs_of(change))),
        Cell(seen),
    )
    return Row(cells, identities=(change.identity,))


def _side(change: Change, side: Estimate, *, changed: bool) -> Cell:
    """Return the cell of base or head, with the harness's own score if there is one."""
    score = "" if side.score is None else value(side.score)
    return Cell(
        f"{value(side.center)}{NO_BREAK}{shorten(change.unit, _LONGEST_UNIT)}",
        small="" if change.lacking else figures.interval(side),
        aside=f"score {score}" if score and changed else "",
        hover=f"the harness's own score: {score}" if score else "",
    )


def overview_section(comparison: Comparison, summary: Summary, names: ShortNames) -> Section:
    """Return all changes, the accepted ones last, each in one row."""
    rows = tuple(_overview_rows(comparison, summary, names))
    if summary.comparable:
        return Section("", "change", "changes", rows, _OVERVIEW_COLUMNS)
    title = f"{len(rows):,} that would have changed"
    return Section(
        title, "would-be change", "would-be changes", rows, _OVERVIEW_COLUMNS, folded=True
    )


def _overview_rows(comparison: Comparison, summary: Summary, names: ShortNames) -> Iterator[Row]:
    metrics = comparison.metrics
    for mark, changes in (
        (_WORSE, (*comparison.regressions, *metrics.regressions)),
        (_BETTER, (*comparison.improvements, *metrics.improvements)),
        (_ACCEPTED, (*comparison.accepted, *metrics.accepted)),
    ):
        for change in changes:
            yield _overview_row(mark if summary.comparable else _WOULD_BE, change, names)


def _overview_row(mark: str, change: Change, names: ShortNames) -> Row:
    named = names.named(change.identity)
    if change.metric:
        name = Cell((named, f" {shorten(change.metric, _LONGEST)}"))
        by, head = _size(change), _with_unit(change.head.center, change)
        sides = f"{_number(change.base.center)} → {head}"
    else:
        name, by, shown = Cell(named), change_cell(change), figures.readable(change)
        unit = shorten(shown.unit, _LONGEST_OVERVIEW_UNIT)
        sides = f"{value(shown.base.center)} → {value(shown.head.center)}{NO_BREAK}{unit}"
    marked = replace(by, text=f"{mark}{NO_BREAK}{by.text}")
    return Row((marked, name, Cell(sides)), identities=(change.identity,))


def change_cell(change: Change, *, changed: bool = True) -> Cell:
    """Return the cell of a change, with its confidence interval as small print."""
    word = meaning(change) if changed else ""
    return Cell(figures.change_percent(change), word, figures.change_interval(change))


def metric_sections(
    metrics: MetricComparison, names: ShortNames
) -> tuple[Section, Section, Section]:
    """Return the regressions and the improvements of metrics, and the requested metrics."""
    asked = tuple(c for c in (*metrics.changes, *metrics.shown) if metrics.is_asked_for(c))
    rows = tuple(_metric_row(change, names) for change in asked)
    nouns = ("result", "results")
    title = f"{count(len(asked), 'secondary metric')}, as requested"
    return (
        _metric_section("regression", "worse", metrics.regressions, names),
        _metric_section("improvement", "better", metrics.improvements, names),
        Section(title, *nouns, rows, _metric_columns(names), folded=True),
    )


def metric_change(change: Change) -> str:
    r"""Format the change of a metric with both values.

    >>> from steady.model import Identity
    >>> zero, some = Estimate(0.0, 0.0, 0.0, 5, 25), Estimate(32.0, 32.0, 32.0, 5, 25)
    >>> metric_change(Change(Identity("a"), "B/op", "lower", zero, some, "regression", 0.01))
    '0 B/op to 32 B/op'
    """
    sides = (_with_unit(side.center, change) for side in (change.base, change.head))
    text = " to ".join(sides).replace(NO_BREAK, " ")
    return text if _from_nothing(change) else f"{text} ({figures.change_percent(change)})"


def _from_nothing(change: Change) -> bool:
    """Return whether base is zero, or negligible compared with head."""
    return not abs(change.ratio) <= TENFOLD


def _metric_section(
    outcome: str, tone: Tone, changes: Sequence[Change], names: ShortNames
) -> Section:
    noun = f"{'allocation' if is_allocation(changes) else 'metric'} {outcome}"
    rows = tuple(_metric_row(change, names) for change in changes)
    title, columns = f"{noun}s".capitalize(), _metric_columns(names)
    return Section(title, noun, f"{noun}s", rows, columns, tone=tone)


def _metric_columns(names: ShortNames) -> tuple[Column, ...]:
    return (
        BENCHMARK,
        Column("Metric"),
        Column("Base", "number"),
        Column("Head", "number"),
        Column("Change", "number", "lead"),
        Column(names.runs_title, "number", word="runs"),
    )


def _metric_row(change: Change, names: ShortNames) -> Row:
    cells = (
        Cell(names.named(change.identity)),
        Cell(shorten(change.metric, _LONGEST)),
        _metric_side(change, change.base),
        _metric_side(change, change.head),
        _size(change),
        Cell(names.words(figures.runs_of(change))),
    )
    return Row(cells, identities=(change.identity,))


def _metric_side(change: Change, side: Estimate) -> Cell:
    """Return the cell of base or head: the median of the forks, and their range if they differ."""
    alike = value(side.low) == value(side.high)
    return Cell(_with_unit(side.center, change), small="" if alike else figures.interval(side))


def _with_unit(number: float, change: Change) -> str:
    return f"{_number(number)}{NO_BREAK}{shorten(change.unit, _LONGEST)}"


def _number(number: float) -> str:
    """Format a number; a whole number, such as of bytes, has no decimals."""
    whole = number.is_integer() and abs(number) < 1e15
    return f"{number:,.0f}" if whole else value(number)


def _size(change: Change) -> Cell:
    """Return the cell of a relative change, or of the difference if base is (nearly) zero."""
    if change.base.center == change.head.center:
        return Cell("none")
    word = meaning(change) if change.outcome in CHANGED else ""
    if not _from_nothing(change):
        return Cell(figures.change_percent(change), word)
    return Cell(f"+{_with_unit(change.head.center - change.base.center, change)}", word)
