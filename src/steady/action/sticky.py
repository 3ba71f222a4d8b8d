"""The text around a comment: what finds it again, which commit it tells of, what was before."""

from __future__ import annotations

import re
from collections.abc import Callable

from steady.compare import Verdict

BAD: tuple[Verdict, ...] = ("regression", "incomplete", "not comparable")

FRAME_CHARACTERS = 500
"""The most that `sticky` adds to a text."""

_STATE = re.compile(r"<!-- steady-verdict: ([a-z ]+) -->")

_RESOLVED = {
    "regression": "Resolved: the run before this one found a regression.",
    "incomplete": "Resolved: the run before this one was incomplete.",
    "not comparable": "Resolved: the run before this one could not be compared.",
}


def sticky(
    marker: str, text: str, *, verdict: Verdict | None = None, commit: str = ""
) -> Callable[[str | None], str]:
    """Return what makes the comment's body from the one that is there.

    Parameters
    ----------
    marker : str
        What the body begins with, invisible where it is shown.
    text : str
        The comment as readers see it; with or without the marker.
    verdict : str, optional
        Of this run; the next run reads it back, to say that what was wrong is wrong no more.
    commit : str
        Hash of the commit that was measured; empty where it is not known.
    """
    heading, _, rest = text.removeprefix(marker).strip("\n").partition("\n\n")
    state = "" if verdict is None else f"<!-- steady-verdict: {verdict} -->\n"
    foot = f"\n\n<sub>Commit {commit}</sub>" if commit else ""

    def write(earlier: str | None) -> str:
        told = _STATE.search(earlier or "")
        before = _RESOLVED.get(told[1], "") if told and verdict not in BAD else ""
        resolved = f"**{before}**\n\n" if before else ""
        return f"{marker}\n{state}{heading}\n\n{resolved}{rest}{foot}\n"

    return write
