"""Client of GitHub's API without retries; `steady.github.retries` retries."""

import itertools
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from github import Auth, Github

TIMEOUT_SECONDS = 30
"""Request timeout. GitHub itself aborts a request after 10 seconds, so no request takes effect
after this time."""

PAGE = 100
"""Maximum number of rows on a page of results."""


def connect(token: str, api_url: str) -> Github:
    """Return a client without sending a request.

    Parameters
    ----------
    token : str
        The job's token, or a personal access token.
    api_url : str
        Address of the API (``GITHUB_API_URL``).
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
    """Return the unvalidated JSON of GitHub's response.

    Raises
    ------
    GithubException, OSError
        If GitHub rejects the request or does not respond.
    """
    _, answer = client.requester.requestJsonAndCheck("GET", path, parameters=dict(query))
    return answer


def rows(client: Github, path: str, **query: str) -> list[dict[str, Any]]:
    """Return the rows of all pages of a list.

    Raises
    ------
    TypeError
        If a page is not a list of objects. PyGithub would treat null as an empty list.
    GithubException, OSError
        See `get`.
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
    """Check and return the address of a created or changed object.

    Raises
    ------
    TypeError
        If there is no address. Then the response is not GitHub's, whatever its status code.
    """
    if not isinstance(told, str) or not told:
        raise TypeError(f"expected an address, got {type(told).__name__}")
    return told


@dataclass(frozen=True, slots=True)
class Step:
    """Context manager that converts any exception in its body into a `StepError`.

    Parameters
    ----------
    what : str
        Object of the request, with its article if it needs one: "branch `main`".
    permission : str
        Permission of the job's token that the request requires.
    moves : bool
        Whether the request creates or updates a branch, which branch protection may forbid.
    """

    what: str
    permission: str
    moves: bool = False

    def __enter__(self) -> None:
        """Enter the step."""

    def __exit__(
        self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None
    ) -> None:
        """Attach the step to an exception."""
        # Every exception type is possible, because PyGithub does not validate responses.
        if isinstance(error, Exception) and not isinstance(error, StepError):
            raise StepError(self, error) from error


class StepError(Exception):
    """Raised when a step fails.

    Parameters
    ----------
    step : Step
        The step that failed.
    cause : Exception
        Exception raised by PyGithub, the network or the parsing of an unexpected response.
    """

    def __init__(self, step: Step, cause: Exception) -> None:
        super().__init__(step, cause)
        self.step = step
        self.cause = cause
