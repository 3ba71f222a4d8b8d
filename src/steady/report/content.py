"""The content of a report on a comparison and its plan, as a tree of plain values."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from steady.compare import Change, Comparison, Estimate, Ignored
from steady.model import Identity
from steady.plan.suite_plan import Plan
from steady.report import figures, verdict, wording
from steady.report.accepted_changes import accepted_section
from steady.report.change_rows import (
    change_cell,
    glance_section,
    metric_sections,
    metric_sentence,
)
from steady.report.document import (
    AT_MOST,
    BENCHMARK,
    Brief,
    Cell,
    Code,
    Column,
    Document,
    Piece,
    Row,
    RowsOnDemand,
    Section,
    Tone,
    Words,
    with_commands,
)
from steady.report.figures import readable
from steady.report.names import ShortNames, names_of
from steady.report.plan_report import plan_section, savings_sentence
from steady.report.provenance import Measured, facts_line
from steady.report.same_code_words import control_sentence, control_warning, same_code_section
from steady.report.wording import advice
from steady.text import numbers
from steady.text.escape import shorten
from steady.text.numbers import count

_LONGEST_UNIT = 40
NOTHING_MORE = Measured()
_NOT_COMPARED = ("benchmark not compared", "benchmarks not compared")
_UNCLEAR = "Unclear"
_TONES: dict[str, Tone] = {"regression": "worse", "improvement": "better", "unchanged": "same"}


def content(
    comparison: Comparison,
    plan: Plan | None = None,
    *,
    title: str = "Benchmarks",
    measured: Measured = NOTHING_MORE,
) -> Document:
    """Say everything that there is to say, the most important first.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    plan : Plan, optional
        What a run of the suite costs, and what it would have cost.
    title : str
        What the suite is called.
    measured : Measured
        What is known of the comparison beside its results.
    """
    names = names_of(comparison)
    step = with_commands(wording.next_step(comparison, plan))
    cold = wording.not_warm_sentence(comparison)
    at_once = comparison.verdict == "unclear"  # otherwise it stands beside what is unclear
    excluded = wording.excluded_sentence(comparison)
    words = verdict.verdict_words(comparison)
    unsettled = verdict.is_lost_first(comparison) or not comparison.comparable
    unclear: Words = wording.unclear_sentences(comparison)
    if step and not at_once:
        unclear = (f"{unclear} ", *step)
    planned = () if plan is None else (plan_section(plan, names),)
    return Document(
        title,
        _tone(comparison),
        (*_sections(comparison, names, unclear), *planned),
        known=(
            excluded if comparison.unclear else "",
            metric_sentence(comparison),
            with_commands(cold) if cold else "",
            *wording.not_run_sentences(comparison),
            wording.sum_sentence(comparison),
            control_sentence(comparison),
            step if at_once else "",
        ),
        warnings=tuple(filter(None, (control_warning(comparison),))),
        cost="" if plan is None else savings_sentence(plan),
        names=names.sentence,
        method=names.words(wording.method_line(comparison)),
        pages=measured.pages,
        decision=tuple(map(names.words, wording.method_sentences(comparison))),
        brief=Brief(
            mark=verdict.mark(comparison),
            line=words.first,
            others=words.other_sentence,
            advice=with_commands(
                advice(comparison) if unsettled else wording.not_warm_sentence(comparison)
            ),
            facts=facts_line(comparison, measured),
            lead=glance_section(comparison, names),
            lost=_lost(comparison, names),
            lost_first=verdict.is_lost_first(comparison),
            calm=verdict.is_calm(comparison),
        ),
    )


def _tone(comparison: Comparison) -> Tone:
    tone = _TONES.get(comparison.verdict, "open")
    return "open" if tone != "worse" and comparison.metric_verdict == "regression" else tone


def _sections(
    comparison: Comparison, names: ShortNames, about_unclear: Words
) -> tuple[Section, ...]:
    would_be = "" if comparison.comparable else "would-be "
    worse, better = f"{would_be}regression", f"{would_be}improvement"
    accepted = _changed("accepted", "accepted", "open", comparison.accepted, names)
    noisy = verdict.why_unclear(comparison)
    about_unchanged = wording.UNCHANGED_SENTENCES
    if comparison.unchanged and not comparison.unclear:
        about_unchanged = f"{about_unchanged} {wording.excluded_sentence(comparison)}".rstrip()
    more, less, asked = metric_sections(comparison, names)
    return (
        _changed(worse, f"{worse}s", "worse", comparison.regressions, names),
        replace(more, is_lead=True),
        replace(accepted, page_only=True),
        accepted_section(comparison, names),
        _not_compared(comparison, names),
        _surroundings(comparison),
        _remarks(comparison, names),
        _changed(better, f"{better}s", "better", comparison.improvements, names),
        replace(less, is_lead=True),
        _still(_UNCLEAR, noisy, about_unclear, comparison.unclear, names),
        _still("Unchanged", "unchanged", about_unchanged, comparison.unchanged, names),
        asked,
        _notes(comparison, names),
        same_code_section(comparison, names),
        _ignored(comparison.ledger.ignored, names),
        _not_looked_at(comparison, names),
    )


def _changed(
    noun: str, plural: str, tone: Tone, changes: Sequence[Change], names: ShortNames
) -> Section:
    rows, columns = _table(changes, Column("Detectable from", "number"), names)
    title = plural.capitalize()
    return Section(title, noun, plural, rows, columns, chapter="Changed", tone=tone, is_lead=True)


def _still(
    chapter: str, noun: str, about: Words, changes: Sequence[Change], names: ShortNames
) -> Section:
    """List what did not change, or what is unclear."""
    rows, columns = _table(changes, Column(AT_MOST.capitalize(), "number", word=AT_MOST), names)
    title = f"{len(rows):,} {noun}"
    section = Section(title, noun, noun, rows, columns, (about,), folded=True, chapter=chapter)
    return replace(section, detailed=chapter == _UNCLEAR)


def _table(
    changes: Sequence[Change], last: Column, names: ShortNames
) -> tuple[Sequence[Row], tuple[Column, ...]]:
    columns = (
        BENCHMARK,
        Column("Base", "number", "detail"),
        Column("Head", "number", "detail"),
        Column("Change", "number", "lead"),
        Column("", "picture", word="plot"),
        Column(names.runs_title, "number", "under", word="runs"),
        last,
    )
    return RowsOnDemand(partial(_change_row, names), changes), columns


def _change_row(names: ShortNames, change: Change) -> Row:
    change = readable(change)
    changed = change.outcome in ("regression", "improvement")
    seen = figures.detectable(change) if changed else figures.excluded(change)
    cells = (
        Cell(names.named(change.identity)),
        _side(change, change.base, changed=changed),
        _side(change, change.head, changed=changed),
        change_cell(change, changed=changed),
        Cell(""),
        Cell(names.words(figures.runs_of(change))),
        Cell(seen),
    )
    return Row(cells, identities=(change.identity,))


def _side(change: Change, side: Estimate, *, changed: bool) -> Cell:
    """Show base or head; what the harness's own tools show where somebody may look for it."""
    score = "" if side.score is None else numbers.value(side.score)
    return Cell(
        f"{numbers.value(side.center)}{numbers.NO_BREAK}{shorten(change.unit, _LONGEST_UNIT)}",
        small="" if change.lacking else figures.interval(side),
        aside=f"score {score}" if score and changed else "",
        hover=f"the harness's own score: {score}" if score else "",
    )


