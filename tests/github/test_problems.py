"""Every refusal of GitHub's becomes one sentence that names the way out."""

from dataclasses import replace

import pytest
import requests
import standin
from github import GithubException
from standin import REPOSITORY

from steady.github import Context, connect, explain, post_comment
from steady.github.client import Step, StepError
from steady.github.patience import OutOfPatienceError
from steady.github.problems import explain_step
from tests.looped import looped

MARKER = "<!-- steady:default -->"


REFUSALS = ("Resource not accessible by integration", "Repository access blocked")
"""What GitHub says of a right that is not there."""


@looped(
    ("status", "message", "words"),
    [
        (401, "Bad credentials", "leave `token` out, or renew it"),
        (403, "Resource not accessible by integration", "`permissions: pull-requests: write`"),
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
def test_each_has_its_sentence(status: int, message: str, words: str) -> None:
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
    """Return a refusal as PyGithub raises it."""
    named = {name.replace("_", "-").lower(): value for name, value in headers.items()}
    return GithubException(status, {"message": message}, named)


@looped(
    ("error", "words"),
    [
        # A server that fails is no rate limit, whatever it asks for.
        (refused(502, "oops", Retry_After="30"), "failed (502)"),
        (
            requests.ConnectionError("https://x:ghs_secret@host"),
            "api.github.com did not answer; if",
        ),
        (
            refused(403, "Resource not accessible by integration"),
            "the token may not read the artifact (403): add `permissions: actions: read` to the",
        ),
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
    assert "ghs_secret" not in sentence


MAIN = Step("branch `main`", "contents: write", moves=True)
ALLOW = "let the rules of branches `steady/plan-*` allow it"
FORBIDDEN = "write `commit: pull-request`, or let its rules allow this token"
PROTECTED = "branch `main` is protected"


@looped(
    ("status", "content", "own", "sentence"),
    [
        (403, {"message": "May not."}, False, f"{PROTECTED} (403: May not.): {FORBIDDEN}"),
        (409, {"message": "Rules\nwere"}, False, f"{PROTECTED} (409: Rules were): {FORBIDDEN}"),
        (422, {"message": "Rules"}, True, f"{PROTECTED} (422: Rules): {ALLOW}"),
        (
            422,
            {"message": "Rules", "errors": [{"message": "No."}]},
            True,
            f"{PROTECTED} (422: Rules No.): {ALLOW}",
        ),
        *(
            (422, {"message": "R", "errors": errors}, True, f"{PROTECTED} (422: R): {ALLOW}")
            for errors in (5, "text", {"message": "x"}, [None, "text", {"detail": 1}])
        ),
        (
            403,
            {"message": "Resource not accessible by integration"},
            True,
            "the token may not write branch `main` (403): add `permissions: contents: write` to "
            "the job",
        ),
        (
            409,
            {"message": "Git Repository is empty."},
            True,
            "octo/benchmarks holds no commit yet (409): push one first",
        ),
    ],
)
def test_a_branch_that_cannot_be_moved(
    status: int, content: dict[str, object], own: bool, sentence: str
) -> None:
    error = StepError(MAIN, GithubException(status, content, {}))
    assert explain_step(error, HERE, own=own) == sentence
