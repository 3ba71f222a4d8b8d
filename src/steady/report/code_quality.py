"""GitLab's code quality report on a comparison, which merge requests show beside the diff."""

from __future__ import annotations

import json
from collections.abc import Mapping

from steady.compare import Comparison
from steady.model import Identity
from steady.report.findings import PlacedFinding, Severity, placed_findings
from steady.source_folder import SourceLine
from steady.text.escape import visible

_SEVERITIES: dict[Severity, str] = {"error": "major", "warning": "minor"}
"""What is only to be known, such as an improvement, is left out: GitLab lists degradations."""


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
