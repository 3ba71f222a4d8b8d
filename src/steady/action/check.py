"""A comparison as a check run: what stands beside the commit and on the benchmarks' lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from steady.action.sticky import BAD
from steady.compare import Comparison
from steady.github.checks import Annotation, Check, Conclusion
from steady.model import Identity
from steady.report.findings import Finding, findings
from steady.report.verdict import brief_words
from steady.source_folder import SourceLine
from steady.text.escape import visible

MOST_ANNOTATIONS = 500
"""As many as fit into ten requests. What is less important stands in the check run's text."""


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
    undecided = (*BAD, "unclear")
    worse = comparison.metric_verdict == "regression"
    neutral = worse or comparison.verdict in undecided
    conclusion: Conclusion = "neutral" if neutral else "success"
    shown = findings(comparison, regressions=regressions)
    placed = ((f, lines.get(f.identity)) for f in shown if f.identity is not None)
    annotations = [_annotation(f, line) for f, line in placed if line is not None]
    return Check(
        name,
        "failure" if failed else conclusion,
        brief_words(comparison).first,
        text,
        tuple(annotations[:MOST_ANNOTATIONS]),
    )


def _annotation(finding: Finding, line: SourceLine) -> Annotation:
    level = "failure" if finding.level == "error" else finding.level
    return Annotation(line.path, line.line, level, finding.title, visible(finding.message))
