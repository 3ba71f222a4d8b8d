"""Rows of what changed at a glance, and rows and sentences on allocation and further results."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from steady.compare import Change, Comparison, Estimate, Outcome
from steady.harnesses import count_metrics
from steady.model import Identity
from steady.report import figures
from steady.report.document import BENCHMARK, Cell, Column, Row, Section, Tone
from steady.report.names import ShortNames
from steady.text.escape import shorten
from steady.text.numbers import NO_BREAK, TENFOLD, count, percent, value

_WORSE, _BETTER, _ACCEPTED, _WOULD_BE = "🔴", "🟢", "☑️", "⚪"
"""What stands before a row; the row's words say the same to those who see no colours."""

_LONGEST = 60

_WORST_FIRST: tuple[Outcome, ...] = ("regression", "improvement", "unclear", "unchanged")

_LONGEST_UNIT = 20
_AT_A_GLANCE = (
    Column("Change", role="lead"),
    BENCHMARK,
    Column("Base → head", "number"),
)
"""A telephone cuts off what is at the right: a long name, but never the change."""


def glance_section(comparison: Comparison, names: ShortNames) -> Section:
    """List everything that changed, and what is accepted of it, each benchmark in one row."""
    rows = tuple(_glance_rows(comparison, names))
    if comparison.comparable:
        return Section("", "change", "changes", rows, _AT_A_GLANCE)
    title = f"{len(rows):,} that would have changed"
    return Section(title, "would-be change", "would-be changes", rows, _AT_A_GLANCE, folded=True)


def _glance_rows(comparison: Comparison, names: ShortNames) -> Iterator[Row]:
    metrics = comparison.metrics
    for mark, changes in (
        (_WORSE, (*comparison.regressions, *metrics.regressions)),
        (_BETTER, (*comparison.improvements, *metrics.improvements)),
        (_ACCEPTED, (*comparison.accepted, *metrics.accepted)),
    ):
        for change in changes:
            yield _glance_row(mark if comparison.comparable else _WOULD_BE, change, names)


def _glance_row(mark: str, change: Change, names: ShortNames) -> Row:
    named = names.named(change.identity)
    if change.metric:
        name = Cell((named, f" {shorten(change.metric, _LONGEST)}"))
        by, head = _size(change), _with_unit(change.head.center, change)
        sides = f"{_number(change.base.center)} → {head}"
    else:
        name, by, shown = Cell(named), change_cell(change), figures.readable(change)
        unit = shorten(shown.unit, _LONGEST_UNIT)
        sides = f"{value(shown.base.center)} → {value(shown.head.center)}{NO_BREAK}{unit}"
    marked = replace(by, text=f"{mark}{NO_BREAK}{by.text}")
    return Row((marked, name, Cell(sides)), identities=(change.identity,))


def change_cell(change: Change, *, changed: bool = True) -> Cell:
    """Show by how much a benchmark changed, with the interval as small print."""
    word = figures.meaning(change) if changed else ""
    return Cell(figures.change_percent(change), word, figures.change_interval(change))


def metric_noun(changes: Iterable[Change]) -> str:
    """Say what the metrics of changes are: allocation, or more than that."""
    names = (change.metric for change in changes)
    counted = all(name in count_metrics() and name != "instructions" for name in names)
    return "allocation" if counted else "metric"


def metric_sentence(comparison: Comparison) -> str:
    """Say what became of the metrics; empty where none was compared."""
    metrics = comparison.metrics
    if not metrics.changes or not comparison.comparable:
        return ""
    outcomes = Counter(_by_benchmark(metrics.changes).values())
    total = sum(outcomes.values())
    parts = []
    for word, changes in (
        ("worse", metrics.regressions),
        ("better", metrics.improvements),
    ):
        if changes:
            many = len({change.identity for change in changes})
            parts.append(f"{word} in {many:,}{_by(changes)}")
    if accepted := len(metrics.accepted):
        parts.append(count(accepted, "change is accepted", "changes are accepted"))
    if outcomes["unchanged"]:
        of = "" if parts else f" of {total:,}"
        parts.append(f"unchanged in {outcomes['unchanged']:,}{of}")
    if outcomes["unclear"]:
        few = sum(bool(change.lacking) for change in metrics.unclear)
        why = "too few forks to tell" if few else "too different between forks to tell"
        parts.append(f"{why} in {outcomes['unclear']:,}")
    noun = metric_noun(metrics.changes).capitalize()
    return f"{noun if noun == 'Allocation' else 'Metrics'}: {', '.join(parts)}."


