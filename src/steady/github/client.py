"""A client of GitHub's API that sends each request once: `steady.github.patience` repeats them."""

import itertools
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from github import Auth, Github

TIMEOUT_SECONDS = 30
"""GitHub itself ends a request after 10 seconds, so none is carried out after this time."""

PAGE = 100
"""Rows that GitHub lists at once, at most."""


def connect(token: str, api_url: str) -> Github:
    """Return a client; nothing is sent yet.

    Parameters
    ----------
    token : str
        The job's token, or one of the user's own.
    api_url : str
        ``GITHUB_API_URL``.
    """
    return Github(
        auth=Auth.Token(token),
        base_url=api_url,
        timeout=TIMEOUT_SECONDS,
        retry=None,
        per_page=PAGE,
        user_agent="steady-action",
        seconds_between_requests=None,
        seconds_between_writes=None,
        lazy=True,
    )


def get(client: Github, path: str, **query: str | int) -> Any:
    """Return what GitHub answers, which may be anything.

    Raises
    ------
    GithubException, OSError
        If GitHub refuses or does not answer.
    """
    _, answer = client.requester.requestJsonAndCheck("GET", path, parameters=dict(query))
    return answer


def rows(client: Github, path: str, **query: str) -> list[dict[str, Any]]:
    """Return all that GitHub lists, page by page.

    Raises
    ------
    TypeError
        If an answer is not a list of objects: to PyGithub, null is a list without any.
    GithubException, OSError
        As `get`.
    """
    found: list[dict[str, Any]] = []
    for page in itertools.count(1):
        answer = get(client, path, **query, per_page=PAGE, page=page)
        if not isinstance(answer, list) or not all(isinstance(row, dict) for row in answer):
            raise TypeError("expected a list of objects")
        found += answer
        if len(answer) < PAGE:
            break
    return found


def address(told: Any) -> str:
    """Return the address in an answer: what GitHub made or changed has one.

    Raises
    ------
    TypeError
        If the answer has none, so that it is not GitHub's, whatever its status.
    """
    if not isinstance(told, str) or not told:
        raise TypeError(f"expected an address, got {type(told).__name__}")
    return told


@dataclass(frozen=True, slots=True)
class Step:
    """What a request is for: ``with Step(...):`` raises a `StepError` for what goes wrong inside.

    Parameters
    ----------
    what : str
        With its article: "branch `main`".
    permission : str
        What the job's token needs for it.
    moves : bool
        Whether a branch is made or moved, which its rules may forbid.
    """

    what: str
    permission: str
    moves: bool = False

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None
    ) -> None:
        """Say of a failure what it was about."""
        # Whatever the API answers: PyGithub takes anything for data.
        if isinstance(error, Exception) and not isinstance(error, StepError):
            raise StepError(self, error) from error


class StepError(Exception):
    """A step that failed.

    Parameters
    ----------
    step : Step
        What was tried.
    cause : Exception
        What PyGithub, the network or an unexpected answer raised.
    """

    def __init__(self, step: Step, cause: Exception) -> None:
        super().__init__(step, cause)
        self.step = step
        self.cause = cause
