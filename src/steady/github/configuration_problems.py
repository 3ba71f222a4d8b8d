"""Why the configuration could not be committed, as a sentence that says what to do."""

from __future__ import annotations

import re
from typing import Any

from github import GithubException

from steady.github.context import Context
from steady.github.problems import explain
from steady.github.step import Step, StepError

PREFIX = "steady/plan-"
"""What the names of our own branches begin with."""

_RACES = re.compile(r"fast.forward|already exists|does not exist|but expected", re.IGNORECASE)


def is_race(error: GithubException) -> bool:
    """Tell whether somebody else was faster, so that a new look may help."""
    return error.status in (409, 422) and _RACES.search(_words(error)) is not None


def explain_step(error: StepError, context: Context, *, own: bool = False) -> str:
    """Return one sentence on a step that failed; see `steady.github.explain`.

    Parameters
    ----------
    error : StepError
        The step, and why it failed.
    context : Context
        Where the request belonged.
    own : bool
        Whether the branch is one of ours, for a pull request.
    """
    step, cause = error.step, error.cause
    if isinstance(cause, GithubException):
        known = _known(cause, context, step, own=own)
        if known is not None:
            return known
    return explain(cause, context, permission=step.permission, what=step.what, missing=step.what)


def _known(error: GithubException, context: Context, step: Step, *, own: bool) -> str | None:
    status, words = error.status, _words(error)
    if status == 409 and "empty" in words:
        return f"{context.repository} holds no commit yet (409): push one first"
    if status == 403 and "archived" in words:
        return f"{context.repository} is archived and takes no commits (403)"
    if step.moves and is_race(error):
        return f"{step.what} kept moving while this job wrote to it ({status}): run the job again"
    if step.moves and status in (403, 409, 422) and not _is_about_the_token(words):
        way = (
            f"let the rules of branches `{PREFIX}*` allow it"
            if own
            else "write `commit: pull-request`, or let its rules allow this token"
        )
        return f"{step.what} is protected ({status}: {words}): {way}"
    if status == 404 and step.permission.endswith("write"):
        # So GitHub answers a classic token without the scope `repo`.
        return f"the token may not write {step.what} (404): give it `{step.permission}`"
    return None


def _is_about_the_token(words: str) -> bool:
    return "not accessible" in words or "rate limit" in words.lower()


def _words(error: GithubException) -> str:
    """Return GitHub's own words, with the details, on one line."""
    data: Any = error.data
    content = data if isinstance(data, dict) else {}
    errors = content.get("errors")
    details = [
        str(detail["message"])
        for detail in (errors if isinstance(errors, list) else ())
        if isinstance(detail, dict) and detail.get("message")
    ]
    text = " ".join([str(content.get("message") or error.message or "no reason given"), *details])
    return " ".join(text.split())[:200]
