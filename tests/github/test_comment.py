"""The sticky comment, through the real PyGithub, against the stand-in."""

from __future__ import annotations

import logging

import pytest
import standin
from github import Github, GithubException
from standin import BOT, REPOSITORY, StandIn

from steady.github import Context, Posted, connect, explain, post_comment
from steady.github.comment import Write
from steady.github.patience import Patience

MARKER = "<!-- steady:default -->"
TOKEN = "ghs_the-token-nobody-may-see"


def client_of(state: StandIn) -> Github:
    """Return a client."""
    return connect(TOKEN, state.url)


def post(state: StandIn, text: str, waits: list[float] | None = None) -> Posted:
    """Post `text` under the marker on pull request 7."""
    return post_with(state, lambda _: f"{MARKER}\n{text}", waits)


def post_with(state: StandIn, write: Write, waits: list[float] | None = None) -> Posted:
    """Post what `write` makes of the comment that is there."""
    waited: list[float] = [] if waits is None else waits
    client = client_of(state)
    return Patience(sleep=waited.append).ask(
        lambda: post_comment(client, REPOSITORY, 7, MARKER, write)
    )


def test_first_run_creates_and_later_runs_update(github: StandIn) -> None:
    assert post(github, "one").action == "created"
    assert post(github, "two").action == "updated"
    assert post(github, "two").action == "up to date"
    assert github.bodies() == [f"{MARKER}\ntwo"]


def test_the_token_is_sent_and_nothing_but_the_comment_is_asked_for(github: StandIn) -> None:
    post(github, "one")
    assert {request.token for request in github.requests} == {TOKEN}
    assert [(request.method, request.path) for request in github.requests] == [
        ("POST", "/graphql"),
        ("GET", f"/repos/{REPOSITORY}/issues/7/comments"),
        ("POST", f"/repos/{REPOSITORY}/issues/7/comments"),
    ]


@pytest.mark.parametrize("position", [0, 100, 249])
def test_it_is_found_on_every_page(github: StandIn, position: int) -> None:
    for index in range(250):
        if index == position:
            github.add_comment(f"{MARKER}\nold", BOT)
        github.add_comment(f"talk {index}")
    for run in range(2):
        post(github, f"run {run}")
    assert github.bodies() == [f"{MARKER}\nrun 1"]
    assert len(github.comments) == 251
    assert not github.sent("POST", "/comments$")


def test_thirty_runs_among_250_comments_that_quote_us_leave_one(github: StandIn) -> None:
    quotes = (MARKER, f"> {MARKER}\n> see above", f"{MARKER}\nall fine, trust me", "talk")
    for index in range(250):
        github.add_comment(f"{quotes[index % 4]} {index}", f"reader{index % 9}")
    others = [comment["body"] for comment in github.comments]
    for run in range(30):
        post(github, f"run {run}")
        if run == 14:
            github.comments.insert(77, github.comments.pop())
    assert github.bodies() == [f"{MARKER}\nrun 29"]
    assert [c["body"] for c in github.comments if c["user"]["login"] != BOT] == others
    assert len(github.sent("POST", "/comments$")) == 1
    assert github.sent("DELETE") == []


def test_the_writer_sees_the_comment_that_is_there(github: StandIn) -> None:
    seen: list[str | None] = []

    def write(earlier: str | None) -> str:
        seen.append(earlier)
        return f"{MARKER}\nnumber {len(seen)}"

    post_with(github, write)
    github.comments[0]["body"] = f"{MARKER}\r\nnumber 1"
    post_with(github, write)
    assert seen == [None, f"{MARKER}\nnumber 1"]


@pytest.mark.parametrize(
    ("body", "author"),
    [
        (f"{MARKER}\nall fine, trust me", "stranger"),
        (f"{MARKER}\nall fine, trust me", "github-actions"),
        (f"look at this: {MARKER}", BOT),
        (f"> {MARKER}\n> quoted", "stranger"),
        ("<!-- steady:other -->\nanother suite", BOT),
        ("<!-- steady:default:plan -->\na receipt", BOT),
        (MARKER, "other-app[bot]"),
    ],
)
def test_a_comment_of_somebody_else_is_left_alone(github: StandIn, body: str, author: str) -> None:
    stranger = github.add_comment(body, author)
    assert post(github, "ours").action == "created"
    assert post(github, "ours again").action == "updated"
    assert stranger["body"] == body
    assert len(github.comments) == 2


