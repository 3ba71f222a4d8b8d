"""Rejections and failures of GitHub: retries, waits and messages."""

from dataclasses import replace
from threading import Event
from time import monotonic

import pytest
import requests
import standin
from github import GithubException, RateLimitExceededException
from standin import REPOSITORY

from steady.github import Context, connect, explain, post_comment
from steady.github.client import ATTEMPTS, RetryBudget, RetryTimeoutError, Step, StepError
from steady.github.error_messages import explain_step
from tests.looped import looped

NOW = 1_000_000.0


def tried(
    *errors: Exception, race: bool = False, seconds: float = 300.0
) -> tuple[object, list[float]]:
    """Return the result of an attempt with these failures, and the waits."""
    left, waits = list(errors), list[float]()

    def attempt() -> str:
        if left:
            raise left.pop(0)
        return "done"

    try:
        retries = RetryBudget(seconds, sleep=waits.append, now=lambda: NOW)
        result: object = retries.ask(attempt, lambda _: race)
    except (GithubException, OSError) as error:
        result = error
    return result, waits


def limited(**headers: str) -> RateLimitExceededException:
    """Return a used-up rate limit."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return RateLimitExceededException(403, {"message": "API rate limit exceeded"}, named)


def test_the_wait_grows_with_each_attempt() -> None:
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
def test_retry_after_is_respected(error: Exception, wait: float) -> None:
    assert tried(error) == ("done", [wait])


def test_no_wait_exceeds_the_time_budget() -> None:
    error = GithubException(429, None, {"retry-after": "50"})
    assert tried(error, seconds=40.0) == (error, [])
    for error in (
        limited(x_ratelimit_remaining="0", x_ratelimit_reset="1003600"),
        GithubException(429, None, {"retry-after": "3600"}),
    ):
        assert tried(error) == (error, [])


def test_all_requests_share_one_time_budget() -> None:
    done, asked = Event(), list[int]()

    def hang() -> None:
        asked.append(1)
        done.wait()
        raise OSError

    retries = RetryBudget(0.2)
    begun = monotonic()
    for _ in range(3):
        with pytest.raises(RetryTimeoutError):
            retries.ask(hang)
    # Allow ten times as long on a loaded machine.
    assert 0.1 < monotonic() - begun < 3.0
    done.set()
    # An abandoned attempt does not continue in the background.
    assert len(asked) == 1


@looped("status", [400, 401, 403, 404, 409, 410, 422])
def test_rejections_are_retried_only_after_concurrent_updates(status: int) -> None:
    error = GithubException(status, {"message": "no"}, {})
    assert tried(error) == (error, [])
    assert tried(error, race=True) == ("done", [2.0])


MARKER = "<!-- steady:default -->"


NOT_ACCESSIBLE = "Resource not accessible by integration"
USED_UP = {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "1789999999"}
REFUSALS = (NOT_ACCESSIBLE, "Repository access blocked")
"""GitHub's message for a missing permission."""


@looped(
    ("status", "message", "words"),
    [
        (401, "Bad credentials", "renew it, or remove the input `token`"),
        (403, NOT_ACCESSIBLE, "`permissions: pull-requests: write`"),
        (403, "Unable to create comment because issue is locked.", "unlock it"),
        (403, "Repository access blocked", "(403: Repository access blocked)"),
        (403, "You have exceeded a secondary rate limit", "run the job again later"),
        (404, "Not Found", "cannot see pull request 7 in octo/benchmarks (404)"),
        (418, "teapot", "GitHub answered 418 (teapot)"),
        (422, "Body\nis too long", "422: Body is too long"),
        (502, "oops", "(502); run the job again"),
        (0, "", "did not answer"),
    ],
)
def test_each_failure_has_a_sentence(status: int, message: str, words: str) -> None:
    with standin.github() as state:
        state.fail("POST", "/comments$", status, message=message, times=9)
        client = connect("token", state.url)
        with pytest.raises((GithubException, OSError)) as caught:
            post_comment(client, REPOSITORY, 7, MARKER, lambda _: MARKER)
    assert isinstance(caught.value, (GithubException, OSError))
    context = Context("pull_request", REPOSITORY, state.url, 7)
    sentence = explain(caught.value, context)
    assert words in sentence
    assert "\n" not in sentence
    assert status or state.url in sentence
    of_a_fork = explain(caught.value, replace(context, fork=True))
    assert ("from a fork" in of_a_fork) == (status == 403 and message in REFUSALS)


