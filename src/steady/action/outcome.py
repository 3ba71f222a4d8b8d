"""The outcome of a mode, and its way to GitHub: a comment never fails the job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from steady.action.comment_parts import sticky
from steady.action.task import Task
from steady.compare import Verdict
from steady.github import Context, post_comment
from steady.github.commit_content import Change

_OF_A_COMPARISON = (
    "headline", "outputs", "summary", "text", "verdict", "annotations", "failures",
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
        Where the comment stands for people and steps that cannot see the pull request; empty where
        that is the job summary alone.
    annotations : tuple of str
        Ready-made commands for the log.
    failures : tuple of str
        Those conditions of ``fail-on`` that hold; empty: the job is green.
    context : Context, optional
        Whose result it is, where the mode found that out by itself; None: the event tells.
    also : tuple of int
        Further pull requests that get the same comment.
    no_comment : str
        Why nothing is to be posted, as a sentence without its full stop; empty: it is.
    configuration : Change, optional
        What the repository would get, where that is asked for.
    proposal : callable, optional
        Given a function that returns the address of a file beside the plan by its name, or None,
        the description of the pull request that proposes it.
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
    context: Context | None = None
    also: tuple[int, ...] = ()
    no_comment: str = ""
    configuration: Change | None = None
    proposal: Callable[[Callable[[str], str] | None], str] | None = None

    @classmethod
    def of_comparison(cls, data: Mapping[str, Any]) -> ModeResult:
        """Return what a comparison says, from what JSON made of `dataclasses.asdict`.

        Where it is posted, and what is committed, is never taken from there: a process that read
        a stranger's results wrote the data.
        """
        return msgspec.convert({name: data[name] for name in _OF_A_COMPARISON}, cls)


def deliver(result: ModeResult, task: Task) -> None:
    """Post the comment, where it is asked for and the token may.

    Parameters
    ----------
    result : ModeResult
        What to post.
    task : Task
        What was asked for, and where to post.
    """
    if not result.marker:
        return
    inputs, context, log = task.inputs, task.context, task.log
    missing = task.cannot_post
    file = f" and in {result.comment_file}" if result.comment_file else ""
    elsewhere = f"the comment's text is in the job summary{file}"
    if inputs.comment == "never":
        log.say("no comment, because of `comment: never`")
    elif result.no_comment:
        log.annotate("notice", f"No comment: {result.no_comment}.")
    elif missing:
        log.annotate("notice", f"Dry run: {missing}. Nothing is posted; {elsewhere}.")
    elif context.pull_request is None:
        log.say(f"no comment: the event `{context.event}` does not belong to a pull request")
    else:
        for number in (context.pull_request, *result.also):
            _comment(result, task, number, elsewhere)


def _comment(result: ModeResult, task: Task, number: int, elsewhere: str) -> None:
    """Create or update the comment."""
    inputs, context, log = task.inputs, task.context, task.log
    write = sticky(
        result.marker,
        result.text,
        verdict=result.verdict,
        commit=context.head if result.verdict is None else "",  # a comparison names both
        when=inputs.comment,
    )
    posted = task.ask_github(
        lambda client: post_comment(client, context.repository, number, result.marker, write),
        lambda reason: _warn(task, f"No comment: {reason}; {elsewhere}."),
    )
    if posted is None:
        return
    if posted.action == "not wanted":
        log.say(f"no comment, because of `comment: {inputs.comment}`")
    else:
        log.say(f"comment {posted.action}{posted.url and f': {posted.url}'}")


def _warn(task: Task, text: str) -> None:
    # A fork's token cannot write, by GitHub's design: nobody did anything wrong.
    task.log.annotate("notice" if task.context.fork else "warning", text)
