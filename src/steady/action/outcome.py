"""What a mode leaves behind for the rest of the world to see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from steady.github import Context
from steady.github.change import Change
from steady.github.checks import Check
from steady.github.comment import Write


def _no_comment(_: str | None) -> None:
    """Leave nothing on the pull request."""


@dataclass(frozen=True, slots=True)
class ModeResult:
    """What a mode found, and what is to be told to whom.

    Parameters
    ----------
    headline : str
        In one line, for the log.
    outputs : mapping of str to str
        For later steps.
    summary : str
        Markdown for the job's page.
    marker : str
        What the comment's body begins with; empty: the mode has nothing to comment on.
    comment : callable
        Given the body of the present comment, or None, what it is to be.
    comment_file : Path
        Where the comment stands for people and steps that cannot see the pull request.
    annotations : tuple of str
        Ready-made commands for the log.
    failures : tuple of str
        Those conditions of ``fail-on`` that hold; empty: the job is green.
    check : Check, optional
        The commit's check run; None: there is none to be.
    context : Context, optional
        Whose result it is, where the mode found that out by itself; None: the event tells.
    also : tuple of int
        Further pull requests that get the same comment.
    no_comment : str
        Why nothing is to be posted, as a sentence without its stop; empty: it is.
    configuration : Change, optional
        What the repository would get, where that is asked for.
    """

    headline: str
    outputs: Mapping[str, str]
    summary: str
    marker: str = ""
    comment: Write = _no_comment
    comment_file: Path = Path()
    annotations: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    check: Check | None = None
    context: Context | None = None
    also: tuple[int, ...] = ()
    no_comment: str = ""
    configuration: Change | None = None
