"""What a report says of a comparison, and of the plan it followed, as a tree of plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from steady.compare import Change, Comparison, Estimate
from steady.optimize.plan import Plan
from steady.report.acknowledged import (
    accepted_changes,
    accepted_sentence,
    size_text,
    until_text,
)
from steady.report.document import (
    NO_BREAK,
    Cell,
    Code,
    Column,
    Document,
    Row,
    Section,
    Tone,
    Words,
    with_commands,
)
from steady.report.escape import shorten
from steady.report.names import ShortNames, names_of
from steady.report.numbers import (
    change_interval,
    change_percent,
    count,
    detectable,
    excluded,
    interval,
    meaning,
    runs_of,
    value,
)
from steady.report.plan_section import plan_section
from steady.report.scaling import readable
from steady.report.wording import (
    UNCHANGED_SENTENCES,
    UNCLEAR_SENTENCES,
    difference_sentence,
    excluded_sentence,
    headline,
    method_line,
    method_sentences,
    names_sentence,
    next_step,
    not_compared_by_reason,
    notes_by_text,
    savings_sentence,
    unclear_title,
    verdict_sentence,
    warning_sentences,
)

_LONGEST_UNIT = 40
_BENCHMARK = Column("Benchmark", "benchmark", "name")
_WHY = Column("Why", "why")
_TONES: dict[str, Tone] = {"regression": "worse", "improvement": "better", "unchanged": "same"}


def content(
    comparison: Comparison | None, plan: Plan | None = None, *, title: str = "Benchmarks"
) -> Document:
    """Say everything that there is to say, the most important first.

    Parameters
    ----------
    comparison : Comparison, optional
        What was found; without it the report is that of the plan.
    plan : Plan, optional
        What a run of the suite costs, and what it would have cost.
    title : str
        What the suite is called.
    """
    names = names_of(comparison, plan)
    planned = () if plan is None else (plan_section(plan, names),)
    cost = "" if plan is None else savings_sentence(plan)
    prefix = names_sentence(names.prefix) if names.prefix else ""
    if comparison is None:
        return Document(title, "plan", "same", planned, cost=cost, names=prefix)
    step = next_step(comparison, plan)
    at_once = comparison.verdict == "unclear"  # otherwise it stands beside what is unclear
    unclear = UNCLEAR_SENTENCES if at_once else f"{UNCLEAR_SENTENCES} {step}"
    return Document(
        title,
        headline(comparison),
        _TONES.get(comparison.verdict, "open"),
        (*_sections(comparison, names, with_commands(unclear)), *planned),
        verdict=verdict_sentence(comparison),
        known=(excluded_sentence(comparison), *((with_commands(step),) if at_once else ())),
        warnings=tuple(warning_sentences(comparison)),
        cost=cost,
        names=prefix,
        method=names.words(method_line(comparison)),
        decision=tuple(map(names.words, method_sentences(comparison))),
    )


def _sections(
    comparison: Comparison, names: ShortNames, about_unclear: Words
) -> tuple[Section, ...]:
    would_be = "" if comparison.comparable else "would-be "
    worse, better = f"{would_be}regression", f"{would_be}improvement"
    accepted = _changed("acknowledged", "acknowledged", "open", comparison.acknowledged, names)
    still = (
        (unclear_title(comparison), "Unclear", about_unclear, comparison.unclear),
        (
            f"{len(comparison.unchanged):,} unchanged",
            "Unchanged",
            UNCHANGED_SENTENCES,
            comparison.unchanged,
        ),
    )
    return (
        _changed(worse, f"{worse}s", "worse", comparison.regressions, names),
        replace(accepted, page_only=True),
        _acknowledged(comparison, names),
        _not_compared(comparison, names),
        _surroundings(comparison),
        _notes(comparison, names),
        _changed(better, f"{better}s", "better", comparison.improvements, names),
        *(_still(*what, names) for what in still),
        _ignored(comparison, names),
    )


def _changed(
    noun: str, plural: str, tone: Tone, changes: Sequence[Change], names: ShortNames
) -> Section:
    return Section(
        plural.capitalize(),
        noun,
        plural,
        tuple(_change_row(readable(change), names) for change in changes),
        _change_columns(Column("Detectable from", "detectable", "number"), names),
        chapter="Changed",
        tone=tone,
    )


def _still(
    title: str, chapter: str, about: Words, changes: Sequence[Change], names: ShortNames
) -> Section:
    """List what did not change, or what is unclear."""
    noun = title.partition(" ")[2]
    return Section(
        title,
        noun,
        noun,
        tuple(_change_row(readable(change), names) for change in changes),
        _change_columns(Column("Excluded beyond", "excluded", "number"), names),
        (about,),
        folded=True,
        chapter=chapter,
    )


def _change_columns(last: Column, names: ShortNames) -> tuple[Column, ...]:
    return (
        _BENCHMARK,
        Column("Base", "base", "number"),
        Column("Head", "head", "number", "detail"),
        Column("Change", "change", "number", "lead"),
        Column("", "plot", "picture"),
        Column(names.runs_title, "runs", "number", "under"),
        last,
    )


def _change_row(change: Change, names: ShortNames) -> Row:
    changed = change.outcome in ("regression", "improvement")
    cells = (
        Cell(names.named(change.identity)),
        _side(change, change.base, changed=changed),
        _side(change, change.head, changed=changed),
        _by(change, changed=changed),
        Cell(""),
        Cell(names.words(runs_of(change))),
        Cell(detectable(change) if changed else excluded(change)),
    )
    return Row(cells, identity=change.identity)


def _side(change: Change, side: Estimate, *, changed: bool) -> Cell:
    """Show base or head; what the harness's own tools show where somebody may look for it."""
    score = "" if side.score is None else value(side.score)
    return Cell(
        f"{value(side.center)}{NO_BREAK}{shorten(change.unit, _LONGEST_UNIT)}",
        small="" if change.lacking else interval(side),
        aside=f"score {score}" if score and changed else "",
        hover=f"the harness's own score: {score}" if score else "",
    )


