"""Everything that there is to show of a comparison, in one folder."""

from __future__ import annotations

from pathlib import Path

from steady.compare import Comparison, to_json
from steady.files import write_text
from steady.model import Suite
from steady.optimize.plan import Plan
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
    title: str = "Benchmarks",
    key: str = "default",
) -> list[Path]:
    """Write comment, job summary, HTML report and the comparison itself, each whole or not at all.

    Parameters
    ----------
    folder : path-like
        Where to; made where it does not exist.
    comparison, plan, base, head, full, title, key
        As in `steady.report.html.html` and `steady.report.markdown.comment`.

    Returns
    -------
    list of Path
        ``comment.md``, ``summary.md``, ``report.html`` and ``comparison.json`` in the folder.

    Raises
    ------
    InputError
        If a file cannot be written.
    """
    page = html(comparison, plan, base=base, head=head, full=full, title=title)
    texts = {
        "comment.md": comment(comparison, plan, title=title, key=key),
        "summary.md": summary(comparison, plan, title=title),
        "report.html": page,
        "comparison.json": to_json(comparison),
    }
    return [write_text(Path(folder) / name, text) for name, text in texts.items()]
