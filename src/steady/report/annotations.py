"""The verdict as GitHub's workflow commands: what stands beside a job and its log."""

# No `from __future__ import annotations` here: it would take this module's own name.

from collections.abc import Iterable, Sequence
from typing import Literal

from steady.compare import Change, Comparison
from steady.report.escape import command_data, command_property, shorten
from steady.report.names import Names, names_of
from steady.report.numbers import change_interval, change_percent, count, meaning
from steady.report.wording import not_compared, surroundings_sentence, verdict_sentence

SHOWN_PER_KIND = 10
"""Annotations of one kind that GitHub shows of one step."""

_LONGEST_LABEL = 300

Kind = Literal["error", "warning", "notice"]


def annotations(
    comparison: Comparison, *, regressions: Literal["error", "warning"] = "error"
) -> list[str]:
    """Return a comparison as workflow commands, one a line of the log.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    regressions : {"error", "warning"}
        How regressions are shown.

    Returns
    -------
    list of str
        Regressions, the worst first; what has no result, as warnings; improvements, as notices.
        At most `SHOWN_PER_KIND` of a kind: where there are more, the last one counts the rest.

    References
    ----------
    GitHub Docs, "Workflow commands for GitHub Actions"; escapes as in actions/toolkit,
    ``packages/core/src/command.ts``.
    """
    names = names_of(comparison)
    worse: list[tuple[str, str]] = []
    if comparison.comparable:
        worse = [("Benchmark regression", _told(c, names)) for c in comparison.regressions]
    told: dict[Kind, list[tuple[str, str]]] = {"error": [], "warning": [], "notice": []}
    told[regressions] += worse
    told["warning"] += _warnings(comparison, names)
    if comparison.comparable:
        better = comparison.improvements
        told["notice"] += [("Benchmark improvement", _told(c, names)) for c in better]
    return [line for kind, messages in told.items() for line in _commands(kind, messages)]


def _told(change: Change, names: Names) -> str:
    text = f"{_label(change, names)} is {meaning(change)}: {change_percent(change)}"
    by = change_interval(change)
    return f"{text} ({by})" if by else text


def _label(change: Change, names: Names) -> str:
    return shorten(names.label(change.identity), _LONGEST_LABEL)


def _warnings(comparison: Comparison, names: Names) -> Iterable[tuple[str, str]]:
    if not comparison.comparable:
        yield "Benchmarks not comparable", verdict_sentence(comparison)
    elif comparison.differences:
        yield "Benchmarks in different surroundings", surroundings_sentence(comparison)
    new = frozenset(comparison.ledger.new)
    for identity, what, _ in not_compared(comparison):
        if identity not in new:
            label = shorten(names.label(identity), _LONGEST_LABEL)
            yield "Benchmark without result", f"{label}: {shorten(what, _LONGEST_LABEL)}"
    if not comparison.changes and comparison.ledger.complete:
        yield "Benchmarks incomplete", verdict_sentence(comparison)


def _commands(kind: Kind, messages: Sequence[tuple[str, str]]) -> list[str]:
    shown = list(messages)
    if len(shown) > SHOWN_PER_KIND:
        left = len(shown) - SHOWN_PER_KIND + 1
        shown = shown[: SHOWN_PER_KIND - 1]
        shown.append(("Benchmarks", f"{count(left, 'more', 'more')} of this kind in the report"))
    return [f"::{kind} title={command_property(t)}::{command_data(m)}" for t, m in shown]
