"""The HTML page of a comparison: changes, other outcomes, and every fork."""

from collections.abc import Callable, Sequence

from steady.model import Identity
from steady.plan.suite_plan import Plan
from steady.report.content import ReportData
from steady.report.document import Column, Document, Section
from steady.report.fork_pictures import MOST_CHARACTERS, SERIES_LEGEND, draw_forks
from steady.report.markup import page
from steady.report.names import anchor, names_of
from steady.report.plan_report import cost_sentence, former, percent_left
from steady.report.provenance import facts
from steady.report.strips import Strips
from steady.report.verdict import tone
from steady.text.numbers import duration

_NAMED = 5  # maximum number of benchmarks named by an item of a list
_OPEN_ROWS = 25  # maximum number of unclear benchmarks, and of pictures, that are unfolded
_ROW = 750  # characters of a row without a strip, which reduce the space of the forks' pictures


def html(data: ReportData) -> str:
    """Return a report as an HTML page.

    Returns
    -------
    str
        A self-contained, deterministic page. Lines are downsampled, and the pictures of the least
        important benchmarks are omitted if the page would be too large.
    """
    document, plan, runs = data.document, data.plan, data.runs
    chapters = _chapters(document)
    order = _order(chapters)
    strips = Strips.of(data.comparison, runs.base, runs.head, order)
    # Rows beyond the maximum number of strips take space as well.
    room = max(MOST_CHARACTERS - _ROW * strips.left, MOST_CHARACTERS // 20)
    drawn = draw_forks(order, runs.sides, plan, most_characters=room)
    return page(
        "report.html.j2",
        document=document,
        tone=tone(document.summary),
        chapters=chapters,
        strips=strips,
        savings=_savings(plan, document) if plan is not None else None,
        facts=[*data.known, *facts(runs, plan)],
        drawn=drawn,
        pictured={picture.identity for picture in drawn.pictures},
        names=names_of(data.comparison),
        columns_of=_columns,
        free_addresses=_addresses(),
        series_legend=SERIES_LEGEND,
        named=_NAMED,
        open_rows=_OPEN_ROWS,
    )


def _addresses() -> Callable[[Sequence[Identity]], list[str]]:
    """Return a function that returns the anchors of benchmarks that have no anchor yet."""
    given: set[Identity] = set()

    def take(identities: Sequence[Identity]) -> list[str]:
        free = [identity for identity in identities if identity not in given]
        given.update(free)
        return [anchor(identity) for identity in free]

    return take


def _chapters(document: Document) -> list[tuple[str, list[Section]]]:
    """Return the sections of each chapter that has rows, in the document's order."""
    chapters: dict[str, list[Section]] = {}
    for section in document.sections:
        sections = chapters.setdefault(section.chapter or section.title, [])
        sections += [section] if section.rows else []
    return [(title, sections) for title, sections in chapters.items() if sections]


def _order(chapters: Sequence[tuple[str, list[Section]]]) -> dict[Identity, None]:
    """Return all benchmarks of the page, most important first."""
    rows = (row for _, sections in chapters for section in sections for row in section.rows)
    return dict.fromkeys(identity for row in rows for identity in row.identities)


def _columns(section: Section) -> list[tuple[int, Column, str, int | None]]:
    """Return index, column, CSS classes, and the index of the small print, of each column."""
    columns = []
    for index, column in enumerate(section.columns):
        above = section.columns[index - 1] if index else column
        below = index - 1 if above is not column and above.role == "under" else None
        key = column.key if below is None else above.key
        if column.role != "under":
            columns.append((index, column, f"{column.kind} of-{key}", below))
    return columns


def _savings(plan: Plan, document: Document) -> dict[str, object]:
    """Return the savings of the plan and of each benchmark, relative to the run before the plan.

    Detectable changes are given above the plan's table, and not at the top of the page.
    """
    return {
        "sentence": document.cost if plan.wish is None else cost_sentence(plan),
        "share": percent_left(plan.seconds, plan.former_seconds),
        "seconds": duration(plan.seconds),
        "former": former(plan),
        "shares": {
            entry.identity: percent_left(
                entry.seconds,
                entry.full_seconds if entry.today_seconds is None else entry.today_seconds,
            )
            for entry in plan.benchmarks
        },
    }
