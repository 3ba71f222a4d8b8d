"""Accepted changes: in sentences, and as a section of a report."""

from __future__ import annotations

from steady.compare import Acceptance, Change, Comparison
from steady.report.document import BENCHMARK, Cell, Column, Row, Section, text_columns
from steady.report.figures import change_in_words
from steady.report.glance_table import change_cell
from steady.report.names import ShortNames
from steady.text.counting import count
from steady.text.numbers import share


def accepted_changes(comparison: Comparison) -> list[tuple[Change, Acceptance]]:
    """Return every change that is accepted with what accepts it, the worst first."""
    accepted = (*comparison.accepted, *comparison.metrics.accepted)
    return [(c, c.accepted) for c in accepted if c.accepted is not None]


def accepted_sentence(change: Change, entry: Acceptance) -> str:
    """Say all about one accepted change but the benchmark's name."""
    until = "for this pull request only" if entry.expires is None else f"until {entry.expires}"
    by = f" by {entry.author}" if entry.author else ""
    where = f" ({entry.source})" if entry.source else ""
    return f"{change_in_words(change)}, accepted {_size(entry)} {until}{by}{where}: {entry.reason}"


def _size(entry: Acceptance) -> str:
    return "of any size" if entry.bound is None else f"up to {share(entry.bound)}"


def accepted_section(comparison: Comparison, names: ShortNames) -> Section:
    """List every change that is accepted, with its bounds."""
    rows = []
    for change, entry in accepted_changes(comparison):
        named = names.named(change.identity)
        name = (named, f", {change.metric}") if change.metric else (named,)
        cells = (
            Cell(name),
            change_cell(change),
            Cell(_size(entry)),
            Cell("this pull request only" if entry.expires is None else str(entry.expires)),
            Cell(entry.author, small=entry.source),
            Cell(entry.reason),
        )
        rows.append(Row(cells, (*name, f": {accepted_sentence(change, entry)}")))
    columns = (
        BENCHMARK,
        Column("Change", "number"),
        *text_columns("Accepted", "Until", "By", "Why"),
    )
    nouns = ("accepted", "accepted")
    return Section("Accepted", *nouns, tuple(rows), columns, as_list=True)


def left_out(comparison: Comparison) -> list[str]:
    """Count what the verdict's sentence does not count otherwise: accepted and ignored."""
    accepted, ignored = len(comparison.accepted), len(comparison.ledger.ignored)
    parts = [f"{count(accepted, 'change is', 'changes are')} accepted"] if accepted else []
    return parts + ([f"{count(ignored, 'benchmark is', 'benchmarks are')} ignored"] * bool(ignored))


def threshold_sentence(comparison: Comparison) -> str:
    """Say that some benchmarks have a smallest change of their own; empty where none has."""
    own = sum(change.min_change is not None for change in comparison.changes)
    return (
        f"By the settings {count(own, 'benchmark has', 'benchmarks have')} a smallest change of "
        f"{'its' if own == 1 else 'their'} own."
        if own
        else ""
    )
