"""A comparison as GitLab's code quality report, which merge requests show beside the diff."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from steady.compare import Comparison
from steady.report.findings import Finding, Severity, findings
from steady.report.source_lines import SourceLine, find_lines
from steady.text.escape import visible

_SEVERITIES: dict[Severity, str] = {"error": "major", "warning": "minor"}
"""What is only to be known, such as an improvement, is left out: GitLab lists degradations."""


def code_quality(comparison: Comparison, sources: str | Path = ".") -> str:
    """Write regressions and benchmarks without results as GitLab's code quality report.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    sources : path-like
        Root of the repository, in which the benchmarks' lines are looked for.

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
    loud = [finding for finding in findings(comparison) if finding.level in _SEVERITIES]
    lines = find_lines(sources, [one.identity for one in loud if one.identity is not None])
    entries: dict[object, dict[str, object]] = {}
    for finding in loud:
        line = None if finding.identity is None else lines.get(finding.identity)
        entry = _entry(finding, line)
        entries.setdefault(entry["fingerprint"], entry)
    return json.dumps([*entries.values()], indent=2) + "\n"


def _entry(finding: Finding, line: SourceLine | None) -> dict[str, object]:
    check = f"steady: {finding.title}"
    subject = "comparison" if finding.identity is None else finding.identity.label
    # A metric has findings of its own: what stands before the figures tells them apart.
    kind = finding.message.partition(" from ")[0] if " from " in finding.message else subject
    fingerprint = "\0".join((check, subject, kind)).encode("utf-8", "backslashreplace")
    place = SourceLine(visible(subject), 1) if line is None else line
    return {
        "description": visible(finding.message),
        "check_name": check,
        "fingerprint": hashlib.sha256(fingerprint).hexdigest(),
        "severity": _SEVERITIES[finding.level],
        "location": {"path": place.path, "lines": {"begin": place.line}},
    }
