"""Parts of a comment beside the report: what finds it again, and what was before."""

import re
from typing import Literal

from steady.compare import Verdict
from steady.github.comment import Write

CommentWhen = Literal["always", "changes", "regressions", "never"]

_UNRESOLVED: tuple[Verdict, ...] = ("regression", "incomplete", "not comparable", "accepted")
"""Verdicts that keep a comment open: an accepted regression is not resolved."""

_CALM: tuple[Verdict, ...] = ("unclear", "unchanged", "same code")

FRAME_CHARACTERS = 500
"""The most that `sticky` adds to a text."""

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
    """Return the function that writes the new comment, given the one that is there.

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
    """Return the lines of a comment that `sticky` writes before the heading."""
    top = _TOP.match(body.removeprefix(marker))
    return top[0] if top else ""
