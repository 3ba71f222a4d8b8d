"""A client of GitHub's API that waits when asked to, and never repeats what is not safe.

The client itself repeats only requests that read. Those that write are repeated by `patiently`, by
an attempt that first looks at what the one before has left.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeVar

from github import Auth, Github, GithubException, GithubRetry, RateLimitExceededException
from github.GithubException import RateLimitExceededExceedsMaxWait

TIMEOUT_SECONDS = 30
PAGE = 100
"""Rows that GitHub lists at once, at most."""

REPETITIONS = 4
LONGEST_WAIT_SECONDS = 120.0

_SAFE_TO_REPEAT = ("GET",)
"""What writes and failed may have been carried out all the same: see `patiently`."""


def connect(
    token: str, api_url: str, *, backoff: float = 1.0, rate_limit_wait: float = 60.0
) -> Github:
    """Return a client; nothing is sent yet.

    Parameters
    ----------
    token : str
        The job's token, or one of the user's own.
    api_url : str
        ``GITHUB_API_URL``.
    backoff : float
        Seconds before the second repetition of a failed request; doubled each time.
    rate_limit_wait : float
        Seconds to wait when GitHub asks for patience without saying how long.
    """
    retry = GithubRetry(
        total=REPETITIONS,
        backoff_factor=backoff,
        retry_after_max=int(LONGEST_WAIT_SECONDS),
        allowed_methods=_SAFE_TO_REPEAT,
        secondary_rate_wait=rate_limit_wait,
        max_rate_limit_wait=LONGEST_WAIT_SECONDS,
    )
    return Github(
        auth=Auth.Token(token),
        base_url=api_url,
        timeout=TIMEOUT_SECONDS,
        retry=retry,
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


def rows(client: Github, path: str) -> list[dict[str, Any]]:
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
        answer = get(client, path, per_page=PAGE, page=page)
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


_FAILURES = (GithubException, OSError, LookupError, TypeError, ValueError)
"""GitHub's, the network's, and those that the answer of something else than GitHub causes."""


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
        self,
        _: type[BaseException] | None,
        error: BaseException | None,
        __: TracebackType | None,
    ) -> None:
        """Say of a failure what it was about."""
        if isinstance(error, _FAILURES):
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


ATTEMPTS = 4

_FIRST_WAIT_SECONDS = 2.0
_RATE_LIMIT_WAIT_SECONDS = 60.0

Result = TypeVar("Result")


def patiently(
    attempt: Callable[[], Result],
    *,
    sleep: Callable[[float], None] = time.sleep,
    again: Callable[[GithubException], bool] = lambda _: False,
    now: Callable[[], float] = time.time,
) -> Result:
    """Return what `attempt` returns; call it up to `ATTEMPTS` times where that may help.

    Parameters
    ----------
    attempt : callable
        Safe to be repeated: a request that failed may have been carried out all the same, so
        whatever creates something looks first whether it is there.
    sleep : callable
        Waits some seconds.
    again : callable
        Tells whether a refused attempt may succeed all the same: somebody else was faster.
    now : callable
        Returns the seconds since 1970: GitHub says when it renews a rate limit.

    Raises
    ------
    GithubException, OSError, StepError
        The error of the last attempt, or the first that waiting does not help against.
    """
    for number in range(1, ATTEMPTS):
        try:
            return attempt()
        except (GithubException, OSError, StepError) as error:
            cause = error.cause if isinstance(error, StepError) else error
            lost = isinstance(cause, GithubException) and again(cause)
            wait = _wait(cause, number, now())
            if wait > LONGEST_WAIT_SECONDS or not (lost or _passes(cause)):
                raise
            sleep(wait)
    return attempt()


def _passes(error: Exception) -> bool:
    """Tell whether trying again may help."""
    if isinstance(error, RateLimitExceededExceedsMaxWait):
        return False
    if isinstance(error, (OSError, RateLimitExceededException)):
        return True
    if not isinstance(error, GithubException):
        return False
    return error.status >= 500 or error.status == 429 or _retry_after(error) is not None


def _wait(error: Exception, number: int, now: float) -> float:
    """Return how many seconds to wait before the next attempt."""
    backoff = _FIRST_WAIT_SECONDS * 2.0 ** (number - 1)
    if not isinstance(error, GithubException):
        return backoff
    asked = _retry_after(error)
    reset = _reset(error)
    if asked is None and reset is not None:
        # One second more, for the reset happens somewhere within its second.
        return max(reset + 1.0 - now, backoff)
    if asked is None and isinstance(error, RateLimitExceededException):
        asked = _RATE_LIMIT_WAIT_SECONDS
    return min(max(asked or 0.0, backoff), LONGEST_WAIT_SECONDS)


def _retry_after(error: GithubException) -> float | None:
    return _number(error, "retry-after", 6)


def _reset(error: GithubException) -> float | None:
    """Return when a used-up rate limit is renewed."""
    used_up = _number(error, "x-ratelimit-remaining", 9) == 0
    return _number(error, "x-ratelimit-reset", 11) if used_up else None


def _number(error: GithubException, header: str, digits: int) -> float | None:
    value = (error.headers or {}).get(header, "")
    return float(value) if re.fullmatch(f"[0-9]{{1,{digits}}}", value) else None
