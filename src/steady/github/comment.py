"""The comment on a pull request: found by its marker, updated in place, never duplicated."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from github import Github, UnknownObjectException
from github.Issue import Issue
from github.IssueComment import IssueComment

from steady.github.client import address, is_transient, rows

_JOB = "github-actions[bot]"
"""Login under which a job's own token writes. Logins of people contain no brackets."""

_COMMENT_KEYS = frozenset({"body", "html_url", "url", "user"})
"""Keys that every comment in a response has."""

Write = Callable[[str | None], str | None]
"""Function that takes the body of the existing comment (None if there is none) and returns the new
body. It returns None if nothing is to be posted."""


@dataclass(frozen=True, slots=True)
class Posted:
    """The outcome of posting a comment.

    Parameters
    ----------
    action : {"created", "updated", "up to date", "not wanted"}
        Action of the last attempt.
    url : str
        Address of the comment; empty if there is none.
    """

    action: Literal["created", "updated", "up to date", "not wanted"]
    url: str = ""


def post_comment(client: Github, repository: str, number: int, marker: str, write: Write) -> Posted:
    """Create or update the comment with `marker` on a pull request.

    Safe to retry (see `steady.github.client.RetryBudget`): existing comments are searched first, so
    a comment is not created again if the response to its creation was lost.

    Parameters
    ----------
    client : Github
        Client from `steady.github.connect`.
    repository, number : str, int
        Repository and number of the pull request.
    marker : str
        Beginning of the comment's body. A comment that contains the marker elsewhere is not
        steady's.
    write : callable
        Function that returns the comment's new body.

    Returns
    -------
    Posted
        The action and the comment's address. If concurrent runs created several comments, all but
        the oldest are deleted.

    Raises
    ------
    GithubException, OSError
        If GitHub rejects the request or does not respond.
    TypeError, LookupError, ValueError
        If a response does not match GitHub's API; no further request is sent.
    """
    issue = client.get_repo(repository).get_issue(number)
    is_ours = _authorship(client)
    there = comments_of(client, repository, number)
    ours = [c for c in there if _body(c).startswith(marker) and is_ours(c)]
    return _put(issue, marker, ours, write)


def comments_of(client: Github, repository: str, number: int) -> list[IssueComment]:
    """Return the comments on a pull request, oldest first; see `post_comment` for exceptions."""
    there = rows(client, f"/repos/{repository}/issues/{number}/comments")
    if not all(one.keys() >= _COMMENT_KEYS for one in there):
        raise TypeError("expected comments")
    return [IssueComment(client.requester, {}, one) for one in there]


def _put(issue: Issue, marker: str, ours: list[IssueComment], write: Write) -> Posted:
    text = write(_body(ours[0]) if ours else None)
    if text is None:
        return Posted("not wanted")
    if not text.startswith(marker):
        raise ValueError(f"a comment that does not begin with {marker!r} is never found again")
    if not ours:
        return _create(issue, text)
    comment, *doubles = ours
    for double in doubles:
        # Another job may have deleted it in the meantime.
        with suppress(UnknownObjectException):
            double.delete()
    before = _body(comment)
    if text == before:
        return Posted("up to date", address(comment.html_url))
    try:
        comment.edit(text)
    except UnknownObjectException:
        # It was deleted in the meantime.
        return _create(issue, text)
    if _body(comment) == before:
        raise TypeError("the response to an edit does not contain the new text")
    return Posted("updated", address(comment.html_url))


def _create(issue: Issue, text: str) -> Posted:
    return Posted("created", address(issue.create_comment(text).html_url))


def _body(comment: IssueComment) -> str:
    # GitHub may return bodies with CRLF line ends, as submitted by a web form.
    return (comment.body or "").replace("\r\n", "\n")


def _authorship(client: Github) -> Callable[[IssueComment], bool]:
    """Return a predicate that recognizes steady's own comments.

    A job's token can query its own login through GraphQL only; a personal token can use REST as
    well. If neither reveals the login, the login of a job's token is assumed. If both are
    unavailable, an exception is raised, because a personal token would otherwise post a second
    comment.
    """
    login = _viewer(client) or _JOB
    names = {login.lower(), f"{login.lower()}[bot]"}
    return lambda comment: comment.user is not None and comment.user.login.lower() in names


def _viewer(client: Github) -> str | None:
    # Any exception is possible: PyGithub may return a proxy's page as data.
    with suppress(Exception):
        _, answer = client.requester.graphql_query("query { viewer { login } }", {})
        return str(answer["data"]["viewer"]["login"])
    try:
        return client.get_user().login
    except Exception as error:
        if is_transient(error):
            raise
        return None
