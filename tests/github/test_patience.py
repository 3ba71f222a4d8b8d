"""What is tried again, after how long, and what is not."""

from threading import Event
from time import monotonic

import pytest
from github import GithubException, RateLimitExceededException

from steady.github.patience import ATTEMPTS, OutOfPatienceError, Patience
from tests.looped import looped

NOW = 1_000_000.0


def tried(
    *errors: Exception, race: bool = False, seconds: float = 300.0
) -> tuple[object, list[float]]:
    """Return what comes of an attempt that fails so, and the waits."""
    left, waits = list(errors), list[float]()

    def attempt() -> str:
        if left:
            raise left.pop(0)
        return "done"

    try:
        patience = Patience(seconds, sleep=waits.append, now=lambda: NOW)
        result: object = patience.ask(attempt, lambda _: race)
    except (GithubException, OSError) as error:
        result = error
    return result, waits


def limited(**headers: str) -> RateLimitExceededException:
    """Return a used-up rate limit."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return RateLimitExceededException(403, {"message": "API rate limit exceeded"}, named)


def test_outages_are_waited_for_longer_and_longer() -> None:
    down = GithubException(502, None, {})
    assert tried(down, OSError(), down) == ("done", [2.0, 4.0, 8.0])
    assert tried(*[down] * ATTEMPTS) == (down, [2.0, 4.0, 8.0])


@looped(
    ("error", "wait"),
    [
        (GithubException(429, None, {"retry-after": "30"}), 30.0),
        (GithubException(403, None, {"retry-after": "30"}), 30.0),
        (GithubException(429, None, {"retry-after": "soon"}), 60.0),
        (GithubException(403, None, {"x-ratelimit-remaining": "0"}), 60.0),
        (limited(), 60.0),
        (limited(x_ratelimit_remaining="0", x_ratelimit_reset="1000045"), 46.0),
        (limited(x_ratelimit_remaining="0", x_ratelimit_reset="999000"), 2.0),
        (limited(x_ratelimit_remaining="7", x_ratelimit_reset="1000045"), 60.0),
        (limited(x_ratelimit_remaining="0", x_ratelimit_reset="1000045", retry_after="9"), 9.0),
    ],
)
def test_it_waits_as_long_as_github_asks(error: Exception, wait: float) -> None:
    assert tried(error) == ("done", [wait])


def test_a_wait_that_outlasts_the_time_is_not_begun() -> None:
    error = GithubException(429, None, {"retry-after": "50"})
    assert tried(error, seconds=40.0) == (error, [])
    for error in (
        limited(x_ratelimit_remaining="0", x_ratelimit_reset="1003600"),
        GithubException(429, None, {"retry-after": "3600"}),
    ):
        assert tried(error) == (error, [])


def test_all_questions_share_one_time_that_no_server_can_use_up_twice() -> None:
    done, asked = Event(), list[int]()

    def hang() -> None:
        asked.append(1)
        done.wait()
        raise OSError

    patience = Patience(0.2)
    begun = monotonic()
    for _ in range(3):
        with pytest.raises(OutOfPatienceError):
            patience.ask(hang)
    # Ten times as long is what a loaded machine may take.
    assert 0.1 < monotonic() - begun < 3.0
    done.set()
    # What was given up does not go on behind the job's back.
    assert len(asked) == 1


@looped("status", [400, 401, 403, 404, 409, 410, 422])
def test_a_refusal_is_final_unless_somebody_was_faster(status: int) -> None:
    error = GithubException(status, {"message": "no"}, {})
    assert tried(error) == (error, [])
    assert tried(error, race=True) == ("done", [2.0])
