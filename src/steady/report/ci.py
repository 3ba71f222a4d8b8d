"""A comparison for CI systems: annotations of GitHub Actions, and JUnit XML."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args
from xml.etree import ElementTree

from steady.compare import Change, Comparison
from steady.compare.benchmark_change import meaning
from steady.compare.summary import Summary
from steady.model import Identity
from steady.report.change_tables import metric_change
from steady.report.content import ReportData
from steady.report.figures import (
    change_in_words,
    change_interval,
    change_percent,
    excluded,
    with_interval,
)
from steady.report.names import ShortNames, names_of
from steady.report.sections import accepted_changes, accepted_sentence, not_compared
from steady.report.sentences import environment_sentence
from steady.report.verdict import verdict_words
from steady.text.escape import command_data, command_property, shorten, visible
from steady.text.numbers import count

SHOWN_PER_KIND = 10
"""Maximum number of annotations of one kind that GitHub shows for a step."""

_LONGEST_LABEL = 300

Severity = Literal["error", "warning", "notice"]
"""Severity of an annotation, by its name on GitHub, most severe first."""

_WORSE = "Benchmark regression"
_BETTER = "Benchmark improvement"


@dataclass(frozen=True, slots=True)
class Finding:
    """The content of one annotation.

    Parameters
    ----------
    level : {"error", "warning", "notice"}
        Severity.
    title : str
        Kind of finding.
    message : str
        Untrusted plain text, which includes the benchmark's name.
    """

    level: Severity
    title: str
    message: str


def workflow_commands(
    comparison: Comparison, summary: Summary, regressions: Literal["error", "warning"] = "error"
) -> list[str]:
    """Return the workflow commands that annotate a job, one for each line of the log.

    Parameters
    ----------
    comparison, summary
        The comparison and its summary.
    regressions : {"error", "warning"}
        Severity of regressions.

    Returns
    -------
    list of str
        Regressions, worst first; lost benchmarks, as warnings; accepted changes and improvements,
        as notices. Of each kind there are at most `SHOWN_PER_KIND`: the last one counts the rest.

    References
    ----------
    GitHub Docs, "Workflow commands for GitHub Actions"; escaping as in actions/toolkit,
    ``packages/core/src/command.ts``.
    """
    all_findings = findings(comparison, summary, regressions)
    return [
        command
        for level in get_args(Severity)
        for command in _commands(level, [f for f in all_findings if f.level == level])
    ]


def _commands(level: Severity, of_level: Sequence[Finding]) -> list[str]:
    if len(of_level) <= SHOWN_PER_KIND:
        return [_command(finding) for finding in of_level]
    first = [_command(finding) for finding in of_level[: SHOWN_PER_KIND - 1]]
    left = count(len(of_level) - len(first), "more", "more")
    return [*first, f"::{level} title=Benchmarks::{left} of this kind in the report"]


def _command(finding: Finding) -> str:
    title = command_property(finding.title)
    return f"::{finding.level} title={title}::{command_data(finding.message)}"


def findings(
    comparison: Comparison, summary: Summary, regressions: Literal["error", "warning"]
) -> list[Finding]:
    """Return regressions, worst first, lost benchmarks, accepted changes, and improvements."""
    names = names_of(comparison)
    warnings = _warnings(comparison, summary, names)
    if not summary.comparable:
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
    text = f"{_label(change.identity, names)}: {metric} from {metric_change(change)}"
    return Finding(level, title, text)


def _accepted(comparison: Comparison, names: ShortNames) -> Iterator[Finding]:
    for change, entry in accepted_changes(comparison):
        metric = f", {shorten(change.metric, _LONGEST_LABEL)}" if change.metric else ""
        accepted = shorten(accepted_sentence(change, entry), _LONGEST_LABEL)
        message = f"{_label(change.identity, names)}{metric}: {accepted}"
        yield Finding("notice", "Benchmark change accepted", message)


def _label(identity: Identity, names: ShortNames) -> str:
    return shorten(names.label(identity), _LONGEST_LABEL)


def _warnings(comparison: Comparison, summary: Summary, names: ShortNames) -> Iterator[Finding]:
    sentence = environment_sentence(summary)
    if not summary.comparable:
        yield Finding("warning", "Benchmarks not comparable", sentence)
    elif summary.differences:
        yield Finding("warning", "Benchmarks in different environments", sentence)
    new = frozenset(comparison.ledger.new)
    for identity, reason, _ in not_compared(comparison.ledger):
        if identity not in new:
            message = f"{_label(identity, names)}: {shorten(reason, _LONGEST_LABEL)}"
            yield Finding("warning", "Benchmark without result", message)
    if not summary.checked and not summary.lost:
        yield Finding("warning", "Benchmarks incomplete", f"{verdict_words(summary).first}.")


_Result = Literal["failure", "error", "skipped", "system-out"]
"""Element for the result of a test; a test that passes only has output."""


def junit(data: ReportData) -> str:
    """Return a comparison as JUnit XML; only conditions of `fail_on` are failures or errors.

    Returns
    -------
    str
        One ``testsuite`` with a ``testcase`` for each benchmark.

    Notes
    -----
    There is no official schema. Elements and attributes are those that GitLab's parser and
    Jenkins' JUnit plugin read: ``failure``, ``error``, ``skipped`` and ``system-out``.
    """
    cases = list(_cases(data.comparison, data.document.summary, data.fail_on))
    results = Counter(case[0].tag for case in cases)
    attributes = {"name": "steady", "tests": str(len(cases))}
    for name, result in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        attributes[name] = str(results[result])
    suite = ElementTree.Element("testsuite", attributes)
    suite.extend(cases)
    ElementTree.indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suite, "unicode")}\n'


def _cases(
    comparison: Comparison, summary: Summary, fail_on: Collection[str]
) -> Iterator[ElementTree.Element]:
    incomplete: _Result = "error" if "incomplete" in fail_on else "system-out"
    if not summary.comparable:
        result: _Result = "error" if "not-comparable" in fail_on else "system-out"
        yield _case(None, result, "not comparable", environment_sentence(summary))
    for change in (*comparison.changes, *comparison.metrics.changes):
        yield _of_change(change, summary, fail_on)
    new = frozenset(comparison.ledger.new)
    for identity, reason, _ in not_compared(comparison.ledger):
        if identity not in new:
            yield _case(identity, incomplete, "no result", reason)
    for identity in comparison.ledger.new:
        yield _case(identity, "skipped", "new", "only in head")
    for identity in comparison.ledger.same_code:
        yield _case(identity, "skipped", "same code", "base and head run the same code")
    for ignored in comparison.ledger.ignored:
        yield _case(ignored.identity, "skipped", "ignored", ignored.reason)
    for entry in comparison.ledger.not_run:
        yield _case(entry.identity, "skipped", "not run", entry.reason)
    if not summary.checked and not summary.lost:
        yield _case(None, incomplete, "incomplete", verdict_words(summary).first)


def _of_change(change: Change, summary: Summary, fail_on: Collection[str]) -> ElementTree.Element:
    text = with_interval(change_in_words(change), change)
    result: _Result = "system-out"
    if not summary.comparable:
        result = "skipped"
    elif change.accepted is not None:
        text = f"{text}; accepted: {change.accepted.reason}"
    elif change.outcome == "regression":
        condition = "metric-regression" if change.metric else "regression"
        result = "failure" if condition in fail_on else result
    elif change.outcome == "unclear":
        text = f"not decided: {text}; upper bound: {excluded(change)}"
        if "unclear" in fail_on and not change.metric:
            result = "failure"
    return _case(change.identity, result, change.outcome, text, change.metric)


def _case(
    identity: Identity | None, result: _Result, kind: str, text: str, metric: str = ""
) -> ElementTree.Element:
    """Return a test case: a benchmark, its secondary metric, or the whole comparison.

    `kind` is the outcome in one word, and `text` describes it on one line.
    """
    group, name = "steady", "comparison"
    if identity is not None:
        group = identity.holder or "steady"
        name = replace(identity, name=identity.parts.member).label
    name = f"{name}: {metric}" if metric else name
    element = ElementTree.Element("testcase", classname=visible(group), name=visible(name))
    text = visible(text)
    about = {"message": text, "type": kind}
    if result in ("system-out", "skipped"):
        text = f"{kind}: {text}"
        # For a skipped test, Jenkins shows the attribute, and GitLab the text.
        about = {"message": text} if result == "skipped" else {}
    ElementTree.SubElement(element, result, about).text = text
    return element
