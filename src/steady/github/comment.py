"""The one comment of a run: found by its marker, updated in place, never posted twice."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from github import Github, UnknownObjectException
from github.Issue import Issue
from github.IssueComment import IssueComment

from steady.github.client import address, rows
from steady.github.patience import may_pass

_JOB = "github-actions[bot]"
"""As whom a job's own token writes. People's names hold no brackets."""

_DESCRIBED = frozenset({"body", "html_url", "url", "user"})
"""What GitHub says of each comment."""

Write = Callable[[str | None], str | None]
"""Given the present comment's body, or None where there is none, what it is to be; None: nothing
is to be posted."""


@dataclass(frozen=True, slots=True)
class Posted:
    """The outcome of posting a comment.

    Parameters
    ----------
    action : {"created", "updated", "up to date", "not wanted"}
        What was done by the last attempt.
    url : str
        Where people find it; empty where there is none.
    """

    action: Literal["created", "updated", "up to date", "not wanted"]
    url: str = ""


def post_comment(client: Github, repository: str, number: int, marker: str, write: Write) -> Posted:
    """Create the comment with `marker` on a pull request, or update the one that is there.

    May be repeated (`steady.github.patience`): the pull request is searched first, so that a
    creation whose answer was lost is not sent again.

    Parameters
    ----------
    client : Github
        See `steady.github.connect`.
    repository, number : str, int
        The pull request.
    marker : str
        What the comment's body begins with; a comment that only quotes it is somebody else's.
    write : callable
        Tells what the comment is to be.

    Returns
    -------
    Posted
        Only the oldest of several comments of ours remains, should two runs have raced.

    Raises
    ------
    GithubException, OSError
        If GitHub refuses or does not answer.
    TypeError, LookupError, ValueError
        If an answer is not what GitHub's API describes; nothing is sent after it.
    """
    issue = client.get_repo(repository).get_issue(number)
    is_ours = _authorship(client)
    there = comments_of(client, repository, number)
    ours = [c for c in there if _body(c).startswith(marker) and is_ours(c)]
    return _put(issue, marker, ours, write)


def comments_of(client: Github, repository: str, number: int) -> list[IssueComment]:
    """Return the comments on a pull request, the oldest first; raises as `post_comment`."""
    there = rows(client, f"/repos/{repository}/issues/{number}/comments")
    if not all(one.keys() >= _DESCRIBED for one in there):
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
        # Another job may have deleted it a moment ago.
        with suppress(UnknownObjectException):
            double.delete()
    before = _body(comment)
    if text == before:
        return Posted("up to date", address(comment.html_url))
    try:
        comment.edit(text)
    except UnknownObjectException:
        # Somebody deleted it a moment ago.
        return _create(issue, text)
    if _body(comment) == before:
        raise TypeError("the answer to a change does not have it")
    return Posted("updated", address(comment.html_url))


def _create(issue: Issue, text: str) -> Posted:
    return Posted("created", address(issue.create_comment(text).html_url))


def _body(comment: IssueComment) -> str:
    # GitHub may hand out bodies with the line ends of a web form.
    return (comment.body or "").replace("\r\n", "\n")


def _authorship(client: Github) -> Callable[[IssueComment], bool]:
    """Return what tells our own comments from those of others.

    The job's token may not ask who it is by REST, but by GraphQL it may; a user's own token may
    do either. Where neither does, only whom the job's token writes as counts as us: people and
    other bots do repeat comments whole. An outage of both is no such answer: a person's token
    would post its comment a second time.
    """
    login = _viewer(client) or _JOB
    names = {login.lower(), f"{login.lower()}[bot]"}
    return lambda comment: comment.user is not None and comment.user.login.lower() in names


def _viewer(client: Github) -> str | None:
    # Whatever answers: PyGithub takes a proxy's page for data.
    with suppress(Exception):
        _, answer = client.requester.graphql_query("query { viewer { login } }", {})
        return str(answer["data"]["viewer"]["login"])
    try:
        return client.get_user().login
    except Exception as error:
        if may_pass(error):
            raise
        return None
