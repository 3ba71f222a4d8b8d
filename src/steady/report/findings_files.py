"""The findings in files that others show beside the source: SARIF's log, GitLab's code quality."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, Literal
from urllib.parse import quote

from steady.compare import Comparison
from steady.model import Identity
from steady.report.findings import PlacedFinding, Severity, Title, placed_findings
from steady.source_folder import SourceLine
from steady.text.escape import visible

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

Level = Literal["error", "warning", "note", "none"]

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

_NUMBERS = {title: number for number, title in enumerate(_RULES)}

_SEVERITIES: dict[Severity, str] = {"error": "major", "warning": "minor"}
"""What is only to be known, such as an improvement, is left out: GitLab lists degradations."""


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
    results = placed_findings(comparison, lines, _LEVELS)
    driver = {
        "name": "steady",
        "version": version("steady-action"),
        "rules": [_rule(title) for title in _RULES],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one) for one in results],
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


def _result(placed: PlacedFinding) -> dict[str, Any]:
    finding = placed.finding
    level = "none" if _RULES[finding.title][0] == "none" else _LEVELS[finding.level]
    result = {
        "ruleId": _identifier(finding.title),
        "ruleIndex": _NUMBERS[finding.title],
        "kind": "informational" if level == "none" else "fail",
        "level": level,
        "message": {"text": _text(f"{finding.message.rstrip('.')}.")},
        "locations": [_location(placed)],
        "partialFingerprints": {"steady/v1": placed.fingerprint},
    }
    if finding.title == "Benchmark change accepted":
        result["suppressions"] = [{"kind": "external", "status": "accepted"}]
    return result


def _text(text: str) -> str:
    """Return a text in which nothing is a placeholder or a link (sections 3.11.5 and 3.11.6)."""
    unlinked = visible(text).replace("](", "]\u2060(")
    return unlinked.replace("{", "{{").replace("}", "}}")


def _location(placed: PlacedFinding) -> dict[str, Any]:
    path = placed.subject if placed.line is None else placed.line.path
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(path, errors="replace")}}
    if placed.line is not None:
        place["region"] = {"startLine": placed.line.line}
    location: dict[str, Any] = {"physicalLocation": place}
    if placed.finding.identity is not None:
        location["logicalLocations"] = [{"fullyQualifiedName": placed.subject, "kind": "function"}]
    return location


def code_quality(comparison: Comparison, lines: Mapping[Identity, SourceLine]) -> str:
    """Write regressions and benchmarks without results as GitLab's code quality report.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    lines : mapping of Identity to SourceLine
        Where benchmarks stand, as far as that is known (`lines_of_findings`).

    Returns
    -------
    str
        JSON. An entry whose line is not known names its benchmark in place of a file.

    Notes
    -----
    The fields are those of GitLab's documentation, a part of Code Climate's specification:
    ``description``, ``check_name``, ``fingerprint``, ``severity``, ``location.path`` and
    ``location.lines.begin``. A fingerprint stays the same as long as the finding is of the same
    kind and benchmark, so that GitLab tells new findings from known ones.
    """
    entries = [_entry(one) for one in placed_findings(comparison, lines, _SEVERITIES)]
    return json.dumps(entries, indent=2) + "\n"


def _entry(placed: PlacedFinding) -> dict[str, object]:
    finding = placed.finding
    place = placed.line or SourceLine(placed.subject, 1)
    return {
        "description": visible(finding.message),
        "check_name": f"steady: {finding.title}",
        "fingerprint": placed.fingerprint,
        "severity": _SEVERITIES[finding.level],
        "location": {"path": place.path, "lines": {"begin": place.line}},
    }
