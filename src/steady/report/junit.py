"""JUnit's XML of a comparison, which GitLab and Jenkins show beside the tests.

What fails the job fails its benchmark here, and nothing else does: the two say the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Literal
from xml.etree import ElementTree

from steady.compare import Change, Comparison
from steady.model import Identity
from steady.report.figures import change_in_words, excluded, with_interval
from steady.report.verdict import headline, verdict_sentence
from steady.report.wording import not_compared
from steady.text.escape import visible

Result = Literal["failure", "error", "skipped", "passed"]


@dataclass(frozen=True, slots=True)
class Case:
    """One test: a benchmark, or a further result of one.

    Parameters
    ----------
    identity : Identity, optional
        Which benchmark; None: the comparison as a whole.
    result : {"failure", "error", "skipped", "passed"}
        What became of it.
    kind : str
        One word: ``regression``, ``unclear``, ...
    text : str
        What there is to say, on one line.
    metric : str
        The further result; empty for the main one.
    """

    identity: Identity | None
    result: Result
    kind: str
    text: str
    metric: str = ""


def junit(comparison: Comparison, fail_on: Collection[str]) -> str:
    """Write a comparison as JUnit's XML.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    fail_on : collection of str
        Conditions of `steady.judging`: only what they name is a failure or an error.

    Returns
    -------
    str
        One ``testsuite`` with a ``testcase`` for each benchmark.

    Notes
    -----
    There is no official schema. Elements and attributes are those that GitLab's parser and
    Jenkins' JUnit plugin read: ``failure``, ``error``, ``skipped`` and ``system-out``.
    """
    cases = list(_cases(comparison, fail_on))
    counts = {
        name: str(sum(case.result == result for case in cases))
        for name, result in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))
    }
    suite = ElementTree.Element("testsuite", {"name": "steady", "tests": str(len(cases)), **counts})
    for case in cases:
        suite.append(_element(case))
    ElementTree.indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suite, "unicode")}\n'


def _cases(comparison: Comparison, fail_on: Collection[str]) -> Iterator[Case]:
    if not comparison.comparable:
        result: Result = "error" if "not-comparable" in fail_on else "passed"
        yield Case(None, result, "not comparable", verdict_sentence(comparison))
    for change in comparison.changes:
        yield _of_change(change, comparison, fail_on, "regression")
    for change in comparison.metrics.changes:
        yield _of_change(change, comparison, fail_on, "metric-regression")
    new = frozenset(comparison.ledger.new)
    for identity, what, _ in not_compared(comparison):
        if identity in new:
            yield Case(identity, "skipped", "new", what)
        else:
            yield Case(identity, _failing("incomplete", fail_on, "error"), "no result", what)
    for identity in comparison.ledger.same_code:
        yield Case(identity, "skipped", "same code", "base and head run the same code")
    for ignored in comparison.ledger.ignored:
        yield Case(ignored.identity, "skipped", "ignored", ignored.reason)
    for entry in comparison.ledger.not_run:
        yield Case(entry.identity, "skipped", "not run", entry.reason)
    if not comparison.has_checked and comparison.ledger.complete:
        result = _failing("incomplete", fail_on, "error")
        yield Case(None, result, "incomplete", headline(comparison))


def _of_change(
    change: Change, comparison: Comparison, fail_on: Collection[str], condition: str
) -> Case:
    text = with_interval(change_in_words(change), change)
    result: Result = "passed"
    if not comparison.comparable:
        result = "skipped"
    elif change.accepted is not None:
        text = f"{text}; accepted: {change.accepted.reason}"
    elif change.outcome == "regression":
        result = _failing(condition, fail_on, "failure")
    elif change.outcome == "unclear":
        text = f"cannot be told yet: {text}; excluded is a change beyond {excluded(change)}"
        if not change.metric:
            result = _failing("unclear", fail_on, "failure")
    return Case(change.identity, result, change.outcome, text, change.metric)


def _failing(condition: str, fail_on: Collection[str], result: Result) -> Result:
    return result if condition in fail_on else "passed"


def _element(case: Case) -> ElementTree.Element:
    group, name = "steady", "comparison"
    if case.identity is not None:
        group = case.identity.holder or "steady"
        name = replace(case.identity, name=case.identity.parts.member).label
    name = f"{name}: {case.metric}" if case.metric else name
    element = ElementTree.Element("testcase", classname=visible(group), name=visible(name))
    text = visible(case.text)
    if case.result == "passed":
        ElementTree.SubElement(element, "system-out").text = f"{case.kind}: {text}"
    elif case.result == "skipped":
        reason = f"{case.kind}: {text}"  # Jenkins shows the attribute, GitLab the text
        ElementTree.SubElement(element, "skipped", message=reason).text = reason
    else:
        inner = ElementTree.SubElement(element, case.result, message=text, type=case.kind)
        inner.text = text
    return element
