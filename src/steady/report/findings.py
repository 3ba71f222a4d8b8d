"""Findings of a comparison on single benchmarks: a short plain text each."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from steady.compare import Change, Comparison
from steady.model import Identity
from steady.report.accepted_changes import accepted_changes, accepted_sentence
from steady.report.change_rows import what_changed
from steady.report.figures import change_interval, change_percent, meaning
from steady.report.names import ShortNames, names_of
from steady.report.verdict import surroundings_sentence, verdict_words
from steady.report.wording import not_compared
from steady.text.escape import shorten

_LONGEST_LABEL = 300

Severity = Literal["error", "warning", "notice"]
"""How loud something is said, as GitHub names it, the loudest first."""

_WORSE = "Benchmark regression"
_BETTER = "Benchmark improvement"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a reader should see at once.

    Parameters
    ----------
    level : {"error", "warning", "notice"}
        How loud.
    title : str
        Of which kind it is.
    message : str
        Plain text that may hold anything a benchmark's name may.
    """

    level: Severity
    title: str
    message: str


def findings(
    comparison: Comparison, *, regressions: Literal["error", "warning"] = "error"
) -> list[Finding]:
    """Return regressions, the worst first; what has no result; what is accepted; improvements.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    regressions : {"error", "warning"}
        How loud regressions are.
    """
    names = names_of(comparison)
    warnings = _warnings(comparison, names)
    if not comparison.comparable:
        return list(warnings)
    return [
        *(_changed(regressions, _WORSE, change, names) for change in comparison.regressions),
        *(_metric("warning", _WORSE, change, names) for change in comparison.metrics.regressions),
        *warnings,
        *_accepted(comparison, names),
        *(_changed("notice", _BETTER, change, names) for change in comparison.improvements),
        *(_metric("notice", _BETTER, change, names) for change in comparison.metrics.improvements),
    ]


def _changed(level: Severity, title: str, change: Change, names: ShortNames) -> Finding:
    text = f"{_label(change.identity, names)} is {meaning(change)}: {change_percent(change)}"
    by = change_interval(change)
    return Finding(level, title, f"{text} ({by})" if by else text)


def _metric(level: Severity, title: str, change: Change, names: ShortNames) -> Finding:
    metric = shorten(change.metric, _LONGEST_LABEL)
    text = f"{_label(change.identity, names)}: {metric} from {what_changed(change)}"
    return Finding(level, title, text)


def _accepted(comparison: Comparison, names: ShortNames) -> Iterator[Finding]:
    for change, entry in accepted_changes(comparison):
        metric = f", {shorten(change.metric, _LONGEST_LABEL)}" if change.metric else ""
        accepted = shorten(accepted_sentence(change, entry), _LONGEST_LABEL)
        message = f"{_label(change.identity, names)}{metric}: {accepted}"
        yield Finding("notice", "Benchmark change accepted", message)


def _label(identity: Identity, names: ShortNames) -> str:
    return shorten(names.label(identity), _LONGEST_LABEL)


def _warnings(comparison: Comparison, names: ShortNames) -> Iterator[Finding]:
    sentence = surroundings_sentence(comparison)
    if not comparison.comparable:
        yield Finding("warning", "Benchmarks not comparable", sentence)
    elif comparison.differences:
        yield Finding("warning", "Benchmarks in different surroundings", sentence)
    new = frozenset(comparison.ledger.new)
    for identity, what, _ in not_compared(comparison):
        if identity not in new:
            message = f"{_label(identity, names)}: {shorten(what, _LONGEST_LABEL)}"
            yield Finding("warning", "Benchmark without result", message)
    if not comparison.has_checked and comparison.ledger.complete:
        yield Finding("warning", "Benchmarks incomplete", f"{verdict_words(comparison).first}.")
