"""How long a job waits for GitHub, and what it asks again.

Every attempt is safe to be repeated. A request that failed may have been carried out all the same,
so whatever creates something looks first whether it is there.
"""

import re
import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

from github import GithubException, RateLimitExceededException

from steady.github.client import StepError

ATTEMPTS = 4
LONGEST_SECONDS = 300.0
"""What a job spends on GitHub at most, requests and waiting together."""

LONGEST_WAIT_SECONDS = 120.0

_FIRST_WAIT_SECONDS = 2.0
_RATE_LIMIT_WAIT_SECONDS = 60.0

Result = TypeVar("Result")


class OutOfPatienceError(OSError):
    """GitHub did not answer within the time that a job spends on it.

    Parameters
    ----------
    seconds : float
        That time.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no answer within {seconds:g} seconds")
        self.seconds = seconds


class Patience:
    """The time that a job spends on GitHub: all its questions share it.

    Parameters
    ----------
    seconds : float
        How much there is.
    sleep : callable
        Waits some seconds.
    now : callable
        Returns the seconds since 1970: GitHub says when it renews a rate limit.
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
        """Return what `attempt` returns; call it up to `ATTEMPTS` times where that may help.

        Parameters
        ----------
        attempt : callable
            Safe to be repeated. It runs in a thread, for a server that sends a byte now and then
            breaks no time limit of a socket.
        again : callable
            Tells whether a refused attempt may succeed all the same: somebody else was faster.

        Raises
        ------
        OutOfPatienceError
            If the time is used up; no further attempt begins after that.
        Exception
            The error of the last attempt, or the first that waiting does not help against.
        """
        if self._left <= 0.0:
            raise OutOfPatienceError(self._seconds)
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
            raise OutOfPatienceError(self._seconds) from None
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
                if wait > longest or not (lost or may_pass(cause)):
                    raise
                self._sleep(wait)
        return attempt()


def is_rate_limit(error: GithubException) -> bool:
    """Tell whether GitHub wants fewer requests; it may use a refusal's status for that."""
    if isinstance(error, RateLimitExceededException) or error.status == 429:
        return True
    said = _used_up(error) or retry_after(error) is not None or "rate limit" in _message(error)
    return error.status == 403 and said


def retry_after(error: GithubException) -> float | None:
    """Return how many seconds GitHub asks to wait; None where it does not say."""
    return _number(error, "retry-after", 6)


def limit_renewal(error: GithubException) -> float | None:
    """Return when a used-up rate limit is renewed, in seconds since 1970."""
    return _number(error, "x-ratelimit-reset", 11) if _used_up(error) else None


def may_pass(error: Exception) -> bool:
    """Tell whether asking again may help."""
    if not isinstance(error, GithubException):
        return isinstance(error, OSError)
    return error.status >= 500 or is_rate_limit(error) or retry_after(error) is not None


def _wait(error: Exception, number: int, now: float) -> float:
    """Return how many seconds to wait before the next attempt."""
    backoff = _FIRST_WAIT_SECONDS * 2.0 ** (number - 1)
    if not isinstance(error, GithubException):
        return backoff
    asked, renewed = retry_after(error), limit_renewal(error)
    if asked is None and renewed is not None:
        # One second more, for the reset happens somewhere within its second.
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
