"""What went wrong with GitHub's API, as a sentence that says what to do."""

from __future__ import annotations

from http import HTTPStatus

from github import GithubException, RateLimitExceededException

from steady.github.context import Context

REMEDY_PERMISSION = "add `permissions: pull-requests: write` to the job"


def explain(error: Exception, context: Context) -> str:
    """Return one sentence on a failed request: what GitHub said, and the way out.

    Parameters
    ----------
    error : Exception
        As PyGithub raises it: GithubException where GitHub refused, OSError where nobody
        answered, anything else where the answer was not GitHub's.
    context : Context
        Where the request belonged.
    """
    if isinstance(error, OSError):
        return (
            f"GitHub's API at {context.api_url} did not answer; if the address is right, run the "
            "job again"
        )
    if not isinstance(error, GithubException):
        return (
            f"what answers at {context.api_url} is not GitHub's API ({type(error).__name__}); "
            "check that nothing stands between"
        )
    if isinstance(error, RateLimitExceededException) or error.status == 429:
        return "GitHub's rate limit is used up; run the job again later"
    if error.status == HTTPStatus.FORBIDDEN:
        return _forbidden(error, context)
    if error.status >= 500:
        return f"GitHub's API failed ({error.status}); run the job again"
    remedies = {
        401: "GitHub does not accept the token (401): leave `token` out, or renew it",
        404: (
            f"GitHub shows this token no pull request {context.pull_request} in "
            f"{context.repository} (404): {REMEDY_PERMISSION}"
        ),
        422: f"GitHub refuses the comment (422: {_said(error)})",
    }
    return remedies.get(error.status, f"GitHub answered {error.status} ({_said(error)})")


def _forbidden(error: GithubException, context: Context) -> str:
    if "lock" in _said(error):
        return "the pull request's conversation is locked (403): unlock it to get the comment"
    if context.fork:
        return (
            "the pull request comes from a fork, and GitHub gives its job a token that can only "
            "read (403)"
        )
    return f"the token may not write comments (403): {REMEDY_PERMISSION}"


def _said(error: GithubException) -> str:
    """Return GitHub's own words, on one line."""
    data = error.data if isinstance(error.data, dict) else {}
    return " ".join(str(error.message or data.get("message") or "no reason given").split())[:200]
