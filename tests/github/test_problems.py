"""Every refusal of GitHub's becomes one sentence that names the way out."""

from __future__ import annotations

import pytest
import standin
from github import GithubException
from standin import REPOSITORY

from steady.github import Context, connect, explain, post_comment

MARKER = "<!-- steady:default -->"


def problem(status: int, message: str = "planted", *, fork: bool = False) -> str:
    """Return what is said when the comment's creation is answered so."""
    with standin.github() as state:
        state.fail("POST", "/comments$", status, message=message, times=9)
        context = Context("pull_request", REPOSITORY, state.url, 7, fork)
        client = connect("token", state.url, backoff=0.0)
        with pytest.raises((GithubException, OSError)) as caught:
            post_comment(client, REPOSITORY, 7, MARKER, lambda _: MARKER, sleep=lambda _: None)
    assert isinstance(caught.value, (GithubException, OSError))
    return explain(caught.value, context)


@pytest.mark.parametrize(
    ("status", "message", "words"),
    [
        (401, "Bad credentials", "leave `token` out, or renew it"),
        (403, "Resource not accessible by integration", "`permissions: pull-requests: write`"),
        (403, "Unable to create comment because issue is locked.", "unlock it"),
        (403, "You have exceeded a secondary rate limit", "run the job again later"),
        (429, "slow down", "run the job again later"),
        (404, "Not Found", "no pull request 7 in octo/benchmarks (404)"),
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
        post_comment(
            connect("token", url, backoff=0.0),
            REPOSITORY,
            7,
            MARKER,
            lambda _: MARKER,
            sleep=lambda _: None,
        )
    assert url in explain(caught.value, context)
