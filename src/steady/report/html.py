"""The page of a report on two runs: what changed, what did not, and every fork."""

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

_NAMED = 5  # benchmarks that an item of a list names; a table names all
_OPEN_ROWS = 25  # rows of what is unclear, and pictures, that are unfolded from the beginning
_ROW = 750  # characters of a row without a picture; so much less room have those of the forks


def html(data: ReportData) -> str:
    """Write a report as an HTML page.

    Returns
    -------
    str
        Self-contained; the same arguments give the same text. Lines are thinned, and where there
        are very many forks those of the least important benchmarks are drawn together.
    """
    document, plan, runs = data.document, data.plan, data.runs
    chapters = _chapters(document)
    order = _order(chapters)
    strips = Strips.of(data.comparison, runs.base, runs.head, order)
    # Rows without a picture take room too, where a page has more rows than strips.
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
    """Return what gives those addresses of benchmarks that no row has yet."""
    given: set[Identity] = set()

    def take(identities: Sequence[Identity]) -> list[str]:
        free = [identity for identity in identities if identity not in given]
        given.update(free)
        return [anchor(identity) for identity in free]

    return take


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
