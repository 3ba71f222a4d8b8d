"""Reports in all formats, directly from a comparison."""

from collections.abc import Collection, Sequence
from typing import Any, Literal

from steady import judging
from steady.compare import Comparison
from steady.compare.summary import Summary
from steady.plan.suite_plan import Plan
from steady.report import ci
from steady.report import comment as of_comment
from steady.report import html as page
from steady.report import terminal as of_terminal
from steady.report.content import NOTHING_MORE, ReportData, content
from steady.report.provenance import NO_RUNS, Fact, Measured, Runs


def comment(
    comparison: Comparison,
    plan: Plan | None = None,
    *,
    title: str = of_comment.DEFAULT_TITLE,
    measured: Measured = NOTHING_MORE,
    **posting: Any,
) -> str:
    """Return the comment; `posting` has further arguments of `comment.comment`."""
    document = content(comparison, plan, title=title, measured=measured)
    return of_comment.comment(document, **posting)


def summary(
    comparison: Comparison, plan: Plan | None = None, *, title: str = of_comment.DEFAULT_TITLE
) -> str:
    """Return the job summary."""
    return of_comment.job_summary(content(comparison, plan, title=title))


def html(
    comparison: Comparison,
    plan: Plan | None = None,
    runs: Runs = NO_RUNS,
    *,
    title: str = of_comment.DEFAULT_TITLE,
    known: Sequence[Fact] = (),
) -> str:
    """Return the page."""
    return page.html(
        ReportData(comparison=comparison, plan=plan, runs=runs, known=known, title=title)
    )


def terminal(comparison: Comparison, plan: Plan | None = None, **shown: Any) -> str:
    """Return the text for a terminal; `shown` has the width and whether to use colours."""
    return of_terminal.terminal(content(comparison, plan), **shown)


def junit(comparison: Comparison, fail_on: Collection[str]) -> str:
    """Return the JUnit XML."""
    return ci.junit(ReportData(comparison=comparison, fail_on=fail_on))


def workflow_commands(
    comparison: Comparison, regressions: Literal["error", "warning"] = "error"
) -> list[str]:
    """Return the workflow commands in the job's log."""
    return ci.workflow_commands(comparison, Summary.of(comparison), regressions)


def reasons_to_fail(comparison: Comparison, fail_on: frozenset[str]) -> tuple[str, ...]:
    """Return the conditions that fail the job."""
    return judging.reasons_to_fail(Summary.of(comparison), fail_on)
