"""Reports straight from a comparison, as most tests need them."""

from collections.abc import Sequence
from typing import Any

from steady.compare import Comparison
from steady.plan.suite_plan import Plan
from steady.report import html as page
from steady.report import markdown
from steady.report.content import NOTHING_MORE, content
from steady.report.provenance import NO_RUNS, Fact, Measured, Runs
from steady.report.report_data import ReportData


def comment(
    comparison: Comparison,
    plan: Plan | None = None,
    *,
    title: str = markdown.DEFAULT_TITLE,
    measured: Measured = NOTHING_MORE,
    **posting: Any,
) -> str:
    """Return the comment; `posting` is what `markdown.comment` takes beside the report."""
    document = content(comparison, plan, title=title, measured=measured)
    return markdown.comment(document, **posting)


def summary(
    comparison: Comparison, plan: Plan | None = None, *, title: str = markdown.DEFAULT_TITLE
) -> str:
    """Return the job summary."""
    return markdown.summary(content(comparison, plan, title=title))


def html(
    comparison: Comparison,
    plan: Plan | None = None,
    runs: Runs = NO_RUNS,
    *,
    title: str = markdown.DEFAULT_TITLE,
    known: Sequence[Fact] = (),
) -> str:
    """Return the page."""
    return page.html(
        ReportData(comparison=comparison, plan=plan, runs=runs, known=known, title=title)
    )
