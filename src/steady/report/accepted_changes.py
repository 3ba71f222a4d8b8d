"""Accepted changes: in sentences, as a section of a report, and the lines that accept more."""

import math
import re
from collections.abc import Collection, Iterator

from steady.compare import Change, Comparison
from steady.model import Identity
from steady.report.change_rows import change_cell
from steady.report.document import BENCHMARK, Cell, Column, Row, Section
from steady.report.figures import change_in_words
from steady.report.names import ShortNames, names_of
from steady.settings import matches
from steady.settings.accept_command import DEFAULT_BOUND, parse_accept
from steady.settings.repo_settings import Acceptance
from steady.text.escape import visible
from steady.text.numbers import count, share

MOST_LINES = 20
_REASON = "REASON"
_STEP = 5  # percent: bounds in round numbers
_UNSAFE = re.compile(r"[`*~]|<!--|-->")


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
        *map(Column, ("Accepted", "Until", "By", "Why")),
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


def accept_lines(comparison: Comparison) -> tuple[str, ...]:
    """Return a line for each regression, metrics included, the worst first.

    A line is given only where `parse_accept` reads it as it is meant: for benchmarks of
    this name alone, and for a change of this size. Names are a stranger's text.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    """
    if not comparison.comparable:
        return ()
    names = names_of(comparison)
    everybody = comparison.ledger.identities
    worse = (*comparison.regressions, *comparison.metrics.regressions)
    lines = (next(_lines(change, names, everybody), "") for change in worse[:MOST_LINES])
    return tuple(filter(None, dict.fromkeys(lines)))


def _lines(change: Change, names: ShortNames, everybody: Collection[Identity]) -> Iterator[str]:
    bound = _bound(change)
    if bound is None:
        return
    metric = f" --metric {change.metric}" if change.metric else ""
    for label in (names.label(change.identity), change.identity.label):
        quote = "'" if '"' in label else '"'
        line = f"/steady accept {quote}{label}{quote}{metric}{bound} {_REASON}"
        meant = {identity.name for identity in everybody if matches(label, identity)}
        if meant == {change.identity.name} and _is_read_as_meant(line, label, change):
            yield line


def _bound(change: Change) -> str | None:
    """Return the option that lets a change of this size pass, the ends of its interval included.

    None where no bound does: a result that was zero.
    """
    if not math.isfinite(change.ratio):
        return "" if change.metric else None
    size = max(abs(end) for end in (change.ratio, *(change.interval or ())))
    if size <= DEFAULT_BOUND:
        return ""
    steps = math.ceil(round(100 * size, 6) / _STEP)  # 55, and not 55.000000001
    return f" --bound {steps * _STEP}%"


def _is_read_as_meant(line: str, label: str, change: Change) -> bool:
    if visible(line) != line or _UNSAFE.search(line):
        return False
    try:
        entry = parse_accept(line.removeprefix("/steady accept"), "")
    except ValueError:
        return False
    return (entry.pattern, entry.metric, entry.reason) == (label, change.metric, _REASON)
