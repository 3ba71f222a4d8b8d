"""Findings of a comparison on single benchmarks: a short plain text each."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from steady.compare import Change, Comparison
from steady.errors import InputError
from steady.harness import HARNESSES
from steady.model import Identity
from steady.report.accepted_changes import accepted_changes, accepted_sentence
from steady.report.change_rows import what_changed
from steady.report.figures import change_interval, change_percent, meaning
from steady.report.names import ShortNames, names_of
from steady.report.verdict import surroundings_sentence, verdict_words
from steady.report.wording import not_compared
from steady.source_folder import Limits, SourceLine
from steady.text.escape import shorten

_LONGEST_LABEL = 300

Severity = Literal["error", "warning", "notice"]
"""How loud something is said, as GitHub names it, the loudest first."""

Title = Literal[
    "Benchmark regression",
    "Benchmark without result",
    "Benchmarks incomplete",
    "Benchmarks not comparable",
    "Benchmarks in different surroundings",
    "Benchmark change accepted",
    "Benchmark improvement",
]
"""What kind of thing is said."""

_WORSE: Title = "Benchmark regression"
_BETTER: Title = "Benchmark improvement"

_LIMITS = Limits(files=100_000, file_bytes=96 * 1024, all_bytes=8 * 1024 * 1024)
"""What is read for a report. The Java parser takes a second for 100 KB that are made to be slow."""


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
    identity : Identity, optional
        Of which benchmark; None: of the whole comparison.
    """

    level: Severity
    title: Title
    message: str
    identity: Identity | None = None


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


def _changed(level: Severity, title: Title, change: Change, names: ShortNames) -> Finding:
    text = f"{_label(change.identity, names)} is {meaning(change)}: {change_percent(change)}"
    by = change_interval(change)
    return Finding(level, title, f"{text} ({by})" if by else text, change.identity)


def _metric(level: Severity, title: Title, change: Change, names: ShortNames) -> Finding:
    metric = shorten(change.metric, _LONGEST_LABEL)
    text = f"{_label(change.identity, names)}: {metric} from {what_changed(change)}"
    return Finding(level, title, text, change.identity)


def _accepted(comparison: Comparison, names: ShortNames) -> Iterator[Finding]:
    for change, entry in accepted_changes(comparison):
        accepted = shorten(accepted_sentence(change, entry), _LONGEST_LABEL)
        message = f"{_label(change.identity, names)}: {accepted}"
        yield Finding("notice", "Benchmark change accepted", message, change.identity)


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
            yield Finding("warning", "Benchmark without result", message, identity)
    if not comparison.has_checked and comparison.ledger.complete:
        yield Finding("warning", "Benchmarks incomplete", f"{verdict_words(comparison).first}.")


def lines_of_findings(comparison: Comparison, sources: str | Path) -> Mapping[Identity, SourceLine]:
    """Return where the benchmarks stand that something is found of.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    sources : path-like
        Root of the repository, in which the lines are looked for.
    """
    named = [one.identity for one in findings(comparison) if one.identity is not None]
    return find_lines(sources, named) if named else {}


def find_lines(folder: str | Path, identities: Iterable[Identity]) -> dict[Identity, SourceLine]:
    """Return the lines on which benchmarks are declared.

    Nothing is compiled and nothing is run: the folder may be a stranger's pull request.

    Parameters
    ----------
    folder : path-like
        The source, as it was checked out.
    identities : iterable of Identity
        The benchmarks that are looked for.

    Returns
    -------
    dict of Identity to SourceLine
        Those that are found in exactly one file. Empty where the folder cannot be read.
    """
    wanted = list(identities)
    lines: dict[Identity, SourceLine] = {}
    for entry in HARNESSES.values():
        if entry.value.source_lines is not None:
            try:
                found = entry.value.source_lines(Path(folder), wanted, _LIMITS)
            except InputError:
                return {}
            lines = {**found, **lines}
            wanted = [identity for identity in wanted if identity not in lines]
    return lines
