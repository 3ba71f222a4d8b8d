"""The one comment of a run: found by its marker, updated in place, never posted twice."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from github import Github, GithubException, RateLimitExceededException, UnknownObjectException
from github.GithubException import RateLimitExceededExceedsMaxWait
from github.Issue import Issue
from github.IssueComment import IssueComment

from steady.github.client import LONGEST_WAIT_SECONDS

ATTEMPTS = 4

_FIRST_WAIT_SECONDS = 2.0
_RATE_LIMIT_WAIT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Posted:
    """What became of the comment.

    Parameters
    ----------
    action : {"created", "updated", "unchanged"}
        What was done.
    url : str
        Where people find it.
    """

    action: Literal["created", "updated", "unchanged"]
    url: str


def post_comment(
    client: Github,
    repository: str,
    number: int,
    marker: str,
    write: Callable[[str | None], str],
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> Posted:
    """Create the comment with `marker` on a pull request, or update the one that is there.

    Parameters
    ----------
    client : Github
        See `steady.github.connect`.
    repository, number : str, int
        The pull request.
    marker : str
        What the comment's body begins with; a comment that only quotes it is somebody else's.
    write : callable
        Given the present comment's body, or None where there is none, the new body.
    sleep : callable
        Waits some seconds.

    Returns
    -------
    Posted
        Only the oldest of several comments of ours remains, should two runs have raced.

    Raises
    ------
    GithubException, OSError
        If GitHub refuses, or fails `ATTEMPTS` times. A creation that failed is not simply sent
        again, for GitHub may have carried it out: the pull request is searched first.
    """
    issue = client.get_repo(repository).get_issue(number)
    is_ours = _authorship(client)
    for attempt in range(1, ATTEMPTS):
        try:
            return _put(issue, marker, is_ours, write)
        except (GithubException, OSError) as error:
            if not _passes(error):
                raise
            sleep(_wait(error, attempt))
    return _put(issue, marker, is_ours, write)


def _put(
    issue: Issue,
    marker: str,
    is_ours: Callable[[IssueComment], bool],
    write: Callable[[str | None], str],
) -> Posted:
    found = [c for c in issue.get_comments() if _body(c).startswith(marker) and is_ours(c)]
    if not found:
        return _create(issue, _checked(write(None), marker))
    comment, *doubles = found
    for double in doubles:
        double.delete()
    body = _checked(write(_body(comment)), marker)
    if body == _body(comment):
        return Posted("unchanged", comment.html_url)
    try:
        comment.edit(body)
    except UnknownObjectException:
        # Somebody deleted it a moment ago.
        return _create(issue, body)
    return Posted("updated", comment.html_url)


def _create(issue: Issue, body: str) -> Posted:
    return Posted("created", issue.create_comment(body).html_url)


def _body(comment: IssueComment) -> str:
    # GitHub may hand out bodies with the line ends of a web form.
    return (comment.body or "").replace("\r\n", "\n")


def _checked(body: str, marker: str) -> str:
    if not body.startswith(marker):
        raise ValueError(f"a comment that does not begin with {marker!r} is never found again")
    return body


def _authorship(client: Github) -> Callable[[IssueComment], bool]:
    """Return what tells our own comments from those of others.

    The job's token may not ask who it is by REST, but by GraphQL it may; a user's own token may
    do either. Where neither answers, only bots count as us: people do quote comments whole.
    """
    login = _viewer(client)
    if login is None:
        return lambda comment: comment.user is not None and comment.user.type == "Bot"
    names = {login.lower(), f"{login.lower()}[bot]"}
    return lambda comment: comment.user is not None and comment.user.login.lower() in names


def _viewer(client: Github) -> str | None:
    for ask in (_viewer_by_graphql, _viewer_by_rest):
        try:
            return ask(client)
        except (GithubException, OSError, LookupError, TypeError):
            continue
    return None


def _viewer_by_graphql(client: Github) -> str:
    _, answer = client.requester.graphql_query("query { viewer { login } }", {})
    return str(answer["data"]["viewer"]["login"])


def _viewer_by_rest(client: Github) -> str:
    return client.get_user().login


def _passes(error: GithubException | OSError) -> bool:
    """Tell whether trying again may help."""
    if isinstance(error, RateLimitExceededExceedsMaxWait):
        return False
    if isinstance(error, (OSError, RateLimitExceededException)):
        return True
    return error.status >= 500 or error.status == 429 or _retry_after(error) is not None


def _wait(error: GithubException | OSError, attempt: int) -> float:
    """Return how many seconds to wait before the next attempt."""
    asked = _retry_after(error) if isinstance(error, GithubException) else None
    if asked is None and isinstance(error, RateLimitExceededException):
        asked = _RATE_LIMIT_WAIT_SECONDS
    backoff = _FIRST_WAIT_SECONDS * 2.0 ** (attempt - 1)
    return min(max(asked or 0.0, backoff), LONGEST_WAIT_SECONDS)


def _retry_after(error: GithubException) -> float | None:
    value = (error.headers or {}).get("retry-after", "")
    return float(value) if re.fullmatch(r"[0-9]{1,6}", value) else None
