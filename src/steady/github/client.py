"""A client of GitHub's API that waits when asked to, and never repeats what is not safe."""

from __future__ import annotations

from typing import Any

from github import Auth, Github, GithubRetry

TIMEOUT_SECONDS = 30
PAGE = 100
"""Rows that GitHub lists at once, at most."""

REPETITIONS = 4
LONGEST_WAIT_SECONDS = 120.0

_SAFE_TO_REPEAT = ("GET",)
"""What writes and failed may have been carried out all the same: see `steady.github.retries`."""


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