def _not_compared(comparison: Comparison, names: ShortNames) -> Section:
    rows = []
    for identities, what, renamed in _not_compared_rows(comparison, names):
        cells = (Cell(names.named(*identities)), Cell((*what, *renamed)))
        rows.append(Row(cells, identities=tuple(identities)))
    columns = (BENCHMARK, Column("What happened"))
    section = Section("Not compared", *_NOT_COMPARED, tuple(rows), columns)
    return replace(section, is_lead=True)


def _lost(comparison: Comparison, names: ShortNames) -> Section:
    """Say the same in a list, the reason first: a name may be longer than a telephone is wide."""
    rows = tuple(
        Row((Cell((*what, " (", names.named(*identities), ")", *renamed)),))
        for identities, what, renamed in _not_compared_rows(comparison, names)
    )
    title = "" if verdict.is_lost_first(comparison) else "Not compared"
    return Section(title, *_NOT_COMPARED, rows)


def _not_compared_rows(
    comparison: Comparison, names: ShortNames
) -> Iterator[tuple[Sequence[Identity], tuple[Piece, ...], tuple[Piece, ...]]]:
    """Yield benchmarks, what happened to them, and what they may be called now."""
    harness = {missing.identity: missing.reason for missing in comparison.ledger.failed}
    for identities, what, guess in wording.not_compared_by_reason(comparison):
        theirs = harness.get(identities[0], "")
        happened = (what.removesuffix(theirs), Code(theirs)) if theirs else (what,)
        yield identities, happened, ("; renamed to ", names.named(guess), "?") if guess else ()


