"""GitHub's workflow commands on a comparison: what stands beside a job and its log."""

# No `from __future__ import annotations` here: it would take this module's own name.

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from steady.compare import Comparison
from steady.model import Identity
from steady.report.findings import Finding, Severity, findings
from steady.source_folder import SourceLine
from steady.text.counting import count
from steady.text.escape import command_data, command_property

SHOWN_PER_KIND = 10
"""Annotations of one kind that GitHub shows of one step."""


def annotations(
    comparison: Comparison,
    *,
    regressions: Literal["error", "warning"] = "error",
    lines: Mapping[Identity, SourceLine] | None = None,
) -> list[str]:
    """Return a comparison as workflow commands, one a line of the log.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    regressions : {"error", "warning"}
        How regressions are shown.
    lines : mapping of Identity to SourceLine, optional
        Where benchmarks stand: their annotations are shown there.

    Returns
    -------
    list of str
        Regressions, the worst first; what has no result, as warnings; accepted changes and
        improvements, as notices.
        At most `SHOWN_PER_KIND` of a kind: where there are more, the last one counts the rest.

    References
    ----------
    GitHub Docs, "Workflow commands for GitHub Actions"; escapes as in actions/toolkit,
    ``packages/core/src/command.ts``.
    """
    all_findings = findings(comparison, regressions=regressions)
    return [
        command
        for level in get_args(Severity)
        for command in _commands(level, [f for f in all_findings if f.level == level], lines or {})
    ]


def _commands(
    level: Severity, of_level: Sequence[Finding], lines: Mapping[Identity, SourceLine]
) -> list[str]:
    if len(of_level) <= SHOWN_PER_KIND:
        return [_command(finding, lines) for finding in of_level]
    first = [_command(finding, lines) for finding in of_level[: SHOWN_PER_KIND - 1]]
    left = count(len(of_level) - len(first), "more", "more")
    return [*first, f"::{level} title=Benchmarks::{left} of this kind in the report"]


def _command(finding: Finding, lines: Mapping[Identity, SourceLine]) -> str:
    at = None if finding.identity is None else lines.get(finding.identity)
    place = "" if at is None else f"file={command_property(at.path)},line={at.line},"
    title = command_property(finding.title)
    return f"::{finding.level} {place}title={title}::{command_data(finding.message)}"
