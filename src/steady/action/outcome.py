"""The result of a mode, and its comment; a comment that cannot be posted never fails the job."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from steady.action.input_fields import CommentWhen
from steady.action.task import Task
from steady.compare import Verdict
from steady.github import Context, post_comment
from steady.github.comment import Write
from steady.github.commit_content import Change

_COMPARISON_FIELDS = (
    "headline", "outputs", "summary", "text", "verdict", "annotations", "failures",
)  # fmt: skip

_UNRESOLVED: tuple[Verdict, ...] = ("regression", "incomplete", "not comparable", "accepted")
"""Verdicts after which an earlier problem is not resolved; an accepted regression is one."""

_WITHOUT_CHANGE: tuple[Verdict, ...] = ("unclear", "unchanged", "same code")

FRAME_CHARACTERS = 500
"""Maximum number of characters that `sticky` adds."""

_STATE = re.compile(r"<!-- steady-verdict: ([a-z ]+) -->")

_TOP = re.compile(r"\n(?:<!-- .* -->\n)*")
"""The lines between the marker and the heading of a comment."""

_RESOLVED = {
    "regression": "Resolved: the previous run found a regression.",
    "incomplete": "Resolved: the previous run was incomplete.",
    "not comparable": "Resolved: the previous run could not be compared.",
}


@dataclass(frozen=True, slots=True)
class ModeResult:
    """The result of a mode, with its outputs, summary, comment and annotations.

    Parameters
    ----------
    headline : str
        One-line result for the log.
    outputs : mapping of str to str
        Outputs for later steps.
    summary : str
        Markdown for the job summary.
    marker : str
        Invisible start of the comment's body; empty if the mode has no comment.
    text : str
        The comment as Markdown.
    verdict : str, optional
        Verdict of a comparison; None if there is none, as for a plan.
    comment_file : str
        File with the comment for users and steps that cannot see the pull request; empty if it is
        only in the job summary.
    annotations : tuple of str
        Workflow commands for the log.
    failures : tuple of str
        The conditions of ``fail-on`` that hold; empty if the job succeeds.
    context : Context, optional
        Pull request or commit of the result, if the mode determined it; None to use the event's.
    also : tuple of int
        Additional pull requests to post the same comment to.
    no_comment : str
        Reason for not posting a comment, as a sentence without a full stop; otherwise empty.
    configuration : Change, optional
        Changes to commit to the repository, if requested.
    proposal : callable, optional
        Function that returns the description of the pull request. Its argument is a function from
        names of files in the plan's folder to their URLs, or None.
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
        """Return a comparison's result from JSON data made by `dataclasses.asdict`.

        The comment's target and the changes to commit are never taken from the data, because the
        process that wrote it has read untrusted results.
        """
        return msgspec.convert({name: data[name] for name in _COMPARISON_FIELDS}, cls)


def deliver(result: ModeResult, task: Task) -> None:
    """Post the comment, if requested and permitted.

    Parameters
    ----------
    result : ModeResult
        Result with the comment to post.
    task : Task
        Task of the job.
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
        commit=context.head if result.verdict is None else "",  # a comparison gives both
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
    # By GitHub's design, the token of a fork's pull request is read-only; this is no error.
    task.log.annotate("notice" if task.context.fork else "warning", text)


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
        for comments without a verdict, such as a plan's.
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
        top = _TOP.match((earlier or "").removeprefix(marker))
        earlier_verdict = _STATE.search(top[0]) if top else None
        good = verdict not in _UNRESOLVED
        before = _RESOLVED.get(earlier_verdict[1], "") if earlier_verdict and good else ""
        resolved = f"**{before}**\n\n" if before else ""
        return f"{marker}\n{state}{heading}\n\n{resolved}{rest}{foot}\n"

    return write


def _is_wanted(verdict: Verdict | None, when: CommentWhen) -> bool:
    if when == "regressions":
        return verdict in _UNRESOLVED
    return when == "always" or (when == "changes" and verdict not in _WITHOUT_CHANGE)
