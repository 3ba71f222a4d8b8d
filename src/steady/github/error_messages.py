"""Error messages for failures of GitHub's API, each with the action to take.

Callers pass the exception and the permission that the request requires to `explain`:

>>> from github import GithubException
>>> from steady.github.context import Context
>>> error = GithubException(403, {"message": "Resource not accessible by integration"})
>>> explain(
...     error,
...     Context("push", "octo/benchmarks"),
...     permission="contents: write",
...     what="the branch",
... )
'the token may not write the branch (403): add `permissions: contents: write` to the job'

The verb depends on the permission: ``actions: read`` results in "may not read".
"""

import math
import re
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from github import GithubException

from steady.github.client import (
    RetryTimeoutError,
    Step,
    StepError,
    is_rate_limit,
    limit_renewal,
    retry_after,
)
from steady.github.context import Context

COMMENT_PERMISSION = "pull-requests: write"

_BY_PERSON = "by personal access token"
_BY_JOB = "Resource not accessible by integration"
_MAY_NOT_PROPOSE = "not permitted to create or approve pull requests"
_LOCKED = re.compile(r"\block", re.IGNORECASE)


def explain(
    error: Exception,
    context: Context,
    *,
    permission: str = COMMENT_PERMISSION,
    what: str = "the comment",
    missing: str | None = None,
) -> str:
    """Return one sentence on a failed request, with GitHub's reason and the action to take.

    Parameters
    ----------
    error : Exception
        Exception raised by PyGithub: GithubException if GitHub rejected the request, OSError if
        there was no response, any other if the response was not GitHub's.
    context : Context
        Context of this run.
    permission : str
        Required permission of the job's token, such as ``contents: write``.
    what : str
        Object of the request, with its article: ``the comment``.
    missing : str, optional
        Object that a 404 response refers to, without an article, such as ``artifact 12``. By
        default the pull request, if there is one.
    """
    verb = "write" if permission.endswith("write") else "read"
    silent = f"GitHub's API at {context.api_url} did not answer"
    if isinstance(error, RetryTimeoutError):
        minutes = _minutes(error.seconds)
        return f"{silent} within the {minutes} that a job waits for it; run the job again"
    answered = _answered(error)
    if answered is None and isinstance(error, OSError):
        return f"{silent}; if the address is right, run the job again"
    if answered is None or not isinstance(error, GithubException):
        return (
            f"the server at {context.api_url} is not GitHub's API; check the address, and whether "
            "a proxy answers"
        )
    status, words = answered
    if is_rate_limit(error):
        return f"GitHub's rate limit is used up; run the job again {_when(error)}"
    if status == HTTPStatus.FORBIDDEN:
        return _forbidden(words, context, permission, f"{verb} {what}")
    if status >= 500:
        return f"GitHub's API failed ({status}); run the job again"
    remedies = {
        401: (
            "GitHub rejects the token (401): renew it, or remove the input `token` to use the "
            "job's own"
        ),
        404: f"this token cannot see {_sought(context, what, missing)} (404): "
        f"{_remedy(permission, words)}",
        410: (
            f"GitHub says that {what} does not exist in {context.repository} any more (410: "
            f"{words})"
        ),
        422: f"GitHub refuses {what} (422: {words})",
    }
    return remedies.get(status, f"GitHub answered {status} ({words})")


def _answered(error: Exception) -> tuple[int, str] | None:
    """Return status and message of GitHub's response, or None if it was not GitHub's."""
    if not isinstance(error, GithubException):
        return None
    data = error.data if isinstance(error.data, dict) else {}
    if error.status < 500 and str(data.get("data", "")).lstrip().startswith("<"):
        # PyGithub reports web pages in this form. GitHub itself sends them only with server errors.
        return None
    return error.status, _one_line(error.message or data.get("message"))


def _one_line(text: Any) -> str:
    return " ".join(str(text or "no reason given").split())[:200]


