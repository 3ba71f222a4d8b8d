"""Requests to GitHub's API, and their retries within a time budget per job.

Every attempt must be idempotent: a failed request may have taken effect, so code that creates an
object first checks whether it exists.
"""

import itertools
import re
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Thread
from types import TracebackType
from typing import Any, TypeVar

from github import Auth, Github, GithubException, RateLimitExceededException

TIMEOUT_SECONDS = 30
"""Request timeout. GitHub itself aborts a request after 10 seconds, so no request takes effect
after this time."""

PAGE = 100
"""Maximum number of rows on a page of results."""


def connect(token: str, api_url: str) -> Github:
    """Return a client that does not retry, without sending a request.

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


def address(url: Any) -> str:
    """Check and return the address of a created or changed object.

    Raises
    ------
    TypeError
        If there is no address. Then the response is not GitHub's, whatever its status code.
    """
    if not isinstance(url, str) or not url:
        raise TypeError(f"expected an address, got {type(url).__name__}")
    return url


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


ATTEMPTS = 4
LONGEST_SECONDS = 300.0
"""Maximum time that a job spends on requests to GitHub, including waits."""

LONGEST_WAIT_SECONDS = 120.0

_FIRST_WAIT_SECONDS = 2.0
_RATE_LIMIT_WAIT_SECONDS = 60.0

Result = TypeVar("Result")


class RetryTimeoutError(OSError):
    """Raised if GitHub does not respond within the job's time budget.

    Parameters
    ----------
    seconds : float
        The time budget.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no answer within {seconds:g} seconds")
        self.seconds = seconds


class RetryBudget:
    """A time budget that all requests of a job share.

    Parameters
    ----------
    seconds : float
        Total time budget.
    sleep : callable
        Function that waits for a number of seconds.
    now : callable
        Function that returns the Unix time in seconds, which is compared with the reset time of a
        rate limit.
    """

    def __init__(
        self,
        seconds: float = LONGEST_SECONDS,
        *,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._seconds = seconds
        self._left = seconds
        self._sleep = sleep
        self._now = now

    def ask(
        self,
        attempt: Callable[[], Result],
        again: Callable[[GithubException], bool] = lambda _: False,
    ) -> Result:
        """Return the result of `attempt`, which is called up to `ATTEMPTS` times.

        Parameters
        ----------
        attempt : callable
            Idempotent function. It runs in a thread, because socket timeouts do not stop a server
            that sends single bytes slowly.
        again : callable
            Predicate for rejections after which a retry may succeed, such as a concurrent update.

        Raises
        ------
        RetryTimeoutError
            If the time budget is used up; no further attempt begins.
        Exception
            The error of the last attempt, or the first error that is not transient.
        """
        if self._left <= 0.0:
            raise RetryTimeoutError(self._seconds)
        started, answer = time.monotonic(), Future[Result]()
        ends = started + self._left

        def work() -> None:
            try:
                answer.set_result(self._repeated(attempt, again, ends))
            except BaseException as error:
                answer.set_exception(error)

        Thread(target=work, daemon=True).start()
        try:
            return answer.result(self._left)
        except TimeoutError:
            if answer.done():
                raise
            raise RetryTimeoutError(self._seconds) from None
        finally:
            self._left -= time.monotonic() - started

    def _repeated(
        self, attempt: Callable[[], Result], again: Callable[[GithubException], bool], ends: float
    ) -> Result:
        for number in range(1, ATTEMPTS):
            try:
                return attempt()
            except Exception as error:
                cause = error.cause if isinstance(error, StepError) else error
                lost = isinstance(cause, GithubException) and again(cause)
                wait = _wait(cause, number, self._now())
                longest = min(LONGEST_WAIT_SECONDS, ends - time.monotonic())
                if wait > longest or not (lost or is_transient(cause)):
                    raise
                self._sleep(wait)
        return attempt()


def is_rate_limit(error: GithubException) -> bool:
    """Return whether an error is a rate limit, which GitHub may report with status 403."""
    if isinstance(error, RateLimitExceededException) or error.status == 429:
        return True
    said = _used_up(error) or retry_after(error) is not None or "rate limit" in _message(error)
    return error.status == 403 and said


def retry_after(error: GithubException) -> float | None:
    """Return the ``Retry-After`` time in seconds, or None."""
    return _number(error, "retry-after", 6)


def limit_renewal(error: GithubException) -> float | None:
    """Return the reset time of an exhausted rate limit, as Unix time in seconds, or None."""
    return _number(error, "x-ratelimit-reset", 11) if _used_up(error) else None


def is_transient(error: Exception) -> bool:
    """Return whether an error is transient."""
    if not isinstance(error, GithubException):
        return isinstance(error, OSError)
    return error.status >= 500 or is_rate_limit(error) or retry_after(error) is not None


def _wait(error: Exception, number: int, now: float) -> float:
    """Return the number of seconds to wait before the next attempt."""
    backoff = _FIRST_WAIT_SECONDS * 2.0 ** (number - 1)
    if not isinstance(error, GithubException):
        return backoff
    asked, renewed = retry_after(error), limit_renewal(error)
    if asked is None and renewed is not None:
        # Add one second, because the reset time is truncated to whole seconds.
        asked = renewed + 1.0 - now
    elif asked is None and is_rate_limit(error):
        asked = _RATE_LIMIT_WAIT_SECONDS
    return max(asked or 0.0, backoff)


def _used_up(error: GithubException) -> bool:
    return _number(error, "x-ratelimit-remaining", 9) == 0


def _message(error: GithubException) -> str:
    data = error.data if isinstance(error.data, dict) else {}
    return str(error.message or data.get("message")).lower()


def _number(error: GithubException, header: str, digits: int) -> float | None:
    value = (error.headers or {}).get(header, "")
    return float(value) if re.fullmatch(f"[0-9]{{1,{digits}}}", value) else None
