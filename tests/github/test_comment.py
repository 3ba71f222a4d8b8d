"""The sticky comment, through the real PyGithub, against the stand-in."""

import logging

import pytest
import standin
from github import GithubException
from standin import BOT, REPOSITORY, StandIn

from steady.github import Context, Posted, connect, explain, post_comment
from steady.github.client import RetryBudget
from steady.github.comment import Write
from tests.looped import looped

MARKER = "<!-- steady:default -->"
TOKEN = "ghs_the-token-nobody-may-see"


def post(state: StandIn, text: str, waits: list[float] | None = None) -> Posted:
    """Post `text` under the marker on pull request 7."""
    return post_with(state, lambda _: f"{MARKER}\n{text}", waits)


def post_with(state: StandIn, write: Write, waits: list[float] | None = None) -> Posted:
    """Post the result of `write` for the existing comment."""
    waited: list[float] = [] if waits is None else waits
    client = connect(TOKEN, state.url)
    return RetryBudget(sleep=waited.append).ask(
        lambda: post_comment(client, REPOSITORY, 7, MARKER, write)
    )


@looped("enterprise", [False, True])
def test_first_run_creates_and_later_runs_update(enterprise: bool) -> None:
    with standin.github(enterprise=enterprise) as github:
        assert post(github, "one").action == "created"
        assert {request.token for request in github.requests} == {TOKEN}
        thread = f"/repos/{REPOSITORY}/issues/7/comments"
        assert [(request.method, request.path) for request in github.requests] == [
            ("POST", "/graphql"),
            ("GET", thread),
            ("POST", thread),
        ]
        assert post(github, "two").action == "updated"
        assert post(github, "two").action == "up to date"
        assert github.bodies() == [f"{MARKER}\ntwo"]


