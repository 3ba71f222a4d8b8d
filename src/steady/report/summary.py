"""The job summary: the comment's text with all rows, as far as GitHub shows them."""

from __future__ import annotations

from steady.compare import Comparison
from steady.optimize.plan import Plan
from steady.report.content import content
from steady.report.fitting import fit, utf8_bytes
from steady.report.markdown import blocks

SUMMARY_LIMIT = 1_048_576
"""Bytes of one step's summary; GitHub drops a longer one whole."""


def summary(
    comparison: Comparison,
    plan: Plan | None = None,
    *,
    title: str = "Benchmarks",
    limit: int = SUMMARY_LIMIT,
) -> str:
    """Write a comparison as a job summary.

    Parameters
    ----------
    comparison, plan, title
        As in `steady.report.markdown.comment`.
    limit : int
        Most bytes in UTF-8; rows that do not fit are counted, from the least important end.

    Returns
    -------
    str
        GitHub Flavored Markdown; the same arguments give the same text.
    """
    document = content(comparison, plan, title=title)
    return fit(blocks(document, "the report"), limit, utf8_bytes)