@pytest.mark.parametrize("graphql", [True, False])
def test_a_users_own_token_finds_its_comment(github: StandIn, graphql: bool) -> None:
    github.viewer, github.graphql = "Maintainer", graphql
    github.add_comment(f"{MARKER}\nnot ours", BOT)
    github.add_comment(f"{MARKER}\nold", "maintainer")
    assert post(github, "new").action == "updated"
    assert github.bodies("maintainer") == [f"{MARKER}\nnew"]
    assert github.bodies() == [f"{MARKER}\nnot ours"]


@pytest.mark.parametrize("login", ["stranger", "echo[bot]", "github-actions", "GitHub-Actions"])
def test_where_nobody_says_who_we_are_only_the_job_tokens_comment_is_ours(
    github: StandIn, login: str
) -> None:
    github.viewer = None
    github.add_comment(f"{MARKER}\nrepeated whole", login)
    assert post(github, "one").action == "created"
    assert post(github, "two").action == "updated"
    assert github.bodies(login) == [f"{MARKER}\nrepeated whole"]


def test_a_deleted_author_does_not_matter(github: StandIn) -> None:
    github.add_comment(f"{MARKER}\nghost")["user"] = None
    assert post(github, "one").action == "created"


def test_a_double_that_another_run_has_deleted_is_no_failure(github: StandIn) -> None:
    for text in ("first", "second"):
        github.add_comment(f"{MARKER}\n{text}", BOT)
    github.fail("DELETE", "/comments/", 404, message="Not Found")
    assert post(github, "new").action == "updated"
    assert f"{MARKER}\nnew" in github.bodies()


def test_doubles_of_two_racing_runs_are_healed(github: StandIn) -> None:
    for body in ("first", "second", "third"):
        github.add_comment(f"{MARKER}\n{body}", BOT)
    github.add_comment(f"{MARKER}\nstranger's")
    assert post(github, "new").action == "updated"
    assert github.bodies() == [f"{MARKER}\nnew"]
    assert github.bodies("reader") == [f"{MARKER}\nstranger's"]


@pytest.mark.parametrize("status", [502, 0])
@pytest.mark.parametrize("carried_out", [True, False])
def test_a_creation_that_failed_is_never_posted_twice(
    github: StandIn, status: int, carried_out: bool
) -> None:
    github.fail("POST", "/comments$", status, after=carried_out)
    waits: list[float] = []
    post(github, "once", waits)
    assert github.bodies() == [f"{MARKER}\nonce"]
    assert len(github.sent("POST", "/comments$")) == (1 if carried_out else 2)
    assert waits == [2.0]


def refused(state: StandIn) -> str:
    """Post, and return what is said of an answer that GitHub's API does not describe."""
    with pytest.raises((GithubException, TypeError, LookupError, ValueError, AttributeError)) as e:
        post(state, "once")
    context = Context("pull_request", REPOSITORY, state.url, 7, fork=False)
    assert isinstance(e.value, Exception)
    return explain(e.value, context)


@pytest.mark.parametrize("answer", ["null", "[]", "{}", "7", "[{}]"])
class TestAnAnswerThatIsNone:
    """Whatever the status says."""

    @pytest.mark.parametrize("carried_out", [True, False])
    def test_of_a_creation(self, github: StandIn, answer: str, carried_out: bool) -> None:
        github.fail("POST", "/comments$", 201, message=answer, after=carried_out)
        assert refused(github) == (
            f"what answers at {github.url} is not GitHub's API; check the address, and whether a "
            "proxy answers"
        )
        assert len(github.sent("POST", "/comments$")) == 1
        post(github, "again")
        assert github.bodies() == [f"{MARKER}\nagain"]

    def test_of_a_change(self, github: StandIn, answer: str) -> None:
        github.add_comment(f"{MARKER}\nold", BOT)
        github.fail("PATCH", "/comments/", 200, message=answer, after=True)
        assert "is not GitHub's API" in refused(github)
        assert len(github.sent("PATCH", "/comments/")) == 1
        assert len(github.bodies()) == 1

    def test_of_a_list(self, github: StandIn, answer: str) -> None:
        github.add_comment(f"{MARKER}\nold", BOT)
        github.fail("GET", "/comments$", 200, message=answer)
        if answer == "[]":  # a list that GitHub may well answer
            assert post(github, "new").action == "created"
            return
        assert "is not GitHub's API" in refused(github)
        assert not github.sent("POST", "/comments$")


