"""The page of a report, which needs nothing else: no font, no network, and a short script.

Everything on the page can be read without the script, which sorts, filters and searches.
"""

import base64
import hashlib
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from steady.compare import Comparison
from steady.model import Identity
from steady.optimize.suite_plan import Plan
from steady.report.document import Code, Column, Document, Name, Section, Spelling, Words
from steady.report.fork_pictures import MOST_CHARACTERS, SERIES_LEGEND, draw_forks
from steady.report.names import anchor, names_of
from steady.report.plan_report import cost_sentence, former
from steady.report.provenance import Fact, Runs, facts
from steady.report.strips import Strips
from steady.report.svg import shown
from steady.text.numbers import NO_BREAK, count, duration

_NAMED = 5  # benchmarks that an item of a list names; a table names all
_OPEN_ROWS = 25  # rows of what is unclear, and pictures, that are unfolded from the beginning
_ROW = 750  # characters of a row without a picture; so much less room have those of the forks
_WORD_ENDS = re.compile(r"(?<=[./_])|(?<=[a-z0-9])(?=[A-Z])")


def html(
    document: Document,
    comparison: Comparison,
    plan: Plan | None,
    runs: Runs,
    known: Sequence[Fact],
) -> str:
    """Write a report as an HTML page.

    Parameters
    ----------
    document : Document
        The report.
    comparison : Comparison
        What was found.
    plan : Plan, optional
        What runs from now on, and what that saves.
    runs : Runs
        What is drawn: the forks of base and head, and those of the full run.
    known : sequence of Fact
        What else stands at the head of the page: commits, a command.

    Returns
    -------
    str
        Self-contained; the same arguments give the same text. Lines are thinned, and where there
        are very many forks those of the least important benchmarks are drawn together.
    """
    chapters = _chapters(document)
    order = _order(chapters)
    strips = Strips.of(comparison, runs.base, runs.head, order)
    # Rows without a picture take room too, where a page has more rows than strips.
    room = max(MOST_CHARACTERS - _ROW * strips.left, MOST_CHARACTERS // 20)
    drawn = draw_forks(order, runs.sides, plan, most_characters=room)
    script = _resource("report.js")
    return _environment().get_template("report.html.j2").render(
        document=document,
        chapters=chapters,
        strips=strips,
        savings=_savings(plan, document) if plan is not None else None,
        facts=[*known, *facts(runs, plan)],
        drawn=drawn,
        pictured={picture.identity for picture in drawn.pictures},
        names=names_of(comparison),
        anchor=anchor,
        free_addresses=_addresses(),
        series_legend=SERIES_LEGEND,
        named=_NAMED,
        open_rows=_OPEN_ROWS,
        styles=Markup(_resource("pictures.css")),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )  # fmt: skip


def _addresses() -> Callable[[Sequence[Identity]], list[str]]:
    """Return what gives those addresses of benchmarks that no row has yet."""
    given: set[Identity] = set()

    def take(identities: Sequence[Identity]) -> list[str]:
        free = [identity for identity in identities if identity not in given]
        given.update(free)
        return [anchor(identity) for identity in free]

    return take


@cache
def _environment() -> Environment:
    """Return what compiles the template, which takes longer than filling it in; it is kept."""
    environment = Environment(
        loader=PackageLoader("steady.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"words": _words, "columns": _columns}
    # An interval may break before its upper end: two of nine digits leave names no room.
    environment.filters["breakable"] = lambda s: s.replace(f"to{NO_BREAK}", "to ")
    environment.filters["counted"] = lambda s: count(len(s.rows), s.noun, s.plural)
    return environment


def _resource(name: str) -> str:
    return (files("steady.report") / "templates" / name).read_text(encoding="utf-8")


def _words(words: Words, most: int | None = None) -> Markup:
    """Write words as HTML, of the benchmarks that they name at most so many."""
    return Markup(Spelling(_text, _code, _name, most)(words))  # noqa: S704 - all is escaped


def _text(text: str) -> Markup:
    return escape(shown(text))


def _code(code: Code) -> Markup:
    return Markup("<code>{}</code>").format(shown(code.text))


def _name(name: Name) -> Markup:
    """Let a name break where its words end."""
    words = Markup("<wbr>").join(_WORD_ENDS.split(shown(name.text)))
    details = Markup(" <small>{}</small>").format(shown(name.details)) if name.details else ""
    return Markup("<code>{}</code>{}").format(words, details)


def _chapters(document: Document) -> list[tuple[str, list[Section]]]:
    """Gather what shares one table; what changed stands first, whatever else there is."""
    chapters: dict[str, list[Section]] = {}
    for section in document.sections:
        sections = chapters.setdefault(section.chapter or section.title, [])
        sections += [section] if section.rows else []
    return [(title, sections) for title, sections in chapters.items() if sections]


def _order(chapters: Sequence[tuple[str, list[Section]]]) -> dict[Identity, None]:
    """Return all benchmarks that the page names, the most important first."""
    rows = (row for _, sections in chapters for section in sections for row in section.rows)
    return dict.fromkeys(identity for row in rows for identity in row.identities)


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


def _savings(plan: Plan, document: Document) -> dict[str, object]:
    """Measure the plan, and each of its benchmarks, against what ran before.

    What a plan for the verdict finds stands above its table, and not at the head of the page.
    """
    return {
        "sentence": document.cost if plan.wish is None else cost_sentence(plan),
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
