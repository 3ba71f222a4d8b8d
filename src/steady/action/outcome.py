"""What a mode leaves behind: outputs, summary, comment and check run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from steady.compare import Verdict
from steady.github import Context
from steady.github.checks import Check
from steady.github.commit_content import Change

_OF_A_COMPARISON = (
    "headline", "outputs", "summary", "text", "verdict", "annotations", "failures", "check",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModeResult:
    """What a mode found, and what is to be shown to whom.

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
    text : str
        The comment as Markdown.
    verdict : str, optional
        Of a comparison; None where the comment is neither good nor bad news: a plan.
    comment_file : str
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
        Why nothing is to be posted, as a sentence without its full stop; empty: it is.
    configuration : Change, optional
        What the repository would get, where that is asked for.
    """

    headline: str
    outputs: Mapping[str, str]
    summary: str
    marker: str = ""
    text: str = ""
    verdict: Verdict | None = None
    comment_file: str = ""
    annotations: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    check: Check | None = None
    context: Context | None = None
    also: tuple[int, ...] = ()
    no_comment: str = ""
    configuration: Change | None = None

    @classmethod
    def of_comparison(cls, data: Mapping[str, Any]) -> ModeResult:
        """Return what a comparison says, from what JSON made of `dataclasses.asdict`.

        Where it is posted, and what is committed, is never taken from there: a process that read
        a stranger's results wrote the data.
        """
        return msgspec.convert({name: data[name] for name in _OF_A_COMPARISON}, cls)
