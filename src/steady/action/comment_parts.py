"""Parts of a comment beside the report: what finds it again, what was before, lines that accept."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from typing import Literal

from steady.compare import Change, Comparison, Verdict
from steady.github.accepts import DEFAULT_BOUND, parse_accept
from steady.github.comment import Draft, Write
from steady.model import Identity
from steady.report.names import ShortNames, names_of
from steady.settings import matches
from steady.text.escape import visible

MOST_LINES = 20
_REASON = "REASON"
_STEP = 5  # percent: bounds in round numbers
_UNSAFE = re.compile(r"[`*~]|<!--|-->")

CommentWhen = Literal["always", "changes", "regressions", "never"]

WhenResolved = Literal["keep", "minimize", "delete"]

BAD: tuple[Verdict, ...] = ("regression", "incomplete", "not comparable")

_UNRESOLVED: tuple[Verdict, ...] = (*BAD, "accepted")
"""Verdicts that keep a comment open: an accepted regression is not resolved."""

_CALM: tuple[Verdict, ...] = ("unclear", "unchanged", "same code")

FRAME_CHARACTERS = 500
"""The most that `sticky` adds to a text."""

_STATE = re.compile(r"<!-- steady-verdict: ([a-z ]+) -->")

_TOP = re.compile(r"\n(?:<!-- .* -->\n)*")

_FOLDED = "<!-- steady-minimized -->"

_RESOLVED = {
    "regression": "Resolved: the run before this one found a regression.",
    "incomplete": "Resolved: the run before this one was incomplete.",
    "not comparable": "Resolved: the run before this one could not be compared.",
}


def accept_lines(comparison: Comparison) -> tuple[str, ...]:
    """Return a line for each regression, metrics included, the worst first.

    A line is given only where `steady.github.accepts` reads it as it is meant: for benchmarks of
    this name alone, and for a change of this size. Names are a stranger's text.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    """
    if not comparison.comparable:
        return ()
    names = names_of(comparison)
    everybody = comparison.ledger.identities
    worse = (*comparison.regressions, *comparison.metrics.regressions)
    lines = (_line(change, names, everybody) for change in worse[:MOST_LINES])
    return tuple(dict.fromkeys(line for line in lines if line))


def _line(change: Change, names: ShortNames, everybody: Collection[Identity]) -> str:
    return next(_lines(change, names, everybody), "")


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
    """Return the option that lets a change of this size pass, the ends of its interval included.

    None where no bound does: a result that was zero.
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


def sticky(
    marker: str,
    text: str,
    *,
    verdict: Verdict | None = None,
    commit: str = "",
    when: CommentWhen = "always",
    when_resolved: WhenResolved = "keep",
) -> Write:
    """Return what makes the comment from the one that is there.

    Parameters
    ----------
    marker : str
        What the body begins with; readers do not see it.
    text : str
        The comment as readers see it, with or without the marker.
    verdict : str, optional
        Of this run. The next run reads it, to say that a problem is resolved. None if the comment
        is neither good nor bad news, such as a plan.
    commit : str
        Hash of the commit that was measured; empty if it is not known.
    when : {"always", "changes", "regressions", "never"}
        What a new comment is made for. A comment that exists is always kept up to date.
    when_resolved : {"keep", "minimize", "delete"}
        What becomes of a comment when its problem is resolved. A minimised comment is shown again
        as soon as there is another problem.
    """
    heading, _, rest = text.removeprefix(marker).strip("\n").partition("\n\n")
    state = "" if verdict is None else f"<!-- steady-verdict: {verdict} -->\n"
    foot = f"\n\n<sub>Commit {commit}</sub>" if commit else ""
    wanted = _is_wanted(verdict, when)

    def write(earlier: str | None) -> Draft | None:
        if not wanted and (earlier is None or when_resolved == "delete"):
            return None
        top = _top(earlier or "", marker)
        earlier_verdict = _STATE.search(top)
        good = verdict not in _UNRESOLVED
        before = _RESOLVED.get(earlier_verdict[1], "") if earlier_verdict and good else ""
        resolved = f"**{before}**\n\n" if before else ""
        was_folded = _FOLDED in top
        is_folded = when_resolved == "minimize" and good and (was_folded or bool(before))
        fold = f"{_FOLDED}\n" if is_folded else ""
        body = f"{marker}\n{state}{fold}{heading}\n\n{resolved}{rest}{foot}\n"
        return Draft(body, is_folded if is_folded or was_folded else None)

    return write


def _is_wanted(verdict: Verdict | None, when: CommentWhen) -> bool:
    if when == "regressions":
        return verdict in _UNRESOLVED
    return when == "always" or (when == "changes" and verdict not in _CALM)


def _top(body: str, marker: str) -> str:
    """Return the lines of a comment that `sticky` writes before the heading."""
    top = _TOP.match(body.removeprefix(marker))
    return top[0] if top else ""
