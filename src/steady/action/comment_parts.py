"""Parts of a comment besides the report: its marker, and the verdict of the previous run."""

import re
from typing import Literal

from steady.compare import Verdict
from steady.github.comment import Write

CommentWhen = Literal["always", "changes", "regressions", "never"]

_UNRESOLVED: tuple[Verdict, ...] = ("regression", "incomplete", "not comparable", "accepted")
"""Verdicts that keep a comment unresolved; an accepted regression does too."""

_CALM: tuple[Verdict, ...] = ("unclear", "unchanged", "same code")

FRAME_CHARACTERS = 500
"""Maximum number of characters that `sticky` adds."""

_STATE = re.compile(r"<!-- steady-verdict: ([a-z ]+) -->")

_TOP = re.compile(r"\n(?:<!-- .* -->\n)*")

_RESOLVED = {
    "regression": "Resolved: the previous run found a regression.",
    "incomplete": "Resolved: the previous run was incomplete.",
    "not comparable": "Resolved: the previous run could not be compared.",
}


def sticky(
    marker: str,
    text: str,
    *,
    verdict: Verdict | None = None,
    commit: str = "",
    when: CommentWhen = "always",
) -> Write:
    """Return a function that renders the new comment from the existing one.

    Parameters
    ----------
    marker : str
        Invisible start of the body, by which the comment is found.
    text : str
        Visible text of the comment, with or without the marker.
    verdict : str, optional
        Verdict of this run, from which the next run determines whether a problem is resolved. None
        if the comment has none, such as a plan's.
    commit : str
        Hash of the measured commit; empty if unknown.
    when : {"always", "changes", "regressions", "never"}
        Condition for creating a comment. An existing comment is always updated.
    """
    heading, _, rest = text.removeprefix(marker).strip("\n").partition("\n\n")
    state = "" if verdict is None else f"<!-- steady-verdict: {verdict} -->\n"
    foot = f"\n\n<sub>Commit {commit}</sub>" if commit else ""
    wanted = _is_wanted(verdict, when)

    def write(earlier: str | None) -> str | None:
        if not wanted and earlier is None:
            return None
        top = _top(earlier or "", marker)
        earlier_verdict = _STATE.search(top)
        good = verdict not in _UNRESOLVED
        before = _RESOLVED.get(earlier_verdict[1], "") if earlier_verdict and good else ""
        resolved = f"**{before}**\n\n" if before else ""
        return f"{marker}\n{state}{heading}\n\n{resolved}{rest}{foot}\n"

    return write


def _is_wanted(verdict: Verdict | None, when: CommentWhen) -> bool:
    if when == "regressions":
        return verdict in _UNRESOLVED
    return when == "always" or (when == "changes" and verdict not in _CALM)


def _top(body: str, marker: str) -> str:
    """Return the lines that `sticky` writes before a comment's heading."""
    top = _TOP.match(body.removeprefix(marker))
    return top[0] if top else ""
