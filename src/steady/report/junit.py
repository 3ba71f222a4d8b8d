"""A comparison as JUnit's XML, which other systems show beside the tests.

What fails the job fails its benchmark there, and nothing else does: the two say the same.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Literal
from xml.etree import ElementTree

from steady.compare import Change, Comparison
from steady.compare.summary import Summary
from steady.model import Identity
from steady.report.figures import change_in_words, excluded, with_interval
from steady.report.report_data import ReportData
from steady.report.sections import not_compared
from steady.report.sentences import environment_sentence
from steady.report.verdict import verdict_words
from steady.text.escape import visible

_Result = Literal["failure", "error", "skipped", "system-out"]
"""What becomes of a test; of one that passes there is only its output."""


def junit(data: ReportData) -> str:
    """Write a comparison as JUnit's XML; only conditions of `fail_on` are failures or errors.

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
    for identity, what, _ in not_compared(comparison.ledger):
        if identity not in new:
            yield _case(identity, incomplete, "no result", what)
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
    """Return a test: a benchmark, a further result of one, or the comparison as a whole.

    `kind` is what became of it in one word, and `text` says it on one line.
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
        # Of what was skipped Jenkins shows the attribute, and GitLab the text.
        about = {"message": text} if result == "skipped" else {}
    ElementTree.SubElement(element, result, about).text = text
    return element
