"""A comparison as commands in a job's log."""

from collections.abc import Sequence
from typing import Literal, get_args

from steady.compare import Comparison
from steady.report.findings import Finding, Severity, findings
from steady.text.escape import command_data, command_property
from steady.text.numbers import count

SHOWN_PER_KIND = 10
"""Annotations of one kind that GitHub shows of one step."""


def workflow_commands(
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