def metrics_became(changes: Sequence[Change]) -> str:
    """Say how many benchmarks became worse in a metric, or better; empty where none did.

    Parameters
    ----------
    changes : sequence of Change
        All of one outcome.

    >>> zero, some = Estimate(0.0, 0.0, 0.0, 5, 25), Estimate(32.0, 32.0, 32.0, 5, 25)
    >>> metrics_became([Change(Identity("a"), "B/op", "lower", zero, some, "regression", 0.01,
    ...                        metric="B/op")])
    '1 benchmark allocates more'
    """
    if not changes:
        return ""
    many, worse = len({c.identity for c in changes}), changes[0].outcome == "regression"
    if metric_noun(changes) == "allocation":
        allocate = count(many, "benchmark allocates", "benchmarks allocate")
        return f"{allocate} {'more' if worse else 'less'}"
    return f"{count(many, 'benchmark')} became {'worse' if worse else 'better'} in a further result"


def metric_sections(comparison: Comparison, names: ShortNames) -> tuple[Section, Section, Section]:
    """Return what became worse, what became better, and what somebody asked to see."""
    metrics = comparison.metrics
    asked = tuple(c for c in (*metrics.changes, *metrics.shown) if metrics.is_asked_for(c))
    rows = tuple(_row(change, names) for change in asked)
    nouns = ("result", "results")
    title = f"{count(len(asked), 'further result')}, as asked"
    return (
        _changed("regression", "worse", metrics.regressions, names),
        _changed("improvement", "better", metrics.improvements, names),
        Section(title, *nouns, rows, _columns(names), folded=True),
    )


def what_changed(change: Change) -> str:
    r"""Say from what to what a metric changed, and by how much.

    >>> zero, some = Estimate(0.0, 0.0, 0.0, 5, 25), Estimate(32.0, 32.0, 32.0, 5, 25)
    >>> what_changed(Change(Identity("a"), "B/op", "lower", zero, some, "regression", 0.01))
    '0 B/op to 32 B/op'
    """
    sides = (_with_unit(side.center, change) for side in (change.base, change.head))
    text = " to ".join(sides).replace(NO_BREAK, " ")
    return text if _from_nothing(change) else f"{text} ({figures.change_percent(change)})"


def _by_benchmark(changes: Iterable[Change]) -> dict[Identity, str]:
    """Return the most important outcome of each benchmark's metrics."""
    worst: dict[Identity, str] = {}
    for outcome in reversed(_WORST_FIRST):
        for change in changes:
            if change.outcome == outcome:
                worst[change.identity] = "accepted" if change.accepted else outcome
    return worst


def _by(changes: Sequence[Change]) -> str:
    if any(map(_from_nothing, changes)):
        return ""
    return f" (by up to {percent(max(abs(change.ratio) for change in changes))})"


def _from_nothing(change: Change) -> bool:
    """Tell whether base is nothing, or next to nothing beside head."""
    return not abs(change.ratio) <= TENFOLD


def _changed(outcome: str, tone: Tone, changes: Sequence[Change], names: ShortNames) -> Section:
    noun = f"{metric_noun(changes)} {outcome}"
    rows = tuple(_row(change, names) for change in changes)
    return Section(f"{noun}s".capitalize(), noun, f"{noun}s", rows, _columns(names), tone=tone)


def _columns(names: ShortNames) -> tuple[Column, ...]:
    return (
        BENCHMARK,
        Column("Metric"),
        Column("Base", "number"),
        Column("Head", "number"),
        Column("Change", "number", "lead"),
        Column(names.runs_title, "number", word="runs"),
    )


def _row(change: Change, names: ShortNames) -> Row:
    cells = (
        Cell(names.named(change.identity)),
        Cell(shorten(change.metric, _LONGEST)),
        _side(change, change.base),
        _side(change, change.head),
        _size(change),
        Cell(names.words(figures.runs_of(change))),
    )
    return Row(cells, identities=(change.identity,))


def _side(change: Change, side: Estimate) -> Cell:
    """Show the median of the forks, and the smallest and largest where they differ."""
    alike = value(side.low) == value(side.high)
    return Cell(_with_unit(side.center, change), small="" if alike else figures.interval(side))


def _with_unit(number: float, change: Change) -> str:
    return f"{_number(number)}{NO_BREAK}{shorten(change.unit, _LONGEST)}"


def _number(number: float) -> str:
    """Write a number; one of whole bytes or allocations has no decimals."""
    whole = number.is_integer() and abs(number) < 1e15
    return f"{number:,.0f}" if whole else value(number)


def _size(change: Change) -> Cell:
    """Show the change; of what was nothing, or nearly, how much more it is."""
    if change.base.center == change.head.center:
        return Cell("none")
    word = figures.meaning(change) if change.outcome in ("regression", "improvement") else ""
    if not _from_nothing(change):
        return Cell(figures.change_percent(change), word)
    return Cell(f"+{_with_unit(change.head.center - change.base.center, change)}", word)
