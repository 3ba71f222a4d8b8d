"""The job summary: the comment's text with all rows, as far as GitHub shows them."""

from __future__ import annotations

from steady.compare import Comparison
from steady.optimize.plan import Plan
from steady.report.content import content
from steady.report.document import Document
from steady.report.fitting import fit, utf8_bytes
from steady.report.markdown import DEFAULT_TITLE, blocks

SUMMARY_LIMIT = 1_048_576
"""Bytes of one step's summary; GitHub drops a longer one whole."""


def summary(comparison: Comparison, plan: Plan | None = None, *, title: str = DEFAULT_TITLE) -> str:
    """Write a comparison as a job summary; see `summary_of`.

    Parameters
    ----------
    comparison, plan, title
        As in `steady.report.markdown.comment`.
    """
    return summary_of(content(comparison, plan, title=title))


def summary_of(document: Document) -> str:
    """Write a report as a job summary of at most `SUMMARY_LIMIT` bytes.

    Rows that do not fit are counted, from the least important end.

    Returns
    -------
    str
        GitHub Flavored Markdown; the same report gives the same text.
    """
    return fit(blocks(document, "the report"), SUMMARY_LIMIT, utf8_bytes)