def test_the_comment_is_found_among_pages_of_quotations(
    github: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steady.github.client.PAGE", 10)
    quotes = (MARKER, f"> {MARKER}\n> see above", f"{MARKER}\nall fine, trust me", "talk")
    for index in range(25):
        github.add_comment(f"{quotes[index % 4]} {index}", f"reader{index % 3}")
    others = [comment["body"] for comment in github.comments]
    post(github, "first")
    ours = github.comments.pop()
    for run, place in enumerate((0, 9, 10, 25)):
        github.comments.insert(place, ours)
        assert post(github, f"run {run}").action == "updated"
        github.comments.remove(ours)
    assert ours["body"] == f"{MARKER}\nrun 3"
    assert [comment["body"] for comment in github.comments] == others
    assert len(github.sent("POST", "/comments$")) == 1
    assert github.sent("DELETE") == []


def test_the_writer_gets_the_existing_comment(github: StandIn) -> None:
    seen: list[str | None] = []

    def write(earlier: str | None) -> str:
        seen.append(earlier)
        return f"{MARKER}\nnumber {len(seen)}"

    post_with(github, write)
    github.comments[0]["body"] = f"{MARKER}\r\nnumber 1"
    post_with(github, write)
    assert seen == [None, f"{MARKER}\nnumber 1"]


@looped("viewer", [BOT, None])
def test_comments_by_others_stay_unchanged(github: StandIn, viewer: str | None) -> None:
    """If our login is unknown, only comments by the job's token are ours."""
    github.viewer = viewer
    github.comments.clear()
    for login in ("stranger", "echo[bot]", "github-actions", "GitHub-Actions"):
        github.add_comment(f"{MARKER}\nall fine, trust me", login)
    for marker in (f"> {MARKER}", "<!-- steady:other -->", "<!-- steady:default:plan -->"):
        github.add_comment(f"{marker}\n", BOT)
    github.add_comment(f"{MARKER}\nof somebody whose account is gone")["user"] = None
    others = [comment["body"] for comment in github.comments]
    assert post(github, "ours").action == "created"
    assert post(github, "ours again").action == "updated"
    assert [comment["body"] for comment in github.comments[:-1]] == others


@looped("graphql", [True, False])
def test_a_users_own_token_finds_its_comment(github: StandIn, graphql: bool) -> None:
    github.comments.clear()
    github.viewer, github.graphql = "Maintainer", graphql
    github.add_comment(f"{MARKER}\nnot ours", BOT)
    github.add_comment(f"{MARKER}\nold", "maintainer")
    assert post(github, "new").action == "updated"
    assert github.bodies("maintainer") == [f"{MARKER}\nnew"]
    assert github.bodies() == [f"{MARKER}\nnot ours"]


def test_duplicates_of_concurrent_runs_are_deleted(github: StandIn) -> None:
    for body in ("first", "second", "third"):
        github.add_comment(f"{MARKER}\n{body}", BOT)
    github.add_comment(f"{MARKER}\nstranger's")
    # Another run has just deleted one of them.
    github.fail("DELETE", "/comments/", 404, message="Not Found")
    assert post(github, "new").action == "updated"
    assert github.bodies() == [f"{MARKER}\nnew", f"{MARKER}\nsecond"]
    assert post(github, "newer").action == "updated"
    assert github.bodies() == [f"{MARKER}\nnewer"]
    assert github.bodies("reader") == [f"{MARKER}\nstranger's"]


@looped("status", [502, 0])
@looped("carried_out", [True, False])
def test_a_comment_is_not_duplicated_after_a_failed_creation(
    github: StandIn, status: int, carried_out: bool
) -> None:
    github.comments.clear()
    github.requests.clear()
    github.fail("POST", "/comments$", status, after=carried_out)
    waits: list[float] = []
    post(github, "once", waits)
    assert github.bodies() == [f"{MARKER}\nonce"]
    assert len(github.sent("POST", "/comments$")) == (1 if carried_out else 2)
    assert waits == [2.0]


def test_an_outage_around_an_edit_leaves_one_comment(github: StandIn) -> None:
    post(github, "old")
    github.fail("GET", "/comments$", 503)
    github.fail("PATCH", "/comments/", 502)
    github.fail("PATCH", "/comments/", 0, after=True)
    waits: list[float] = []
    assert post(github, "new", waits).action == "up to date"
    assert waits == [2.0, 4.0, 8.0]
    assert github.bodies() == [f"{MARKER}\nnew"]


def refused(state: StandIn) -> str:
    """Post, and return the error for an answer that violates GitHub's API."""
    with pytest.raises((GithubException, TypeError, LookupError, ValueError, AttributeError)) as e:
        post(state, "once")
    assert isinstance(e.value, Exception)
    return explain(e.value, Context("pull_request", REPOSITORY, state.url, 7, fork=False))


@looped("answer", ["null", "[]", "{}", "7", "[{}]"])
def test_an_unexpected_response_is_an_error_for_any_status(github: StandIn, answer: str) -> None:
    for carried_out in (True, False):
        github.comments.clear()
        github.requests.clear()
        github.fail("POST", "/comments$", 201, message=answer, after=carried_out)
        assert refused(github) == (
            f"the server at {github.url} is not GitHub's API; check the address, and whether a "
            "proxy answers"
        )
        assert len(github.sent("POST", "/comments$")) == 1
        post(github, "again")
        assert github.bodies() == [f"{MARKER}\nagain"]
    github.requests.clear()
    github.fail("PATCH", "/comments/", 200, message=answer, after=True)
    assert "is not GitHub's API" in refused(github)
    assert len(github.sent("PATCH", "/comments/")) == 1
    github.fail("GET", "/comments$", 200, message=answer)
    if answer == "[]":  # a valid response of GitHub
        assert post(github, "new").action == "created"
        return
    assert "is not GitHub's API" in refused(github)
    assert not github.sent("POST", "/comments$")


PLANTED = "planted"
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try"
USED_UP = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4102444800"}


@looped(
    ("answers", "waited", "status"),
    [
        (
            [
                (403, SECONDARY, {"Retry-After": "17"}),
                (403, SECONDARY, {}),
                (429, PLANTED, {"Retry-After": "120"}),
            ],
            [17.0, 60.0, 120.0],
            None,
        ),
        ([(502, PLANTED, {})] * 4, [2.0, 4.0, 8.0], 502),
        ([(403, "API rate limit exceeded for installation ID 1.", USED_UP)], [], 403),
        *(([(status, PLANTED, {})], [], status) for status in (401, 403, 422)),
    ],
)
def test_transient_failures_are_retried(
    github: StandIn,
    answers: list[tuple[int, str, dict[str, str]]],
    waited: list[float],
    status: int | None,
) -> None:
    github.requests.clear()
    github.comments.clear()
    for code, message, headers in answers:
        github.fail("POST", "/comments$", code, message=message, headers=headers)
    waits: list[float] = []
    if status is None:
        assert post(github, "patient", waits).action == "created"
    else:
        with pytest.raises(GithubException) as caught:
            post(github, "never", waits)
        assert (caught.value.status, github.comments) == (status, [])
    assert waits == waited
    assert len(github.sent("POST", "/comments$")) == len(answers) + (status is None)


def test_a_comment_deleted_in_the_meantime_is_created_again(github: StandIn) -> None:
    github.add_comment(f"{MARKER}\nold", BOT)
    github.fail("PATCH", "/comments/", 404, message="Not Found")
    assert post(github, "new").action == "created"


def test_unwanted_and_unmarked_bodies_are_not_posted(github: StandIn) -> None:
    with pytest.raises(ValueError, match="never found again"):
        post_with(github, lambda _: "no marker")
    assert post_with(github, lambda _: None) == Posted("not wanted")
    assert github.comments == []


def test_debug_logs_do_not_contain_the_token(
    github: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    github.fail("PATCH", "/comments/", 403, message="Resource not accessible by integration")
    with caplog.at_level(logging.DEBUG):
        post(github, "one")
        with pytest.raises(GithubException) as caught:
            post(github, "two")
    assert "/issues/7/comments" in caplog.text
    for text in (caplog.text, str(caught.value), repr(caught.value)):
        assert TOKEN not in text
