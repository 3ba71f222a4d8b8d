"""The files of a report: everything that there is to show of a comparison, in one folder."""

from collections.abc import Sequence
from pathlib import Path

from steady.compare import Comparison, to_json
from steady.files import write_text
from steady.plan.suite_plan import Plan
from steady.report.comment import comment, job_summary
from steady.report.document import Document
from steady.report.html import html
from steady.report.provenance import NO_RUNS, Fact, Runs

COMMENT = "comment.md"
SUMMARY = "summary.md"
PAGE = "report.html"
COMPARISON = "comparison.json"

FILES = (COMMENT, SUMMARY, PAGE, COMPARISON)
"""The files of a report."""


def write_report(
    folder: str | Path,
    document: Document,
    comparison: Comparison,
    plan: Plan | None = None,
    runs: Runs = NO_RUNS,
    *,
    known: Sequence[Fact] = (),
    accept: Sequence[str] = (),
) -> list[Path]:
    """Write comment, job summary, HTML report and the comparison itself, each whole or not at all.

    Parameters
    ----------
    folder : path-like
        Where to; made where it does not exist.
    document, comparison, plan, runs, known
        As in `steady.report.html.html`.
    accept
        As in `steady.report.comment.comment`.

    Returns
    -------
    list of Path
        The files of `report_files` in the folder.

    Raises
    ------
    InputError
        If a file cannot be written.
    """
    text = comment(document, accept=accept)
    files = report_files(document, comparison, plan, text, runs, known=known)
    return [write_text(Path(folder) / name, text) for name, text in files.items()]


def report_files(
    document: Document,
    comparison: Comparison,
    plan: Plan | None,
    comment_text: str,
    runs: Runs = NO_RUNS,
    *,
    known: Sequence[Fact] = (),
) -> dict[str, str]:
    """Return the texts of a report by the names of its files.

    Parameters
    ----------
    document : Document
        The report, which all of them show.
    comparison, plan, runs, known
        As in `steady.report.html.html`.
    comment_text : str
        The comment, which depends on where it is posted.

    Returns
    -------
    dict of str to str
        A text for each of `FILES`.
    """
    page = html(document, comparison, plan, runs, known)
    return dict(
        zip(FILES, (comment_text, job_summary(document), page, to_json(comparison)), strict=True)
    )
