"""Format a comparison as workflow commands for the job's log."""

from collections.abc import Sequence
from typing import Literal, get_args

from steady.compare import Comparison
from steady.report.findings import Finding, Severity, findings
from steady.text.escape import command_data, command_property
from steady.text.numbers import count

SHOWN_PER_KIND = 10
"""Maximum annotations of one level that GitHub shows for a step."""


def workflow_commands(
    comparison: Comparison, *, regressions: Literal["error", "warning"] = "error"
) -> list[str]:
    """Return a comparison as workflow commands, one per line of the log.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    regressions : {"error", "warning"}
        Annotation level of regressions.

    Returns
    -------
    list of str
        Regressions, worst first; warnings for benchmarks without a result; notices for accepted
        changes and improvements. There are at most `SHOWN_PER_KIND` of a level; if there are more,
        the last one gives the number of the others.

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
