"""``/steady accept PATTERN reason``: a maintainer's word on a pull request.

What counts is the pull request as it stands: an edited comment counts as edited, a deleted one
not at all. Anybody may write the line; only GitHub knows whose word it is. Nothing at the
beginning of a comment can be a quotation, code or hidden, so it counts there and nowhere else.
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
from steady.settings.accept_line import parse_accept
from steady.settings.repo_settings import Acceptance

MAY_ACCEPT = ("admin", "write")
"""Permissions of those who may push, as GitHub names them; ``maintain`` counts as ``write``."""

_COMMAND = re.compile(r"/steady[ \t]+accept(?![^ \t])(.*)", re.DOTALL)
_LINE_END = re.compile(r"\r\n?|\n")  # in Markdown (CommonMark 0.31, section 2.1)
_BREAKING = frozenset({"Cc", "Zl", "Zp"})
"""Controls and separators: ordinary characters in Markdown, but line ends for many programs."""

_LATE = "it has to stand at the beginning of its comment"
_CONTROL = "it holds a control character or a separator of lines; write the line again by hand"


@dataclass(frozen=True, slots=True)
class Accepts:
    """What a pull request's comments accept.

    Parameters
    ----------
    entries : tuple of Acceptance
        By people who may push to the repository; each holds for this pull request only.
    problems : tuple of str
        What is wrong with commands of these people, one sentence each.
    others : tuple of str
        Who wrote the command without being one of them.
    """

    entries: tuple[Acceptance, ...] = ()
    problems: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def find_accepts(client: Github, repository: str, number: int) -> Accepts:
    """Read what the comments on a pull request accept.

    Parameters
    ----------
    client : Github
        See `steady.github.connect`; its token needs to read pull requests.
    repository, number : str, int
        The pull request.

    Returns
    -------
    Accepts
        In the order of the comments. Whether an author may push is asked once for each author
        of a command, and of nobody else.

    Raises
    ------
    GithubException, OSError
        If GitHub refuses, or does not answer.
    """
    home = client.get_repo(repository)
    entries: list[Acceptance] = []
    problems: list[str] = []
    permitted: dict[str, bool] = {}
    for comment in comments_of(client, repository, number):
        login = _person(comment)
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
                problems.append(f"a `/steady accept` by {login} does not count: {error}")
    others = tuple(login for login, may in permitted.items() if not may)
    return Accepts(tuple(entries), tuple(problems), others)


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Find the commands of a comment.

    Parameters
    ----------
    text : str
        The comment, as its author wrote it.

    Yields
    ------
    tuple of (str, str)
        In order: what stands behind ``/steady accept`` in its line, and why the line does not
        count, as a sentence without its full stop; empty if it counts.
    """
    at_beginning = True
    for line in _LINE_END.split(text):
        command = _COMMAND.fullmatch(line)
        if command is None:
            at_beginning = at_beginning and not line.strip(" \t")
            continue
        controls = any(c != "\t" and unicodedata.category(c) in _BREAKING for c in command[1])
        yield command[1], _CONTROL if controls else "" if at_beginning else _LATE


def _person(comment: IssueComment) -> str:
    """Return who wrote a comment; empty where it was a bot, ourselves included, or nobody."""
    user = comment.user
    return "" if user is None or user.type != "User" else user.login


def _text(comment: IssueComment) -> str:
    # Half of a surrogate pair is legal in JSON, and in no file that we write.
    text = (comment.body or "").encode("utf-8", "replace").decode()
    # Our own comment, written with a person's token, never gives orders.
    return "" if text.startswith("<!-- steady:") else text


def _may_push(repository: Repository, login: str) -> bool:
    try:
        return repository.get_collaborator_permission(login) in MAY_ACCEPT
    except GithubException as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return False
        raise
