"""``/steady accept PATTERN reason``: commands by which maintainers accept changes.

Comments are read in their current state: an edited comment counts as edited, a deleted one is
ignored. Anybody can write the command; GitHub reports whether its author may push. A command is
valid only at the beginning of a comment, because no quotation, code block or hidden text can
precede it there.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus

from github import Github, GithubException
from github.IssueComment import IssueComment
from github.Repository import Repository

from steady.errors import require
from steady.github.comment import comments_of
from steady.settings.repo_settings import Acceptance, parse_accept

MAY_ACCEPT = ("admin", "write")
"""Permissions to push, named as in GitHub's API, which reports ``maintain`` as ``write``."""

_COMMAND = re.compile(r"/steady[ \t]+accept(?![^ \t])(.*)", re.DOTALL)
_LINE_END = re.compile(r"\r\n?|\n")  # in Markdown (CommonMark 0.31, section 2.1)
_BREAKING = frozenset({"Cc", "Zl", "Zp"})
"""Unicode categories of control characters and separators, which Markdown treats as ordinary
characters but many programs treat as line ends."""

_LATE = "it must be at the beginning of the comment"
_CONTROL = "it contains a control character or a line separator; type the line again"


@dataclass(frozen=True, slots=True)
class Acceptances:
    """Changes accepted by the comments on a pull request.

    Parameters
    ----------
    entries : tuple of Acceptance
        Acceptances by people who may push to the repository; each is valid for this pull request
        only.
    problems : tuple of str
        Errors in these people's commands, one sentence each.
    others : tuple of str
        Logins of authors of the command who may not push.
    """

    entries: tuple[Acceptance, ...] = ()
    problems: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def find_acceptances(client: Github, repository: str, number: int) -> Acceptances:
    """Read the `/steady accept` commands on a pull request.

    Parameters
    ----------
    client : Github
        Client from `steady.github.connect`; its token needs `pull-requests: read`.
    repository, number : str, int
        Repository and number of the pull request.

    Returns
    -------
    Acceptances
        Acceptances in the order of the comments. The permission of each author is requested once.

    Raises
    ------
    GithubException, OSError
        If GitHub rejects the request or does not respond.
    """
    home = client.get_repo(repository)
    entries: list[Acceptance] = []
    problems: list[str] = []
    permitted: dict[str, bool] = {}
    for comment in comments_of(client, repository, number):
        login = _author(comment)
        written = list(commands(_text(comment))) if login else []
        if not written:
            continue
        if login not in permitted:
            permitted[login] = _may_push(home, login)
        if not permitted[login]:
            continue
        for arguments, obstacle in written:
            try:
                require(not obstacle, obstacle)
                entries.append(parse_accept(arguments, login))
            except ValueError as error:
                problems.append(f"a `/steady accept` by {login} is ignored: {error}")
    others = tuple(login for login, may in permitted.items() if not may)
    return Acceptances(tuple(entries), tuple(problems), others)


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Find the commands of a comment.

    Parameters
    ----------
    text : str
        Raw Markdown of the comment.

    Yields
    ------
    tuple of (str, str)
        For each command, in order: the text after ``/steady accept``, and the reason why the
        command is invalid, as a sentence without a full stop; empty if it is valid.
    """
    at_beginning = True
    for line in _LINE_END.split(text):
        command = _COMMAND.fullmatch(line)
        if command is None:
            at_beginning = at_beginning and not line.strip(" \t")
            continue
        controls = any(c != "\t" and unicodedata.category(c) in _BREAKING for c in command[1])
        yield command[1], _CONTROL if controls else "" if at_beginning else _LATE


def _author(comment: IssueComment) -> str:
    """Return the login of a comment's author; empty for bots and deleted users."""
    user = comment.user
    return "" if user is None or user.type != "User" else user.login


def _text(comment: IssueComment) -> str:
    # A lone surrogate is legal in JSON, but cannot be encoded as UTF-8.
    text = (comment.body or "").encode("utf-8", "replace").decode()
    # steady's own comment may be posted with a person's token; it contains no commands.
    return "" if text.startswith("<!-- steady:") else text


def _may_push(repository: Repository, login: str) -> bool:
    try:
        return repository.get_collaborator_permission(login) in MAY_ACCEPT
    except GithubException as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return False
        raise
