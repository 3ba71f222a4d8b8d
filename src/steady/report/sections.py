"""Sections of a report other than changes: benchmarks with reasons, environments, and notes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from steady.compare import Change, Comparison, Ledger, Missing
from steady.compare.benchmark_change import CHANGED
from steady.compare.validity import Difference
from steady.model import Identity
from steady.model.changed_method import ChangedMethods, unreached
from steady.model.suite import RESUMES
from steady.report.change_tables import change_cell
from steady.report.document import (
    BENCHMARK,
    Cell,
    Code,
    Column,
    Piece,
    Row,
    Section,
    with_commands,
)
from steady.report.figures import change_in_words, change_percent
from steady.report.names import ShortNames
from steady.settings.repo_settings import Acceptance
from steady.text.escape import shorten
from steady.text.numbers import count, share

_LONGEST_METRIC = 40
_MANY_METHODS = 5  # a longer list is folded
_NOT_COMPARED = ("benchmark not compared", "benchmarks not compared")


# Benchmarks that were not compared


def not_compared(ledger: Ledger) -> list[tuple[Identity, str, Identity | None]]:
    """Return every benchmark that was not compared, the reason, and its possible new name.

    Returns
    -------
    list of (Identity, str, Identity or None)
        Failed benchmarks first, new ones last. The new name is a guess.
    """
    renamed = dict(ledger.renamed)
    rows = [
        *((m.identity, _where(m)) for m in (*ledger.failed, *ledger.incomparable, *ledger.missing)),
        *((identity, "removed or renamed: only in base") for identity in ledger.gone),
        *((identity, "new: only in head") for identity in ledger.new),
    ]
    return [(identity, reason, renamed.get(identity)) for identity, reason in rows]


def _where(missing: Missing) -> str:
    if missing.kind != "failed" or missing.reason.endswith(RESUMES):
        return missing.reason
    side = "base and head" if missing.side == "both" else missing.side
    return f"failed in {side}: {missing.reason}"


def not_compared_section(ledger: Ledger, names: ShortNames) -> Section:
    """Return a table of benchmarks that were not compared, the name first."""
    rows = [
        Row((Cell(names.named(*identities)), Cell((*reason, *renamed))), identities=identities)
        for identities, reason, renamed in _by_reason(ledger, names)
    ]
    columns = (BENCHMARK, Column("Reason"))
    return Section("Not compared", *_NOT_COMPARED, tuple(rows), columns, is_lead=True)


def lost_section(ledger: Ledger, names: ShortNames, title: str) -> Section:
    """Return a list of the same benchmarks, the reason first: names can be wider than a phone."""
    rows = tuple(
        Row((Cell((*reason, " (", names.named(*identities), ")", *renamed)),))
        for identities, reason, renamed in _by_reason(ledger, names)
    )
    return Section(title, *_NOT_COMPARED, rows)


def _by_reason(
    ledger: Ledger, names: ShortNames
) -> Iterator[tuple[tuple[Identity, ...], tuple[Piece, ...], tuple[Piece, ...]]]:
    """Yield benchmarks, the reason why they were not compared, and their possible new name.

    Benchmarks with the same reason and no possible new name share an entry: if a whole suite did
    not run, there is one reason, not dozens.
    """
    by_reason: dict[object, tuple[list[Identity], str, Identity | None]] = {}
    for identity, reason, guess in not_compared(ledger):
        key = reason if guess is None else identity
        by_reason.setdefault(key, ([], reason, guess))[0].append(identity)
    messages = {missing.identity: missing.reason for missing in ledger.failed}
    for identities, reason, guess in by_reason.values():
        theirs = messages.get(identities[0], "")
        pieces = (reason.removesuffix(theirs), Code(theirs)) if theirs else (reason,)
        renamed = ("; possibly renamed to ", names.named(guess)) if guess else ()
        yield tuple(identities), pieces, renamed


# Environments and notes


def environment_section(differences: Iterable[Difference]) -> Section:
    """Return the differences between the environments of base and head."""
    rows = []
    for one in differences:
        base, head = (Code(text) if text else "none" for text in (one.base, one.head))
        affected = count(one.benchmarks, "benchmark")
        line = (f"{one.what}: ", base, " in base, ", head, f" in head, in {affected}")
        rows.append(Row(tuple(map(Cell, (one.what, base, head, affected))), line))
    nouns = ("difference", "differences")
    columns = tuple(map(Column, ("Property", "Base", "Head", "Affected")))
    return Section("Different environments", *nouns, tuple(rows), columns, as_list=True)


def remark_section(changes: Iterable[Change], remarks: Iterable[str], names: ShortNames) -> Section:
    """Return refused acceptances with their reasons, and remarks on the whole comparison."""
    rows: list[tuple[Piece, ...]] = []
    for (reason, metric), identities in _refused(changes).items():
        verb = "is" if len(identities) == 1 else "are"
        of = f", {shorten(metric, _LONGEST_METRIC)}," if metric else ""
        rows.append((names.named(*identities), f"{of} {verb} not accepted: {reason}."))
    for remark in remarks:
        pieces = with_commands(remark)
        rows.append(tuple(names.words(p) if isinstance(p, str) else p for p in pieces))
    cells = tuple(Row((Cell(words),)) for words in rows)
    return Section("Remarks", "note", "notes", cells)


def _refused(changes: Iterable[Change]) -> dict[tuple[str, str], list[Identity]]:
    """Return the benchmarks with a change that is not accepted, by reason and metric."""
    by_text: dict[tuple[str, str], list[Identity]] = defaultdict(list)
    for change in changes:
        if change.accepted is None:
            for reason in change.refused:
                by_text[reason, change.metric].append(change.identity)
    return by_text


def note_section(
    changes: Iterable[Change], unplanned: Sequence[Identity], names: ShortNames
) -> Section:
    """Return the notes on benchmarks: each text once, the most frequent first."""
    by_text: dict[str, list[Identity]] = defaultdict(list)
    for change in changes:
        for note in (*change.notes, *([change.lacking] if change.lacking else [])):
            by_text[note].append(change.identity)
    if unplanned:
        by_text["not in the plan"].extend(unplanned)
    rows = []
    for text, own in sorted(by_text.items(), key=lambda item: (-len(item[1]), item[0])):
        many = count(len(own), "benchmark")
        rows.append(Row((Cell((f"{many}: {names.words(text)} (", names.named(*own), ")")),)))
    title = f"{count(len(rows), 'note')} on benchmarks"
    return Section(title, "note", "notes", tuple(rows), folded=True)


# Benchmarks that are not part of a verdict


def same_code_section(
    controls: Sequence[Change], left_out: tuple[Identity, ...], names: ShortNames
) -> Section:
    """Return benchmarks with the same code: controls, and those that were not measured."""
    rows = [
        Row((Cell(names.named(change.identity)), Cell(_of_control(change)))) for change in controls
    ]
    if left_out:
        cells = Cell(names.named(*left_out)), Cell("not measured")
        rows.append(Row(cells, identities=left_out, muted=True))
    title = f"{len(left_out) + len(controls):,} with the same code in base and head"
    columns = BENCHMARK, Column("Measurement")
    return Section(title, "entry", "entries", tuple(rows), columns, folded=True)


def _of_control(change: Change) -> str:
    became = "false alarm" if change.outcome in CHANGED else change.outcome
    return f"measured as a control: {became}, {change_percent(change)}"


def unreached_section(methods: ChangedMethods | None) -> Section:
    """Return the changed methods that no benchmark reaches, a row for each; folded if many."""
    rows = tuple(
        Row((Cell(Code(one.label.removeprefix(f"{one.holder}."))), Cell(Code(one.holder))))
        for one in unreached(methods)
    )
    title = f"{count(len(rows), 'changed method')} reached by no benchmark"
    columns = Column("Method"), Column("Class or package")
    folded = len(rows) > _MANY_METHODS
    return Section(title, "entry", "entries", rows, columns, folded=folded, page_only=True)


def ignored_section(ledger: Ledger, names: ShortNames) -> Section:
    """Return the ignored benchmarks, each with its reason."""
    rows = tuple(Row((Cell(names.named(one.identity)), Cell(one.reason))) for one in ledger.ignored)
    columns = (BENCHMARK, Column("Reason"))
    title = f"{len(rows):,} ignored by the settings"
    return Section(title, "ignored", "ignored", rows, columns, folded=True)


def not_run_section(ledger: Ledger, names: ShortNames) -> Section:
    """Return the methods that were not measured in this run, a row for each reason."""
    by_reason: dict[str, list[Identity]] = defaultdict(list)
    for entry in ledger.not_run:
        by_reason[entry.reason].append(entry.identity)
    rows = tuple(
        Row((Cell(names.methods(*own)), Cell(reason)), identities=tuple(own), muted=True)
        for reason, own in by_reason.items()
    )
    title = f"{len(ledger.not_run):,} not measured in this run"
    columns = (BENCHMARK, Column("Reason"))
    return Section(title, "reason", "reasons", rows, columns, folded=True)


# Accepted changes


def accepted_changes(comparison: Comparison) -> list[tuple[Change, Acceptance]]:
    """Return every accepted change with its acceptance, worst first."""
    accepted: Sequence[Change] = (*comparison.accepted, *comparison.metrics.accepted)
    return [(change, change.accepted) for change in accepted if change.accepted is not None]


def accepted_sentence(change: Change, entry: Acceptance) -> str:
    """Return the description of an accepted change, without the benchmark's name."""
    until = "for this pull request only" if entry.expires is None else f"until {entry.expires}"
    by = f" by {entry.author}" if entry.author else ""
    where = f" ({entry.source})" if entry.source else ""
    return f"{change_in_words(change)}, accepted {_bound(entry)} {until}{by}{where}: {entry.reason}"


def _bound(entry: Acceptance) -> str:
    return "of any size" if entry.bound is None else f"up to {share(entry.bound)}"


def accepted_section(comparison: Comparison, names: ShortNames) -> Section:
    """Return every accepted change with its bounds."""
    rows = []
    for change, entry in accepted_changes(comparison):
        named = names.named(change.identity)
        name = (named, f", {change.metric}") if change.metric else (named,)
        cells = (
            Cell(name),
            change_cell(change),
            Cell(_bound(entry)),
            Cell("this pull request only" if entry.expires is None else str(entry.expires)),
            Cell(entry.author, small=entry.source),
            Cell(entry.reason),
        )
        rows.append(Row(cells, (*name, f": {accepted_sentence(change, entry)}")))
    columns = (
        BENCHMARK,
        Column("Change", "number"),
        *map(Column, ("Accepted", "Until", "By", "Reason")),
    )
    nouns = ("accepted", "accepted")
    return Section("Accepted", *nouns, tuple(rows), columns, as_list=True)
