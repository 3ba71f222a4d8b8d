"""The report as one HTML page that needs nothing else: no script, no font, no network."""

from __future__ import annotations

import re

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from steady.compare import Comparison
from steady.errors import InputError
from steady.model import Suite
from steady.optimize.plan import Plan
from steady.report.content import content
from steady.report.document import Code, Column, Document, Name, Section, Spelling, Words
from steady.report.drawing import PLOT_WIDTH, SERIES_HEIGHT, SERIES_WIDTH, Scale
from steady.report.forks_view import draw_forks
from steady.report.names import names_of
from steady.report.saving import former
from steady.text.counting import count
from steady.text.escape import shorten, visible
from steady.text.numbers import NO_BREAK, duration, share

_LONGEST_TEXT = 2000  # characters of one label or message
_NAMED = 5  # benchmarks that an item of a list names; a table names all
_WORD_ENDS = re.compile(r"(?<=[./_])|(?<=[a-z0-9])(?=[A-Z])")


def html(
    comparison: Comparison | None = None,
    plan: Plan | None = None,
    *,
    base: Suite | None = None,
    head: Suite | None = None,
    full: Suite | None = None,
    title: str = "Benchmarks",
    document: Document | None = None,
) -> str:
    """Write a comparison, a plan, or both as an HTML page.

    Parameters
    ----------
    comparison : Comparison, optional
        What was found.
    plan : Plan, optional
        What runs from now on, and what that saves.
    base, head : Suite, optional
        The two runs, to draw their forks.
    full : Suite, optional
        The run that the plan was made from: its forks are drawn with their steady states.
    title : str
        What the suite is called.
    document : Document, optional
        The same as a tree, where it is made already.

    Returns
    -------
    str
        Self-contained; the same arguments give the same text. Series are thinned, and where
        there are very many forks those of the least important benchmarks are left out.

    Raises
    ------
    InputError
        If there is neither a comparison nor a plan.
    """
    if comparison is None and plan is None:
        raise InputError("there is nothing to report: give a comparison, a plan, or both")
    if document is None:
        document = content(comparison, plan, title=title)
    names = names_of(comparison, plan)
    chapters = _chapters(document)
    rows = (row for _, sections in chapters for section in sections for row in section.rows)
    order = dict.fromkeys(identity for row in rows for identity in row.identities)
    pictures, left = draw_forks(order, (("full", full), ("base", base), ("head", head)), plan)
    environment = Environment(
        loader=PackageLoader("steady.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"words": _words, "columns": _columns, "breakable": _breakable}
    environment.filters["counted"] = lambda s: count(len(s.rows), s.noun, s.plural)
    return environment.get_template("report.html.j2").render(
        document=document,
        chapters=chapters,
        changes=_changes(comparison) if comparison else None,
        savings=_savings(plan) if plan is not None else None,
        pictures=[(names.named(picture.identity), picture) for picture in pictures],
        not_drawn=left,
        named=_NAMED,
        plot_width=PLOT_WIDTH,
        series_width=SERIES_WIDTH,
        series_height=SERIES_HEIGHT,
    )


def _words(words: Words, most: int | None = None) -> Markup:
    """Write words as HTML, of the benchmarks that they name at most so many."""
    return Markup(Spelling(_text, _code, _name, most)(words))  # noqa: S704 - all is escaped


def _text(text: str) -> Markup:
    return escape(_shown(text))


def _code(code: Code) -> Markup:
    return Markup("<code>{}</code>").format(_shown(code.text))


def _name(name: Name) -> Markup:
    """Let a name break where its words end."""
    words = Markup("<wbr>").join(_WORD_ENDS.split(_shown(name.text)))
    details = Markup(" <small>{}</small>").format(_shown(name.details)) if name.details else ""
    return Markup("<code>{}</code>{}").format(words, details)


def _shown(text: str) -> str:
    return shorten(visible(text, kept=NO_BREAK), _LONGEST_TEXT)


def _chapters(document: Document) -> list[tuple[str, list[Section]]]:
    """Gather what shares one table; what changed stands first, whatever else there is."""
    chapters: dict[str, list[Section]] = {}
    for section in document.sections:
        sections = chapters.setdefault(section.chapter or section.title, [])
        sections += [section] if section.rows else []
    return [(title, sections) for title, sections in chapters.items() if sections]


def _columns(section: Section) -> list[tuple[int, Column, str, int | None]]:
    """Return where each column of a page is in the tree, its classes, and what is small below."""
    columns = []
    for index, column in enumerate(section.columns):
        above = section.columns[index - 1] if index else column
        below = index - 1 if above is not column and above.role == "under" else None
        key = column.key if below is None else above.key
        if column.role != "under":
            columns.append((index, column, f"{column.kind} of-{key}", below))
    return columns


def _breakable(interval: str) -> str:
    """Let an interval break before its upper end: two of nine digits leave names no room."""
    return interval.replace(f"to{NO_BREAK}", "to ")


def _changes(comparison: Comparison) -> dict[str, object]:
    """Draw every change on one scale, with the band of changes that do not count."""
    scale = Scale.of(comparison.changes)
    usual = float(comparison.options.get("min_change") or 0)
    pictures = {}
    for change in comparison.changes:
        least = usual if change.min_change is None else change.min_change
        band = scale.position(-least), scale.position(least)
        pictures[change.identity] = scale.bar(change), *band
    return {"ticks": [(x, _tick(change)) for x, change in scale.ticks()], "pictures": pictures}


def _tick(change: float) -> str:
    sign = "−" if change < 0 else "+" if change > 0 else ""
    return sign + share(abs(change))


def _savings(plan: Plan) -> dict[str, object]:
    """Measure the plan, and each of its benchmarks, against what ran before."""
    return {
        "share": _share(plan.seconds, plan.former_seconds),
        "seconds": duration(plan.seconds),
        "former": former(plan),
        "shares": {
            entry.identity: _share(
                entry.seconds,
                entry.full_seconds if entry.today_seconds is None else entry.today_seconds,
            )
            for entry in plan.benchmarks
        },
    }


def _share(seconds: float, former_seconds: float) -> float:
    """Return a part in percent of the whole, 100 at most."""
    return min(100 * seconds / former_seconds, 100.0) if former_seconds > 0 else 100.0
