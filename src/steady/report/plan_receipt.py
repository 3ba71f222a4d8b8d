"""The receipt of a plan as Markdown: savings, benchmarks that are not reduced, and differences."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from statistics import median

from steady.optimize.plan_changes import PlanChanges
from steady.plan.suite_plan import BenchmarkPlan, Plan
from steady.report.document import Cell, Column, Name, Names, Row, Section
from steady.report.markdown import Markdown, RowBlock, characters, render_template
from steady.report.names import ShortNames
from steady.report.plan_picture import PICTURES, description
from steady.report.plan_report import (
    above_budget_sentence,
    comparison_with_today,
    count_kept,
    detectable_change,
    detection_sentences,
    expected_error,
    expected_errors,
    former,
    kept,
    largest_savings,
    reduced,
    rotation_sentence,
    run_before,
    runs_sentence,
    saved,
    unbroken,
)
from steady.report.plan_text import change_section, change_sentences
from steady.text.escape import code_span, plain, shorten
from steady.text.numbers import count, duration, listed, percent

LIMIT = 60_000
"""Maximum characters; GitHub allows 65,536 in a comment or description."""

_UNFOLDED_ROWS = 15  # benchmarks in the unfolded table
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")
_LONGEST_NAME, _LONGEST_DETAILS = 64, 40  # characters in the table
_MOST_NAMED = 12  # benchmarks of one reason
_ELSEWHERE = "`plan.md`"


@dataclass(frozen=True, slots=True)
class ReceiptContext:
    """The contents of a receipt besides its plan.

    Parameters
    ----------
    changes : PlanChanges, optional
        Differences to the previous plan; None if there is none.
    problem : str
        Reason why the previous plan is not comparable, as a sentence; otherwise empty.
    address : callable, optional
        Function from names of files in the plan's folder to URLs; None if pictures cannot be shown.
    more : str
        Final sentence, such as the location of the files.
    """

    changes: PlanChanges | None = None
    problem: str = ""
    address: Callable[[str], str] | None = None
    more: str = ""


IN_PLAN_FOLDER = ReceiptContext(address=str)
"""Context of a receipt in the plan's folder, next to the pictures."""


def receipt(plan: Plan, around: ReceiptContext = IN_PLAN_FOLDER) -> str:
    """Render a plan's receipt as Markdown of at most `LIMIT` characters.

    Parameters
    ----------
    plan : Plan
        The plan; if too long, the benchmarks that save least are omitted and counted.
    around : ReceiptContext
        Additional contents; by default, the picture is in the same folder.

    Returns
    -------
    str
        A headline, the picture, differences to the previous plan, a table by decreasing savings,
        benchmarks that are not reduced, with the reasons, and folded details.
    """
    changes = around.changes
    known = plan if changes is None else dict.fromkeys((*plan, *changes.before))
    names = ShortNames.of(known)
    first, others = _savings(plan, names)
    news = "" if changes is None else names.words(" ".join(change_sentences(changes)))
    return render_template(
        "receipt.md.j2",
        _ELSEWHERE,
        LIMIT,
        characters,
        headline=Markdown(headline(plan)),
        picture=Markdown("" if around.address is None else picture(plan, around.address)),
        problem=around.problem,
        news=news,
        sections=[first, _kept(plan, names), *_changed(changes, names), others],
        about=Markdown(_about(plan, names)),
        more=Markdown(around.more),
    )


def _changed(changes: PlanChanges | None, names: ShortNames) -> list[Section]:
    return [] if changes is None else [change_section(changes, names)]


def headline(plan: Plan) -> str:
    """Return the headline: the savings of the plan, or that it saves nothing."""
    less = len(reduced(plan))
    if not less:
        return (
            f"**steady found nothing to save**: {count(len(plan), 'benchmark')} with "
            f"{duration(plan.full_seconds)} in total keep their configuration."
        )
    return (
        f"**{former(plan)} → {duration(plan.seconds)}** "
        f"({saved(plan)}): {less:,} of {count(len(plan), 'benchmark')} reduced."
    )


def picture(plan: Plan, address: Callable[[str], str]) -> str:
    """Return HTML that shows the plan's picture in the reader's light or dark theme.

    Parameters
    ----------
    plan : Plan
        The plan.
    address : callable
        Function from the picture's file name to its URL.
    """
    light, dark = (escape(address(name)) for name in PICTURES.values())
    return (
        f'<picture>\n<source media="(prefers-color-scheme: dark)" srcset="{dark}">\n'
        f'<img src="{light}" alt="{escape(description(plan))}" width="800">\n</picture>'
    )