def _by(change: Change, *, changed: bool = True) -> Cell:
    word = meaning(change) if changed else ""
    return Cell(change_percent(change), word, change_interval(change))


def _acknowledged(comparison: Comparison, names: ShortNames) -> Section:
    columns = (
        _BENCHMARK,
        Column("Change", "change", "number"),
        Column("Accepted", "accepted"),
        Column("Until", "until"),
        Column("By", "by"),
        _WHY,
    )
    rows = []
    for change, entry in accepted_changes(comparison):
        name = names.named(change.identity)
        cells = (
            Cell(name),
            _by(change),
            Cell(size_text(entry)),
            Cell(until_text(entry)),
            Cell(entry.author, small=entry.source),
            Cell(entry.reason),
        )
        rows.append(Row(cells, (name, f": {accepted_sentence(change, entry)}")))
    return Section("Acknowledged", "acknowledged", "acknowledged", tuple(rows), columns)


def _not_compared(comparison: Comparison, names: ShortNames) -> Section:
    rows = []
    for identities, what, guess in not_compared_by_reason(comparison):
        renamed = ("; renamed to ", names.named(guess), "?") if guess else ()
        cells = (Cell(names.named(*identities)), Cell((*_happened(what), *renamed)))
        rows.append(Row(cells))
    return Section(
        "Not compared",
        "benchmark not compared",
        "benchmarks not compared",
        tuple(rows),
        (_BENCHMARK, Column("What happened", "what")),
    )


def _happened(text: str) -> tuple[str | Code, ...]:
    """Tell our own words from the harness's, which are code."""
    ours, failed, theirs = text.partition("failed: ")
    return (f"{ours}{failed}", Code(theirs)) if failed else (text,)


def _surroundings(comparison: Comparison) -> Section:
    columns = (
        Column("What", "what"),
        Column("Base", "base"),
        Column("Head", "head"),
        Column("Where", "where"),
    )
    rows = []
    for one in comparison.differences:
        base, head = (Code(text) if text else "none" for text in (one.base, one.head))
        where = difference_sentence(one)
        line = (f"{one.what}: ", base, " in base, ", head, f" in head, {where}")
        rows.append(Row((Cell(one.what), Cell(base), Cell(head), Cell(where)), line))
    return Section("Different surroundings", "difference", "differences", tuple(rows), columns)


def _notes(comparison: Comparison, names: ShortNames) -> Section:
    notes: list[Words] = [names.words(remark) for remark in comparison.remarks]
    for text, identities in notes_by_text(comparison):
        many = count(len(identities), "benchmark")
        note = _happened(names.words(text))
        notes.append((f"{many}: ", *note, " (", names.named(*identities), ")"))
    rows = tuple(Row((Cell(note),)) for note in notes)
    return Section("To be aware of", "note", "notes", rows)


def _ignored(comparison: Comparison, names: ShortNames) -> Section:
    rows = tuple(
        Row((Cell(names.named(one.identity)), Cell(one.reason)))
        for one in comparison.ledger.ignored
    )
    return Section(
        f"{len(rows):,} ignored, as the settings say",
        "ignored",
        "ignored",
        rows,
        (_BENCHMARK, _WHY),
        folded=True,
    )
