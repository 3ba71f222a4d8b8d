"""The text around a comment: the marker that finds it again, and what an earlier run said."""

from __future__ import annotations

import re
from collections.abc import Callable

from steady.compare import Verdict

BAD: tuple[Verdict, ...] = ("regression", "incomplete", "not comparable")

_STATE = re.compile(r"<!-- steady-verdict: ([a-z ]+) -->")

_RESOLVED = {
    "regression": "Resolved: the run before this one found a regression.",
    "incomplete": "Resolved: the run before this one was incomplete.",
    "not comparable": "Resolved: the run before this one could not be compared.",
}


def marker_of(key: str, kind: str = "") -> str:
    """Return what the comment's body begins with, invisible where it is shown.

    Parameters
    ----------
    key : str
        Of the suite; holds no colon.
    kind : str
        What the comment holds, where it is not a comparison.
    """
    return f"<!-- steady:{key}{f':{kind}' if kind else ''} -->"


def sticky(marker: str, text: str, verdict: Verdict | None = None) -> Callable[[str | None], str]:
    """Return what makes the comment's body from the one that is there.

    Parameters
    ----------
    marker : str
        See `marker_of`.
    text : str
        The comment as readers see it.
    verdict : str, optional
        Of this run; the next run reads it back, to say that what was wrong is wrong no more.
    """
    body = text.removeprefix(marker).lstrip("\n")
    state = "" if verdict is None else f"<!-- steady-verdict: {verdict} -->\n"

    def write(earlier: str | None) -> str:
        told = _STATE.search(earlier or "")
        before = told[1] if told else ""
        better = verdict not in BAD and before in BAD
        resolved = f"**{_RESOLVED[before]}**\n\n" if better else ""
        return f"{marker}\n{state}{resolved}{body}"

    return write
