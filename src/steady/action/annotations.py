"""Annotations of a comparison: in its check run beside a commit, and as commands in a job's log."""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from steady.action.comment_parts import BAD
from steady.compare import Comparison
from steady.github.checks import Annotation, Check, Conclusion
from steady.model import Identity
from steady.report.findings import Finding, Severity, findings
from steady.report.verdict import verdict_words
from steady.source_folder import SourceLine
from steady.text.escape import command_data, command_property, visible
from steady.text.numbers import count

MOST_ANNOTATIONS = 500
"""As many as fit into ten requests. What is less important stands in the check run's text."""

SHOWN_PER_KIND = 10
"""Annotations of one kind that GitHub shows of one step."""


def check_of(
    comparison: Comparison,
    text: str,
    *,
    name: str,
    failed: bool,
    regressions: Literal["error", "warning"],
    lines: Mapping[Identity, SourceLine],
) -> Check:
    """Return the check run that shows a comparison.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    text : str
        The comment; it is the check run's text too.
    name : str
        Distinguishes it from those of other suites.
    failed : bool
        Whether the job fails, as ``fail-on`` asks.
    regressions : {"error", "warning"}
        How regressions are shown.
    lines : mapping of Identity to SourceLine
        Where benchmarks stand; findings about other benchmarks get no annotation.
    """
    worse = comparison.metric_verdict == "regression"
    neutral = worse or comparison.verdict in (*BAD, "unclear")
    conclusion: Conclusion = "failure" if failed else "neutral" if neutral else "success"
    shown = findings(comparison, regressions=regressions)
    placed = ((f, lines.get(f.identity)) for f in shown if f.identity is not None)
    annotations = [_annotation(f, line) for f, line in placed if line is not None]
    title, shown_lines = verdict_words(comparison).first, tuple(annotations[:MOST_ANNOTATIONS])
    return Check(name, conclusion, title, text, shown_lines)


def _annotation(finding: Finding, line: SourceLine) -> Annotation:
    level = "failure" if finding.level == "error" else finding.level
    return Annotation(line.path, line.line, level, finding.title, visible(finding.message))


def workflow_commands(
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