def _savings(plan: Plan, names: ShortNames) -> tuple[Section, Section]:
    """Return the table of before and after, with all but the first rows folded."""
    before = "today" if plan.today_seconds is not None else "before"
    columns = [
        Column("benchmark", "name"),
        Column(before, "number"),
        Column("seconds", "number"),
        Column("after", "number"),
        Column("seconds", "number"),
        Column("expected error", "number"),
    ]
    if plan.wish is not None:
        columns.append(Column("detectable change", "number"))
    entries = [entry for entry in largest_savings(plan) if entry.status == "reduced"]
    rows = tuple(_row(plan, entry, names) for entry in entries)
    left = rows[_UNFOLDED_ROWS:]
    noted = names.words("forks × (warm-up + iterations)")
    first = Section(
        "Largest savings" if left else "Savings",
        *("reduced benchmark", "reduced benchmarks"),
        rows[:_UNFOLDED_ROWS],
        tuple(columns),
        (f"{before.capitalize()} and after: {noted}.",),
    )
    title = f"{count(len(left), 'more reduced benchmark')}"
    return first, replace(first, title=title, rows=left, intro=(), folded=True)


def _row(plan: Plan, entry: BenchmarkPlan, names: ShortNames) -> Row:
    run, seconds = run_before(plan, entry)
    found = () if plan.wish is None else (Cell(detectable_change(entry)),)
    cells = (
        Cell(_shortened(names.named(entry.identity))),
        Cell(unbroken(run)),
        Cell(duration(seconds)),
        Cell(unbroken(entry.configuration)),
        Cell(duration(entry.seconds)),
        Cell(expected_error(entry)),
        *found,
    )
    return Row(cells, identities=(entry.identity,))


def _shortened(names: Names) -> Names:
    """Shorten long names in the middle, to leave room for the numbers."""
    return Names(
        tuple(
            Name(shorten(name.text, _LONGEST_NAME), shorten(name.details, _LONGEST_DETAILS))
            for name in names.names
        )
    )


def _kept(plan: Plan, names: ShortNames) -> RowBlock:
    """Return the benchmarks that are not reduced, grouped by reason."""
    full = kept(plan)
    rows = [
        f"- {plain(names.words(reason))}: {_named(entries, names)}"
        for reason, entries in grouped_by_reason(full).items()
    ]
    rest = partial(count, noun="more reason", plural="more reasons")
    title = f"#### {count_kept(len(full))}\n"
    return RowBlock(title, tuple(rows), lambda left: f"{rest(left)} in {_ELSEWHERE}.")


def _named(entries: Iterable[BenchmarkPlan], names: ShortNames) -> str:
    labels = [code_span(names.label(one.identity), in_table=False) for one in entries]
    return listed(labels, _MOST_NAMED)


def grouped_by_reason(entries: Iterable[BenchmarkPlan]) -> dict[str, list[BenchmarkPlan]]:
    """Group benchmarks whose reasons differ only in numbers, largest group first.

    Parameters
    ----------
    entries : iterable of BenchmarkPlan
        The benchmarks.

    Returns
    -------
    dict of str to list of BenchmarkPlan
        Benchmarks by reason, in which differing numbers are replaced by their range.
    """
    groups: dict[str, list[BenchmarkPlan]] = {}
    for entry in entries:
        groups.setdefault(_NUMBER.sub("0", entry.reason), []).append(entry)
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    return {_common(group): group for _, group in ordered}


def _common(entries: list[BenchmarkPlan]) -> str:
    """Return the reason of a group, with differing numbers replaced by their range."""
    texts = [_NUMBER.split(entry.reason) for entry in entries]
    pieces = (dict.fromkeys(column) for column in zip(*texts, strict=True))
    return "".join(
        next(iter(piece)) if len(piece) == 1 else f"{min(piece, key=float)}–{max(piece, key=float)}"
        for piece in pieces
    )


def _about(plan: Plan, names: ShortNames) -> str:
    """Describe the making of the plan, as Markdown."""
    sentences = (
        rotation_sentence(plan),
        detection_sentences(plan),
        comparison_with_today(plan),
        error_sentences(plan),
        plain(plan.judged),
        plain(names.sentence),
    )
    return " ".join(filter(None, sentences))


def error_sentences(plan: Plan) -> str:
    """Return a sentence about the expected error of the reduced results."""
    errors = expected_errors(plan)
    if not errors:
        return "The expected error is unknown: it requires at least three forks."
    sentences = (
        "Expected error of a reduced result, on held-out forks: median "
        f"{percent(median(errors))}, worst {percent(errors[-1])}.",
        above_budget_sentence(plan),
        runs_sentence(plan),
        f"Strategy {code_span(plan.strategy)}; seconds include the start of every fork and its "
        "warm-up.",
    )
    return " ".join(filter(None, sentences))