HERE = Context("push", REPOSITORY, "https://api.github.com")


def refused(status: int, message: str, **headers: str) -> GithubException:
    """Return a rejection in PyGithub's form."""
    named = {name.replace("_", "-").lower(): value for name, value in headers.items()}
    return GithubException(status, {"message": message}, named)


@looped(
    ("error", "words"),
    [
        # A server error is not a rate limit, even with a Retry-After header.
        (refused(502, "oops", Retry_After="30"), "failed (502)"),
        (requests.ConnectionError("https://x:ghs_secret@host"), "did not answer; if the address"),
        (refused(403, NOT_ACCESSIBLE), "may not read the artifact (403): add `permissions: actio"),
        (refused(404, "Not Found"), "cannot see artifact 12 in octo/benchmarks (404): add"),
        (refused(403, "organization has an IP allow list"), "(403: organization has an IP allow"),
        (refused(410, "Issues are disabled"), "(410: Issues are disabled)"),
        (refused(403, "", **USED_UP), "run the job again after 2026-09-21 14:13 UTC"),
        (refused(403, "wait", X_RateLimit_Remaining="0"), "run the job again later"),
        (refused(429, "", Retry_After="61"), "run the job again in 2 minutes"),
        (RetryTimeoutError(300.0), "within the 5 minutes that a job waits for it; run the job"),
        (refused(429, "", X_RateLimit_Remaining="3", X_RateLimit_Reset="1"), "again later"),
        (refused(429, "", X_RateLimit_Remaining="0", X_RateLimit_Reset="x"), "again later"),
    ],
)
def test_the_sentence_names_the_object_of_the_request(error: Exception, words: str) -> None:
    sentence = explain(
        error, HERE, permission="actions: read", what="the artifact", missing="artifact 12"
    )
    assert words in sentence
    assert "ghs_secret" not in sentence


MAIN = Step("branch `main`", "contents: write", moves=True)
ALLOW = "let the rules of branches `steady/plan-*` allow it"
FORBIDDEN = "write `commit: pull-request`, or let its rules allow this token"
PROTECTED = "branch `main` is protected"
ADD = "add `permissions: contents: write` to the job"
EMPTY = "octo/benchmarks has no commits yet (409): push one first"


@looped(
    ("status", "message", "details", "own", "sentence"),
    [
        (403, "May not.", None, False, f"{PROTECTED} (403: May not.): {FORBIDDEN}"),
        (409, "Rules\nwere", None, False, f"{PROTECTED} (409: Rules were): {FORBIDDEN}"),
        (422, "Rules", None, True, f"{PROTECTED} (422: Rules): {ALLOW}"),
        (422, "Rules", [{"message": "No."}], True, f"{PROTECTED} (422: Rules No.): {ALLOW}"),
        *(
            (422, "Rules", details, True, f"{PROTECTED} (422: Rules): {ALLOW}")
            for details in (5, "text", {"message": "x"}, [None, "text", {"detail": 1}])
        ),
        (403, NOT_ACCESSIBLE, None, True, f"the token may not write {MAIN.what} (403): {ADD}"),
        (409, "Git Repository is empty.", None, True, EMPTY),
    ],
)
def test_each_failed_branch_update_has_a_sentence(
    status: int, message: str, details: object, own: bool, sentence: str
) -> None:
    refusal = GithubException(status, {"message": message, "errors": details}, {})
    assert explain_step(StepError(MAIN, refusal), HERE, own=own) == sentence
