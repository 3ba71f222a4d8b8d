"""The comment on a pull request, and the summary of a job: ``templates/comment.md.j2``."""

import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from steady.compare import Change, Comparison
from steady.compare.summary import Summary
from steady.errors import InputError
from steady.model import Identity
from steady.patterns import SUITE_KEY
from steady.report.document import Code, Document, Section
from steady.report.markdown import Markdown, characters, render_template, utf8_bytes, web_address
from steady.report.names import ShortNames, names_of
from steady.report.verdict import mark
from steady.settings import matches
from steady.settings.repo_settings import DEFAULT_BOUND, parse_accept
from steady.text.escape import plain, visible

COMMENT_LIMIT = 65_536
"""Maximum characters of a comment on GitHub."""

SUMMARY_LIMIT = 1_048_576
"""Maximum bytes of one step's summary; GitHub discards a larger one."""

_ROOM_TO_POST = 512  # for a line on the previous run, which is added when the comment is posted
_MOST_OVERVIEW_ROWS = 20

DEFAULT_TITLE = "Benchmarks"
"""Default title of a suite, which headings omit."""

MOST_LINES = 20
"""Maximum number of lines that accept a change."""

_REASON = "REASON"
_STEP = 5  # percent, so that bounds are round numbers
_UNSAFE = re.compile(r"[`*~]|<!--|-->")


def marker(key: str) -> str:
    """Return the hidden first line that identifies a comment.

    Raises
    ------
    InputError
        If the key is not allowed in an HTML comment.
    """
    if not SUITE_KEY.fullmatch(key):
        raise InputError(
            f"key {key!r} cannot name a comment; give at most 64 letters, digits, '.', '_' and "
            "single '-'"
        )
    return f"<!-- steady:{key} -->"


def comment(
    document: Document,
    *,
    key: str = "default",
    report_url: str | None = None,
    accept: Sequence[str] = (),
    limit: int = COMMENT_LIMIT - _ROOM_TO_POST,
) -> str:
    """Return a report as the body of a comment.

    Parameters
    ----------
    document : Document
        The report.
    key : str
        Key of the suite: each suite of a pull request has its own comment.
    report_url : str, optional
        URL of the complete report.
    accept : sequence of str
        Lines of a comment that accepts the regressions.
    limit : int
        Maximum number of characters; the least important rows that do not fit are only counted.

    Returns
    -------
    str
        GitHub Flavored Markdown, deterministic.

    Raises
    ------
    InputError
        If the key or the URL is not valid.
    """
    link = "" if report_url is None else f"[report]({web_address(report_url)})"
    place = f"the {link}" if link else "the job summary"
    head = marker(key)
    room = limit - characters(head) - 1
    return f"{head}\n{_render(document, place, room, characters, link, accept)}"


def job_summary(document: Document) -> str:
    """Return a report as a job summary of at most `SUMMARY_LIMIT` bytes.

    The least important rows that do not fit are only counted.

    Returns
    -------
    str
        GitHub Flavored Markdown, deterministic.
    """
    return _render(document, "the report", SUMMARY_LIMIT, utf8_bytes)


def _render(
    document: Document,
    place: str,
    limit: int,
    size: Callable[[str], int],
    link: str = "",
    accept: Sequence[str] = (),
) -> str:
    others = (one for one in document.sections if not (one.page_only or one.is_lead))
    return render_template(
        "comment.md.j2",
        place,
        limit,
        size,
        document=document,
        s=document.summary,
        heading=heading(document.summary, document.title, document.line),
        sections=[*_first_rows(document.overview), *others],
        link=Markdown(link),
        accept=[Code(line, command=True) for line in accept],
    )


def heading(summary: Summary, title: str, line: str) -> Markdown:
    """Return the first visible line."""
    suite = "" if title == DEFAULT_TITLE else f"{plain(title)} · "
    return Markdown(f"### {mark(summary)} {suite}{plain(line)}")


def _first_rows(section: Section) -> list[Section]:
    """Fold the rows beyond the first `_MOST_OVERVIEW_ROWS`."""
    left = section.rows[_MOST_OVERVIEW_ROWS:]
    if section.folded or not left:
        return [section]
    first = replace(section, rows=section.rows[:_MOST_OVERVIEW_ROWS])
    title = f"{len(left):,} more {section.noun if len(left) == 1 else section.plural}"
    return [first, replace(section, title=title, rows=left, folded=True)]


def accept_lines(comparison: Comparison) -> tuple[str, ...]:
    """Return the lines of a comment that accepts each regression, metrics included, worst first.

    Names are untrusted, so a line is returned only if `parse_accept` reads it as intended: it must
    match only benchmarks of this name, and allow a change of this size.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    """
    if not comparison.comparable:
        return ()
    names = names_of(comparison)
    everybody = comparison.ledger.identities
    worse = (*comparison.regressions, *comparison.metrics.regressions)
    lines = (next(_lines(change, names, everybody), "") for change in worse[:MOST_LINES])
    return tuple(filter(None, dict.fromkeys(lines)))


def _lines(change: Change, names: ShortNames, everybody: Collection[Identity]) -> Iterator[str]:
    bound = _bound(change)
    if bound is None:
        return
    metric = f" --metric {change.metric}" if change.metric else ""
    for label in (names.label(change.identity), change.identity.label):
        quote = "'" if '"' in label else '"'
        line = f"/steady accept {quote}{label}{quote}{metric}{bound} {_REASON}"
        meant = {identity.name for identity in everybody if matches(label, identity)}
        if meant == {change.identity.name} and _is_read_as_meant(line, label, change):
            yield line


def _bound(change: Change) -> str | None:
    """Return the option that accepts a change of this size, including its confidence interval.

    Returns None if the change has no size because base is zero.
    """
    if not math.isfinite(change.ratio):
        return "" if change.metric else None
    size = max(abs(end) for end in (change.ratio, *(change.interval or ())))
    if size <= DEFAULT_BOUND:
        return ""
    steps = math.ceil(round(100 * size, 6) / _STEP)  # 55, and not 55.000000001
    return f" --bound {steps * _STEP}%"


def _is_read_as_meant(line: str, label: str, change: Change) -> bool:
    if visible(line) != line or _UNSAFE.search(line):
        return False
    try:
        entry = parse_accept(line.removeprefix("/steady accept"), "")
    except ValueError:
        return False
    return (entry.pattern, entry.metric, entry.reason) == (label, change.metric, _REASON)
