"""Parts of a comment beside the report: what finds it again, and what was before."""

from __future__ import annotations

import re
from typing import Literal

from steady.compare import Verdict
from steady.github.comment import Draft, Write

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
