"""What was found in files that other systems show: SARIF beside the source, JUnit beside the tests.

What fails the job fails its benchmark in JUnit's XML, and nothing else does: the two say the same.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from importlib.metadata import version
from typing import Any, Literal
from urllib.parse import quote
from xml.etree import ElementTree

from steady.compare import Change, Comparison
from steady.model import Identity
from steady.report.figures import change_in_words, excluded, with_interval
from steady.report.findings import Finding, Severity, Title, findings
from steady.report.verdict import headline, verdict_sentence
from steady.report.wording import not_compared
from steady.source_folder import SourceLine
from steady.text.escape import visible

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

Level = Literal["error", "warning", "note", "none"]

_Result = Literal["failure", "error", "skipped", "system-out"]
"""What becomes of a test; of one that passes there is only its output."""

_LEVELS: Mapping[Severity, Level] = {"error": "error", "warning": "warning", "notice": "note"}

_RULES: Mapping[Title, tuple[Level, str]] = {
    "Benchmark regression": ("error", "A benchmark became worse by a size that counts."),
    "Benchmark without result": ("warning", "A benchmark has no result that can be compared."),
    "Benchmarks incomplete": ("warning", "Nothing was compared, so this is not a pass."),
    "Benchmarks not comparable": (
        "warning", "Base and head ran in different surroundings, so there is no verdict.",
    ),
    "Benchmarks in different surroundings": (
        "warning", "Base and head ran in different surroundings.",
    ),
    "Benchmark change accepted": ("note", "A benchmark became worse, and that is accepted."),
    "Benchmark improvement": ("none", "A benchmark became better by a size that counts."),
}  # fmt: skip
"""The usual level of each kind of finding, and what it means."""


def sarif(comparison: Comparison, lines: Mapping[Identity, SourceLine]) -> str:
    """Write what was found as a log of SARIF 2.1.0.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    lines : mapping of Identity to SourceLine
        Where benchmarks stand, as far as that is known (`lines_of_findings`).

    Returns
    -------
    str
        JSON. Each kind of finding is a rule. A result whose line is not known names its benchmark
        in place of a file, since code scanning refuses a result without a place.

    Notes
    -----
    A regression is an ``error`` and whatever has no result is a ``warning``. An accepted change
    is a ``note`` that is marked as suppressed. An improvement is of the kind ``informational``,
    which has no level because nothing is wrong. Unchanged and unclear benchmarks are not listed.

    References
    ----------
    OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", sections 3.27
    (results), 3.28 (places), 3.35 (suppressions) and 3.49 (rules).
    """
    results: dict[str, dict[str, Any]] = {}
    for finding in findings(comparison):
        mark = _fingerprint(finding)
        line = None if finding.identity is None else lines.get(finding.identity)
        results.setdefault(mark, _result(finding, line, mark))
    driver = {
        "name": "steady",
        "version": version("steady-action"),
        "rules": [_rule(title) for title in _RULES],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [*results.values()],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _identifier(title: Title) -> str:
    return title.lower().replace(" ", "-")


def _rule(title: Title) -> dict[str, Any]:
    level, sentence = _RULES[title]
    return {
        "id": _identifier(title),
        "shortDescription": {"text": sentence},
        "defaultConfiguration": {"level": level},
    }


def _subject(finding: Finding) -> str:
    """Say what a finding is about: the benchmark's name, or the comparison."""
    return "comparison" if finding.identity is None else visible(finding.identity.label)


def _fingerprint(finding: Finding) -> str:
    """Return a mark that stays the same as long as the finding is of one kind and benchmark."""
    subject = _subject(finding)
    before, figures, _ = finding.message.partition(" from ")
    # A metric has findings of its own: what stands before the figures tells them apart.
    parts = (f"steady: {finding.title}", subject, before if figures else subject)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()


def _result(finding: Finding, line: SourceLine | None, mark: str) -> dict[str, Any]:
    level = "none" if _RULES[finding.title][0] == "none" else _LEVELS[finding.level]
    result = {
        "ruleId": _identifier(finding.title),
        "ruleIndex": [*_RULES].index(finding.title),
        "kind": "informational" if level == "none" else "fail",
        "level": level,
        "message": {"text": _text(f"{finding.message.rstrip('.')}.")},
        "locations": [_location(finding, line)],
        "partialFingerprints": {"steady/v1": mark},
    }
    if finding.title == "Benchmark change accepted":
        result["suppressions"] = [{"kind": "external", "status": "accepted"}]
    return result


def _text(text: str) -> str:
    """Return a text in which nothing is a placeholder or a link (sections 3.11.5 and 3.11.6)."""
    unlinked = visible(text).replace("](", "]\u2060(")
    return unlinked.replace("{", "{{").replace("}", "}}")


def _location(finding: Finding, line: SourceLine | None) -> dict[str, Any]:
    path = _subject(finding) if line is None else line.path
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(path, errors="replace")}}
    if line is not None:
        place["region"] = {"startLine": line.line}
    location: dict[str, Any] = {"physicalLocation": place}
    if finding.identity is not None:
        named = {"fullyQualifiedName": _subject(finding), "kind": "function"}
        location["logicalLocations"] = [named]
    return location


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
    results = Counter(case[0].tag for case in cases)
    attributes = {"name": "steady", "tests": str(len(cases))}
    for name, result in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        attributes[name] = str(results[result])
    suite = ElementTree.Element("testsuite", attributes)
    suite.extend(cases)
    ElementTree.indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suite, "unicode")}\n'


def _cases(comparison: Comparison, fail_on: Collection[str]) -> Iterator[ElementTree.Element]:
    incomplete: _Result = "error" if "incomplete" in fail_on else "system-out"
    if not comparison.comparable:
        result: _Result = "error" if "not-comparable" in fail_on else "system-out"
        yield _case(None, result, "not comparable", verdict_sentence(comparison))
    for change in (*comparison.changes, *comparison.metrics.changes):
        yield _of_change(change, comparison, fail_on)
    new = frozenset(comparison.ledger.new)
    for identity, what, _ in not_compared(comparison):
        if identity in new:
            yield _case(identity, "skipped", "new", what)
        else:
            yield _case(identity, incomplete, "no result", what)
    for identity in comparison.ledger.same_code:
        yield _case(identity, "skipped", "same code", "base and head run the same code")
    for ignored in comparison.ledger.ignored:
        yield _case(ignored.identity, "skipped", "ignored", ignored.reason)
    for entry in comparison.ledger.not_run:
        yield _case(entry.identity, "skipped", "not run", entry.reason)
    if not comparison.has_checked and comparison.ledger.complete:
        yield _case(None, incomplete, "incomplete", headline(comparison))


def _of_change(
    change: Change, comparison: Comparison, fail_on: Collection[str]
) -> ElementTree.Element:
    text = with_interval(change_in_words(change), change)
    result: _Result = "system-out"
    if not comparison.comparable:
        result = "skipped"
    elif change.accepted is not None:
        text = f"{text}; accepted: {change.accepted.reason}"
    elif change.outcome == "regression":
        condition = "metric-regression" if change.metric else "regression"
        result = "failure" if condition in fail_on else result
    elif change.outcome == "unclear":
        text = f"cannot be told yet: {text}; excluded is a change beyond {excluded(change)}"
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
