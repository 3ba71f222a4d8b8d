"""Accepted changes in words, as plain text without markup."""

from __future__ import annotations

from steady.compare import Acknowledgement, Change, Comparison
from steady.report.figures import change_in_words
from steady.text.counting import count
from steady.text.numbers import share


def accepted_changes(comparison: Comparison) -> list[tuple[Change, Acknowledgement]]:
    """Return every change that is accepted with what accepts it, the worst first."""
    accepted = (*comparison.acknowledged, *comparison.metrics.acknowledged)
    return [(c, c.acknowledged) for c in accepted if c.acknowledged is not None]


def size_text(entry: Acknowledgement) -> str:
    """Say how large a change is accepted."""
    return "of any size" if entry.bound is None else f"up to {share(entry.bound)}"


def until_text(entry: Acknowledgement) -> str:
    """Say how long it is accepted."""
    return "this pull request only" if entry.expires is None else str(entry.expires)


def accepted_sentence(change: Change, entry: Acknowledgement) -> str:
    """Say all about one accepted change but the benchmark's name."""
    until = "for this pull request only" if entry.expires is None else f"until {entry.expires}"
    by = f" by {entry.author}" if entry.author else ""
    where = f" ({entry.source})" if entry.source else ""
    return (
        f"{change_in_words(change)}, accepted {size_text(entry)} {until}{by}{where}: {entry.reason}"
    )


def left_out(comparison: Comparison) -> list[str]:
    """Count what the verdict's sentence does not count otherwise: accepted and ignored."""
    accepted, ignored = len(comparison.acknowledged), len(comparison.ledger.ignored)
    parts = [f"{count(accepted, 'change is', 'changes are')} acknowledged"] if accepted else []
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
