"""Repeat what may succeed later: after outages, rate limits and requests for patience.

The client itself repeats only requests that read. Those that write are repeated here, by an attempt
that first looks at what the one before has left.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import TypeVar

from github import GithubException, RateLimitExceededException
from github.GithubException import RateLimitExceededExceedsMaxWait

from steady.github.client import LONGEST_WAIT_SECONDS
from steady.github.step import StepError

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