def test_reading_and_editing_are_repeated(github: StandIn) -> None:
    github.add_comment(f"{MARKER}\nold", BOT)
    github.fail("GET", "/comments$", 503, times=2)
    github.fail("PATCH", "/comments/", 500)
    assert post(github, "new").action == "updated"
    assert github.bodies() == [f"{MARKER}\nnew"]


def test_github_asks_for_patience(github: StandIn) -> None:
    message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try"
    github.fail("POST", "/comments$", 403, message=message, headers={"Retry-After": "17"})
    github.fail("POST", "/comments$", 403, message=message)
    github.fail("POST", "/comments$", 429, headers={"Retry-After": "120"})
    waits: list[float] = []
    assert post(github, "patient", waits).action == "created"
    assert waits == [17.0, 60.0, 120.0]


def test_a_far_away_reset_of_the_rate_limit_is_not_waited_for(github: StandIn) -> None:
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4102444800"}
    message = "API rate limit exceeded for installation ID 1."
    github.fail("GET", "/comments$", 403, message=message, headers=headers, times=9)
    waits: list[float] = []
    with pytest.raises(GithubException):
        post(github, "never", waits)
    assert waits == []


def test_a_server_that_stays_broken_is_given_up(github: StandIn) -> None:
    github.fail("POST", "/comments$", 502, times=99)
    waits: list[float] = []
    with pytest.raises(GithubException) as caught:
        post(github, "never", waits)
    assert caught.value.status == 502
    assert waits == [2.0, 4.0, 8.0]
    assert github.comments == []


@pytest.mark.parametrize("status", [401, 403, 422])
def test_a_refusal_is_final(github: StandIn, status: int) -> None:
    github.fail("POST", "/comments$", status)
    waits: list[float] = []
    with pytest.raises(GithubException) as caught:
        post(github, "never", waits)
    assert caught.value.status == status
    assert waits == []
    assert len(github.sent("POST", "/comments$")) == 1


def test_a_comment_that_was_just_deleted_is_created_anew(github: StandIn) -> None:
    github.add_comment(f"{MARKER}\nold", BOT)
    github.fail("PATCH", "/comments/", 404, message="Not Found")
    github.comments[0]["body"] += "\n"
    assert post(github, "new").action == "created"


def test_a_body_without_the_marker_is_refused(github: StandIn) -> None:
    with pytest.raises(ValueError, match="never found again"):
        post_with(github, lambda _: "no marker")
    assert github.comments == []


def test_a_comment_that_is_not_wanted_is_not_made(github: StandIn) -> None:
    assert post_with(github, lambda _: None) == Posted("not wanted")
    assert github.comments == []


def test_an_outage_before_the_edit_and_after_it_leaves_one_comment(github: StandIn) -> None:
    post(github, "old")
    github.fail("PATCH", "/comments/", 502)
    github.fail("PATCH", "/comments/", 0, after=True)
    waits: list[float] = []
    assert post(github, "new", waits).action == "up to date"
    assert waits == [2.0, 4.0]
    assert github.bodies() == [f"{MARKER}\nnew"]


def test_enterprise_server_is_asked_below_its_own_path() -> None:
    with standin.github(enterprise=True) as state:
        assert state.url.endswith("/api/v3")
        post(state, "bad")
        post(state, "good")
        assert state.bodies() == [f"{MARKER}\ngood"]
        assert [request.path for request in state.sent("POST", "/graphql")] == ["/graphql"] * 2


def test_no_debug_log_holds_the_token(github: StandIn, caplog: pytest.LogCaptureFixture) -> None:
    github.fail("PATCH", "/comments/", 403, message="Resource not accessible by integration")
    with caplog.at_level(logging.DEBUG):
        post(github, "one")
        with pytest.raises(GithubException) as caught:
            post(github, "two")
    assert "/issues/7/comments" in caplog.text
    for text in (caplog.text, str(caught.value), repr(caught.value)):
        assert TOKEN not in text
