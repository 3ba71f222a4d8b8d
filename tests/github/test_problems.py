"""Every refusal of GitHub's becomes one sentence that names the way out."""

from __future__ import annotations

import pytest
import requests
import standin
from github import GithubException
from standin import REPOSITORY

from steady.github import Context, connect, explain, post_comment
from steady.github.patience import OutOfPatienceError
from tests.looped import looped

MARKER = "<!-- steady:default -->"


def problem(status: int, message: str = "planted", *, fork: bool = False) -> str:
    """Return what is said when the comment's creation is answered so."""
    with standin.github() as state:
        state.fail("POST", "/comments$", status, message=message, times=9)
        context = Context("pull_request", REPOSITORY, state.url, 7, fork)
        client = connect("token", state.url)
        with pytest.raises((GithubException, OSError)) as caught:
            post_comment(client, REPOSITORY, 7, MARKER, lambda _: MARKER)
    assert isinstance(caught.value, (GithubException, OSError))
    return explain(caught.value, context)


@looped(
    ("status", "message", "words"),
    [
        (401, "Bad credentials", "leave `token` out, or renew it"),
        (403, "Resource not accessible by integration", "`permissions: pull-requests: write`"),
        (403, "Unable to create comment because issue is locked.", "unlock it"),
        (403, "Repository access blocked", "(403: Repository access blocked)"),
        (403, "You have exceeded a secondary rate limit", "run the job again later"),
        (429, "slow down", "run the job again later"),
        (404, "Not Found", "cannot see pull request 7 in octo/benchmarks (404)"),
        (418, "teapot", "GitHub answered 418 (teapot)"),
        (422, "Body\nis too long", "422: Body is too long"),
        (500, "oops", "(500); run the job again"),
        (502, "oops", "(502); run the job again"),
        (0, "", "did not answer"),
    ],
)
def test_each_has_its_sentence(status: int, message: str, words: str) -> None:
    sentence = problem(status, message)
    assert words in sentence
    assert "\n" not in sentence


def test_a_fork_is_told_apart() -> None:
    assert "from a fork" in problem(403, "Resource not accessible by integration", fork=True)
    assert "from a fork" not in problem(403, "Resource not accessible by integration")


def test_no_server_at_all() -> None:
    with standin.github() as state:
        url = state.url
    context = Context("pull_request", REPOSITORY, url, 7)
    with pytest.raises(OSError, match="refused") as caught:
        post_comment(connect("token", url), REPOSITORY, 7, MARKER, lambda _: MARKER)
    assert url in explain(caught.value, context)


HERE = Context("push", REPOSITORY, "https://api.github.com")


def refused(status: int, message: str, **headers: str) -> GithubException:
    """Return a refusal as PyGithub raises it."""
    named = {name.replace("_", "-").lower(): value for name, value in headers.items()}
    return GithubException(status, {"message": message}, named)


def test_a_server_that_fails_is_no_rate_limit_whatever_it_asks_for() -> None:
    assert "failed (502)" in explain(refused(502, "oops", Retry_After="30"), HERE)


@pytest.mark.parametrize(
    ("permission", "what", "words"),
    [
        ("contents: write", "the branch", "the token may not write the branch (403): add"),
        ("actions: read", "the artifacts", "the token may not read the artifacts (403): add"),
        ("issues: write", "the issue", "`permissions: issues: write` to the job"),
    ],
)
def test_every_operation_names_its_own_permission(permission: str, what: str, words: str) -> None:
    error = refused(403, "Resource not accessible by integration")
    assert words in explain(error, HERE, permission=permission, what=what)


@looped(
    ("error", "words"),
    [
        (refused(404, "Not Found"), "cannot see artifact 12 in octo/benchmarks (404): add"),
        (refused(403, "organization has an IP allow list"), "(403: organization has an IP allow"),
        (
            refused(403, "GitHub Actions is not permitted to create or approve pull requests."),
            "allow it in the repository's settings, under Actions, General, Workflow permissions",
        ),
        (refused(410, "Issues are disabled"), "(410: Issues are disabled)"),
        (
            refused(403, "rate limit", X_RateLimit_Remaining="0", X_RateLimit_Reset="1789999999"),
            "run the job again after 2026-09-21 14:13 UTC",
        ),
        (refused(403, "wait", X_RateLimit_Remaining="0"), "run the job again later"),
        (refused(429, "", Retry_After="61"), "run the job again in 2 minutes"),
        (OutOfPatienceError(300.0), "within the 5 minutes that a job waits for it; run the job"),
        (refused(429, "", X_RateLimit_Remaining="3", X_RateLimit_Reset="1"), "again later"),
        (refused(429, "", X_RateLimit_Remaining="0", X_RateLimit_Reset="x"), "again later"),
    ],
)
def test_what_is_asked_for_is_named(error: Exception, words: str) -> None:
    sentence = explain(
        error, HERE, permission="actions: read", what="the artifact", missing="artifact 12"
    )
    assert words in sentence


def test_the_address_of_another_server_is_not_repeated_with_a_token() -> None:
    error = requests.ConnectionError("https://x:ghs_secret@host")
    assert "ghs_secret" not in explain(error, HERE)