def _surroundings(comparison: Comparison) -> Section:
    rows = []
    for one in comparison.differences:
        base, head = (Code(text) if text else "none" for text in (one.base, one.head))
        where = f"in {count(one.benchmarks, 'benchmark')}"
        line = (f"{one.what}: ", base, " in base, ", head, f" in head, {where}")
        rows.append(Row(tuple(map(Cell, (one.what, base, head, where))), line))
    nouns = ("difference", "differences")
    columns = tuple(map(Column, ("What", "Base", "Head", "Where")))
    return Section("Different surroundings", *nouns, tuple(rows), columns, as_list=True)


def _remarks(comparison: Comparison, names: ShortNames) -> Section:
    rows: list[tuple[Piece, ...]] = []
    for reason, metric, identities in wording.refused_by_text(comparison):
        verb = "is" if len(identities) == 1 else "are"
        of = f", {shorten(metric, _LONGEST_UNIT)}," if metric else ""
        rows.append((names.named(*identities), f"{of} {verb} not accepted: {reason}."))
    for remark in comparison.remarks:
        pieces = with_commands(remark)
        rows.append(tuple(names.words(p) if isinstance(p, str) else p for p in pieces))
    cells = tuple(Row((Cell(words),)) for words in rows)
    return Section("To be aware of", "note", "notes", cells)


def _notes(comparison: Comparison, names: ShortNames) -> Section:
    rows = []
    for text, identities in wording.notes_by_text(comparison):
        many = count(len(identities), "benchmark")
        note = (f"{many}: {names.words(text)} (", names.named(*identities), ")")
        rows.append(Row((Cell(note),)))
    title = f"{count(len(rows), 'note')} on single benchmarks"
    return Section(title, "note", "notes", tuple(rows), folded=True)


def _ignored(entries: Sequence[Ignored], names: ShortNames) -> Section:
    """List what no verdict counts, each with its reason."""
    rows = tuple(Row((Cell(names.named(one.identity)), Cell(one.reason))) for one in entries)
    columns = (BENCHMARK, Column("Why"))
    title = f"{len(rows):,} ignored, as the settings say"
    return Section(title, "ignored", "ignored", rows, columns, folded=True)


def _not_looked_at(comparison: Comparison, names: ShortNames) -> Section:
    """Name what was not looked at by its methods, a row for each reason."""
    by_reason: dict[str, list[Identity]] = {}
    for entry in comparison.ledger.not_run:
        by_reason.setdefault(entry.reason, []).append(entry.identity)
    rows = tuple(
        Row((Cell(names.methods(*own)), Cell(reason)), identities=tuple(own), muted=True)
        for reason, own in by_reason.items()
    )
    title = f"{len(comparison.ledger.not_run):,} not looked at this time"
    columns = (BENCHMARK, Column("Why"))
    return Section(title, "reason", "reasons", rows, columns, folded=True)
