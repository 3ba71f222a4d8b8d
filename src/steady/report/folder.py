"""Everything that there is to show of a comparison, in one folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from steady.compare import Comparison, to_json
from steady.files import write_text
from steady.model import Suite
from steady.optimize.plan import Plan
from steady.report.facts import Fact
from steady.report.html import html
from steady.report.markdown import comment
from steady.report.summary import summary


def write_report(
    folder: str | Path,
    comparison: Comparison,
    plan: Plan | None = None,
    *,
    base: Suite | None = None,
    head: Suite | None = None,
    full: Suite | None = None,
    known: Sequence[Fact] = (),
    detectors: bool = False,
) -> list[Path]:
    """Write comment, job summary, HTML report and the comparison itself, each whole or not at all.

    Parameters
    ----------
    folder : path-like
        Where to; made where it does not exist.
    comparison, plan, base, head, full, known, detectors
        As in `steady.report.html.html`.

    Returns
    -------
    list of Path
        The files of `report_files` in the folder.

    Raises
    ------
    InputError
        If a file cannot be written.
    """
    files = report_files(
        comparison,
        plan,
        comment(comparison, plan),
        base=base,
        head=head,
        full=full,
        known=known,
        detectors=detectors,
    )
    return [write_text(Path(folder) / name, text) for name, text in files.items()]


def report_files(
    comparison: Comparison,
    plan: Plan | None,
    comment_text: str,
    *,
    base: Suite | None = None,
    head: Suite | None = None,
    full: Suite | None = None,
    title: str = "Benchmarks",
    known: Sequence[Fact] = (),
    detectors: bool = False,
) -> dict[str, str]:
    """Return what a report consists of, by the names of its files.

    Parameters
    ----------
    comparison, plan, base, head, full, title, known, detectors
        As in `steady.report.html.html`.
    comment_text : str
        The comment, which depends on where it is posted.

    Returns
    -------
    dict of str to str
        ``comment.md``, ``summary.md``, ``report.html`` and ``comparison.json``.
    """
    page = html(
        comparison,
        plan,
        base=base,
        head=head,
        full=full,
        title=title,
        known=known,
        detectors=detectors,
    )
    return {
        "comment.md": comment_text,
        "summary.md": summary(comparison, plan, title=title),
        "report.html": page,
        "comparison.json": to_json(comparison),
    }
