"""The pull request's comment: the verdict first, the worst first, never too long."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from steady.compare import Change, Comparison
from steady.errors import InputError
from steady.model import Identity
from steady.optimize.plan import Plan
from steady.report.acknowledged import accepted_changes, size_text, until_text
from steady.report.escape import code_span, plain
from steady.report.names import ShortNames, names_of
from steady.report.numbers import (
    change_in_words,
    change_interval,
    change_percent,
    count,
    detectable,
    excluded,
    interval,
    runs_of,
    value,
)
from steady.report.scaling import readable
from steady.report.sections import Section, characters, fit
from steady.report.wording import (
    UNCHANGED_SENTENCES,
    UNCLEAR_SENTENCES,
    difference_sentence,
    excluded_sentence,
    headline,
    method_line,
    names_sentence,
    next_step,
    not_compared_by_reason,
    notes_by_text,
    savings_sentence,
    unclear_title,
    verdict_sentence,
    warning_sentences,
)

COMMENT_LIMIT = 65_536
"""Characters that GitHub takes as a comment's body."""

_ROOM_TO_POST = 512  # for what is put before the text when it is posted: what was wrong before

Rest = Callable[[int], str]

_KEY = re.compile(r"(?!.*--)[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_URL = re.compile(r"https?://[^\s<>()\[\]`\"]+")
_NAMED = 3  # benchmarks that a note names


def marker(key: str) -> str:
    """Return the hidden first line by which a comment is found again.

    Raises
    ------
    InputError
        If the key cannot stand in an HTML comment.
    """
    if not _KEY.fullmatch(key):
        raise InputError(
            f"key {key!r} cannot name a comment; give at most 64 letters, digits, '.', '_' and "
            "single '-'"
        )
    return f"<!-- steady:{key} -->"


def comment(
    comparison: Comparison,
    plan: Plan | None = None,
    *,
    title: str = "Benchmarks",
    key: str = "default",
    report_url: str | None = None,
    limit: int = COMMENT_LIMIT - _ROOM_TO_POST,
) -> str:
    """Write a comparison as the body of a comment.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    plan : Plan, optional
        What it cost, and what it would have cost.
    title : str
        What the suite is called.
    key : str
        Tells this comment from those of other suites on the same pull request.
    report_url : str, optional
        Where the whole report stands.
    limit : int
        Most characters; rows that do not fit are counted, from the least important end.

    Returns
    -------
    str
        GitHub Flavored Markdown; the same arguments give the same text.

    Raises
    ------
    InputError
        If the key or the address cannot be used.
    """
    link = "" if report_url is None else f"the [report]({_url(report_url)})"
    more = f"More in {link}." if link else ""
    head = marker(key)
    parts = blocks(comparison, plan, title, link or "the job summary", more)
    body = fit(parts, limit - characters(head) - 1, characters)
    return f"{head}\n{body}"


def blocks(
    comparison: Comparison, plan: Plan | None, title: str, place: str, more: str = ""
) -> list[str | Section]:
    """Return the parts of the comment and of the job summary, most important first.

    `place` is where rows that do not fit are found, `more` a sentence on where there is more
    to see, both as Markdown.
    """
    names = names_of(comparison)
    would_be = "" if comparison.comparable else "Would-be "
    worse, better = ((would_be + word).capitalize() for word in ("regressions", "improvements"))
    return [
        f"### {plain(title)}: {headline(comparison)}\n\n**{plain(verdict_sentence(comparison))}**",
        " ".join(_known(comparison, plan)),
        _warning(comparison),
        _changes(worse, comparison.regressions, names, place),
        _acknowledged(comparison, names, place),
        _not_compared(comparison, names, place),
        _differences(comparison, place),
        _notes(comparison, names, place),
        _changes(better, comparison.improvements, names, place),
        _plain_lines(plan, names, more),
        _still(
            unclear_title(comparison),
            f"{UNCLEAR_SENTENCES} {next_step(comparison, plan)}",
            comparison.unclear,
            names,
            place,
        ),
        _still(
            f"{len(comparison.unchanged):,} unchanged",
            UNCHANGED_SENTENCES,
            comparison.unchanged,
            names,
            place,
        ),
        _ignored(comparison, names, place),
        _method(comparison),
    ]


def _known(comparison: Comparison, plan: Plan | None) -> Iterable[str]:
    """Say beside the verdict what is excluded; how to know more where that is all there is."""
    yield plain(excluded_sentence(comparison), limit=1000)
    if comparison.verdict == "unclear":
        yield next_step(comparison, plan)


def _warning(comparison: Comparison) -> str:
    """Say prominently what keeps the verdict from being the whole truth."""
    lines = warning_sentences(comparison)
    return "\n".join(["> [!WARNING]", *(f"> {line}" for line in lines)]) if lines else ""


def _plain_lines(plan: Plan | None, names: ShortNames, more: str) -> str:
    lines = [plain(savings_sentence(plan), limit=1000)] if plan is not None else []
    lines += [plain(names_sentence(names.prefix))] if names.prefix else []
    return "\n".join([*lines, more] if more else lines)


def _changes(title: str, changes: Iterable[Change], names: ShortNames, place: str) -> Section:
    return Section(
        f"#### {title}\n\n| Benchmark | Base | Head | Change | {names.runs_title} | "
        "Detectable from |\n|:--|--:|--:|--:|--:|--:|",
        tuple(_change_row(readable(change), names) for change in changes),
        _rest(title.lower().removesuffix("s"), place),
    )


def _change_row(change: Change, names: ShortNames) -> str:
    unit = plain(change.unit, limit=40)
    cells = (
        names.code(change.identity),
        f"{value(change.base.center)}&nbsp;{unit}<br><sub>{interval(change.base)}</sub>",
        f"{value(change.head.center)}&nbsp;{unit}<br><sub>{interval(change.head)}</sub>",
        _by(change),
        names.words(runs_of(change)),
        detectable(change),
    )
    return f"| {' | '.join(cells)} |"


def _by(change: Change) -> str:
    ends = change_interval(change)
    return change_in_words(change) + (f"<br><sub>{ends}</sub>" if ends else "")


def _acknowledged(comparison: Comparison, names: ShortNames, place: str) -> Section:
    rows = []
    for change, entry in accepted_changes(comparison):
        cells = (
            names.code(change.identity),
            _by(change),
            size_text(entry),
            until_text(entry),
            " ".join(filter(None, (plain(entry.author), _sub(entry.source)))),
            plain(entry.reason, limit=500),
        )
        rows.append(f"| {' | '.join(cells)} |")
    return Section(
        "#### Acknowledged\n\n| Benchmark | Change | Accepted | Until | By | Why |\n"
        "|:--|--:|:--|:--|:--|:--|",
        tuple(rows),
        _rest("acknowledged", place, "acknowledged"),
    )


def _sub(text: str) -> str:
    return f"<sub>{plain(text)}</sub>" if text else ""


def _ignored(comparison: Comparison, names: ShortNames, place: str) -> Section:
    ignored = comparison.ledger.ignored
    return Section(
        f"<details><summary>{len(ignored):,} ignored, as the settings say</summary>\n\n"
        "| Benchmark | Why |\n|:--|:--|",
        tuple(
            f"| {names.code(one.identity)} | {plain(one.reason, limit=500)} |" for one in ignored
        ),
        _rest("ignored", place, "ignored"),
        "\n</details>",
    )


def _not_compared(comparison: Comparison, names: ShortNames, place: str) -> Section:
    failures = {missing.identity: missing.reason for missing in comparison.ledger.failed}
    rows = [
        f"| {_named(identities, names)} | {_what(what, failures.get(identities[0]))}"
        + (f"; renamed to {names.code(guess)}?" if guess else "")
        + " |"
        for identities, what, guess in not_compared_by_reason(comparison)
    ]
    return Section(
        "#### Not compared\n\n| Benchmark | What happened |\n|:--|:--|",
        tuple(rows),
        _rest("benchmark not compared", place, "benchmarks not compared"),
    )


def _what(text: str, theirs: str | None) -> str:
    """Show our own words as they are; the harness's, with which the text ends, as code."""
    if theirs is None:
        return plain(text)
    return f"{plain(text.removesuffix(theirs))} {code_span(theirs)}"


def _differences(comparison: Comparison, place: str) -> Section:
    rows = [
        f"| {plain(d.what)} | {_or_none(d.base)} | {_or_none(d.head)} | {difference_sentence(d)} |"
        for d in comparison.differences
    ]
    return Section(
        "#### Different surroundings\n\n| What | Base | Head | Where |\n|:--|:--|:--|:--|",
        tuple(rows),
        _rest("difference", place),
    )


def _or_none(text: str) -> str:
    return code_span(text, limit=200) if text else "none"


def _notes(comparison: Comparison, names: ShortNames, place: str) -> Section:
    rows = [f"- {plain(names.words(remark), limit=1000)}" for remark in comparison.remarks]
    for text, identities in notes_by_text(comparison):
        note = f"{plain(names.words(text))} ({_named(identities, names)})"
        rows.append(f"- {count(len(identities), 'benchmark')}: {note}")
    return Section("#### To be aware of\n", tuple(rows), _rest("note", place))


def _named(identities: Sequence[Identity], names: ShortNames) -> str:
    named = ", ".join(names.code(identity) for identity in identities[:_NAMED])
    more = len(identities) - _NAMED
    return f"{named} and {more:,} more" if more > 0 else named


def _still(
    title: str, about: str, changes: Sequence[Change], names: ShortNames, place: str
) -> Section:
    """List what did not change, or cannot be told, folded."""
    rows = [
        f"| {names.code(c.identity)} | {value(c.base.center)} {plain(c.unit, limit=40)} "
        f"| {change_percent(c)} | {names.words(runs_of(c))} | {excluded(c)} |"
        for c in map(readable, changes)
    ]
    noun = title.partition(" ")[2]
    return Section(
        f"<details><summary>{title}</summary>\n\n{about}\n\n"
        f"| Benchmark | Base | Change | {names.runs_title} | Excluded beyond |\n"
        "|:--|--:|--:|--:|--:|",
        tuple(rows),
        _rest(noun, place, noun),
        "\n</details>",
    )


def _method(comparison: Comparison) -> str:
    return f"<sub>{plain(method_line(comparison), limit=1000)}</sub>"


def _rest(noun: str, place: str, plural: str = "") -> Rest:
    def line(left: int) -> str:
        return f"\n{left:,} more {noun if left == 1 else plural or noun + 's'} in {place}."

    return line


def _url(address: str) -> str:
    if not _URL.fullmatch(address):
        raise InputError(f"{address!r} is no address of a web page; give one with https://")
    return address