def _when(error: GithubException) -> str:
    """Return the time at which requests are accepted again, if known."""
    asked, renewed = retry_after(error), limit_renewal(error)
    if asked is not None:
        return f"in {_minutes(asked)}"
    if renewed is not None:
        return f"after {datetime.fromtimestamp(renewed, UTC):%Y-%m-%d %H:%M} UTC"
    return "later"


def _minutes(seconds: float) -> str:
    minutes = math.ceil(seconds / 60.0)
    return "1 minute" if minutes <= 1 else f"{minutes} minutes"


def _forbidden(words: str, context: Context, permission: str, deed: str) -> str:
    if _LOCKED.search(words) and permission == COMMENT_PERMISSION:
        return "the pull request's conversation is locked (403): unlock it to get the comment"
    if _MAY_NOT_PROPOSE in words:
        return (
            "GitHub Actions may not open pull requests here (403): allow it in the repository's "
            "settings, under Actions, General, Workflow permissions"
        )
    if context.fork:
        return (
            "the pull request comes from a fork, and GitHub gives its job a token that can only "
            "read (403)"
        )
    known = words.startswith(_BY_JOB) or _BY_PERSON in words
    shown = "403" if known else f"403: {words}"
    return f"the token may not {deed} ({shown}): {_remedy(permission, words)}"


def _sought(context: Context, what: str, missing: str | None) -> str:
    if missing is None and context.pull_request is None:
        return f"repository {context.repository}, where {what} belongs"
    return f"{missing or f'pull request {context.pull_request}'} in {context.repository}"


def _remedy(permission: str, words: str) -> str:
    if _BY_PERSON in words:
        return f"give the personal token the permission `{permission}`"
    return f"add `permissions: {permission}` to the job"


PREFIX = "steady/plan-"
"""Prefix of the names of steady's own branches."""

_RACES = re.compile(r"fast.forward|already exists|does not exist|but expected", re.IGNORECASE)


def is_race(error: GithubException) -> bool:
    """Return whether an error is due to a concurrent update, so that a retry may succeed."""
    return error.status in (409, 422) and _RACES.search(_words(error)) is not None


def explain_step(
    error: StepError | RetryTimeoutError, context: Context, *, own: bool = False
) -> str:
    """Return one sentence on a failed step; see `steady.github.explain`.

    Parameters
    ----------
    error : StepError or RetryTimeoutError
        Error of the step, or of the exhausted time budget.
    context : Context
        Context of this run.
    own : bool
        Whether the branch is steady's own, for a pull request.
    """
    if not isinstance(error, StepError):
        return explain(error, context)
    step, cause = error.step, error.cause
    if isinstance(cause, GithubException) and (known := _known(cause, context, step, own=own)):
        return known
    return explain(cause, context, permission=step.permission, what=step.what, missing=step.what)


def _known(error: GithubException, context: Context, step: Step, *, own: bool) -> str | None:
    status, words = error.status, _words(error)
    if is_rate_limit(error) or _answered(error) is None:
        return None
    if status == 409 and "empty" in words:
        return f"{context.repository} has no commits yet (409): push one first"
    if status == 403 and "archived" in words:
        return f"{context.repository} is archived and accepts no commits (403)"
    if step.moves and is_race(error):
        return f"{step.what} kept changing while this job wrote to it ({status}): run the job again"
    if step.moves and status in (403, 409, 422) and "not accessible" not in words:
        way = (
            f"let the rules of branches `{PREFIX}*` allow it"
            if own
            else "write `commit: pull-request`, or let its rules allow this token"
        )
        return f"{step.what} is protected ({status}: {words}): {way}"
    if status == 404 and step.permission.endswith("write"):
        # GitHub returns 404 to a classic token without the scope `repo`.
        return f"the token may not write {step.what} (404): give it `{step.permission}`"
    return None


def _words(error: GithubException) -> str:
    """Return GitHub's message and its details on one line."""
    content: Any = error.data if isinstance(error.data, dict) else {}
    errors = content.get("errors")
    rows = [row for row in errors if isinstance(row, dict)] if isinstance(errors, list) else []
    details = (str(row["message"]) for row in rows if row.get("message"))
    first = str(content.get("message") or error.message or "no reason given")
    return _one_line(" ".join([first, *details]))
