"""Workflow runs: their origin and their artifacts.

Only GitHub's own, consistent information on a run is used. The token is sent to the API only, and
downloads are limited in size.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from github import GithubException
from standin import REPOSITORY, StandIn
from standin_git import GitRepository
from standin_runs import (
    BRANCH,
    FORK_NUMBER,
    HEAD,
    MEASURE,
    MEASURED,
    RUN,
    Runs,
    Storage,
    add_artifact,
    add_pull,
    add_run,
    storage,
)

from steady.errors import InputError, SteadyError
from steady.github import connect
from steady.github.artifacts import Artifact, ExpiredError, download, find_artifact, newest_of
from steady.github.client import RetryBudget
from steady.github.workflow_runs import (
    PullRequestMatch,
    Run,
    match_of,
    pull_request_of,
    read_run,
    run_of,
)
from tests.looped import looped


def matched(github: StandIn, run: Run = MEASURED) -> PullRequestMatch:
    return pull_request_of(connect("t", github.url), REPOSITORY, run)


def test_a_run_is_read(github: StandIn) -> None:
    with pytest.raises(GithubException) as caught:
        read_run(connect("t", github.url), REPOSITORY, RUN)
    assert caught.value.status == 404
    add_run(github)
    assert read_run(connect("t", github.url), REPOSITORY, RUN) == MEASURED


def described(**changes: Any) -> dict[str, Any]:
    """Return the relevant parts of GitHub's answer."""
    return {
        "id": RUN,
        "path": MEASURE,
        "event": "pull_request",
        "conclusion": "success",
        "head_sha": HEAD,
        "head_branch": BRANCH,
        "repository": {"full_name": "Octo/Benchmarks"},  # case-insensitive
        "head_repository": {"id": FORK_NUMBER, "owner": {"login": "stranger"}},
        **changes,
    }


@looped(
    "changes",
    [
        {"id": RUN + 1},
        {"id": str(RUN)},
        {"head_sha": "main"},
        {"head_sha": None},
        {"repository": {"full_name": "stranger/benchmarks"}},
        {"repository": None},
        {"repository": "octo/benchmarks"},
    ],
)
def test_a_response_about_another_run_is_an_error(changes: dict[str, Any]) -> None:
    assert run_of(described(), REPOSITORY, RUN) == MEASURED
    with pytest.raises(SteadyError, match="does not describe run 3001 of octo/benchmarks"):
        run_of(described(**changes), REPOSITORY, RUN)


@looped(
    "changes",
    [
        {"head_repository": None},
        {"head_repository": {"id": None, "owner": {"login": "stranger"}}},
        {"head_repository": {"id": "2002", "owner": {"login": "stranger"}}},
        {"head_repository": {"id": True, "owner": {"login": "stranger"}}},
        {"head_repository": {"id": FORK_NUMBER, "owner": None}},
        {"head_branch": None},
        {"head_branch": 7},
    ],
)
def test_a_deleted_fork_has_no_pull_request(github: StandIn, changes: dict[str, Any]) -> None:
    run = run_of(described(**changes), REPOSITORY, RUN)
    assert matched(github, run).obstacle == "the repository of the commit no longer exists"
    assert github.requests == []


@looped("sha", ["main", "", None, 7, ["a" * 40], "A" * 40])
def test_an_invalid_base_commit_is_ignored(sha: Any) -> None:
    row = listed(base={"repo": {"full_name": REPOSITORY}, "sha": sha})
    assert match_of([row], REPOSITORY, MEASURED) == PullRequestMatch(7)


def test_only_the_pull_request_that_matches_in_all_fields_is_found(github: StandIn) -> None:
    pulls = github.part(GitRepository).pulls
    others: list[tuple[dict[str, Any], str]] = [
        ({"sha": "d" * 40}, "the pull request has newer commits: commit cccccccccccc"),
        ({"repository": FORK_NUMBER + 1}, "no open pull request has commit cccccccccccc"),
        ({"ref": "another"}, "no open pull request has commit cccccccccccc"),
    ]
    for head, obstacle in others:
        pulls.clear()
        add_pull(github, **head)
        match = matched(github)
        assert match.number is None
        assert match.obstacle.startswith(obstacle)
    pulls.clear()
    ours = add_pull(github)
    add_pull(github, 6, ref="another")
    assert matched(github) == PullRequestMatch(7, base=ours["base"]["sha"])
    ours["state"] = "closed"
    assert matched(github).obstacle.startswith("no open pull request")


def test_two_pull_requests_of_one_commit_are_ambiguous(github: StandIn) -> None:
    add_pull(github, 7)
    add_pull(github, 9)["base"]["ref"] = "release"
    match = matched(github)
    assert match.number is None
    assert "is the newest commit of pull requests 7 and 9" in match.obstacle
    assert match.candidates == (7, 9)


def listed(**changes: Any) -> dict[str, Any]:
    """Return the relevant parts of a pull request."""
    return {
        "number": 7,
        "state": "open",
        "head": {"sha": HEAD, "ref": BRANCH, "repo": {"id": FORK_NUMBER}},
        "base": {"repo": {"full_name": REPOSITORY}},
        **changes,
    }


@looped(
    "row",
    [
        listed(number="7"),
        listed(number=True),
        listed(number=-7),
        listed(state="closed"),
        listed(head=None),
        listed(head={"sha": HEAD, "ref": BRANCH, "repo": None}),
        listed(head={"sha": [HEAD], "ref": BRANCH, "repo": {"id": FORK_NUMBER}}),
        listed(base={"repo": {"full_name": "stranger/benchmarks"}}),
        listed(base={"repo": None}),
    ],
)
def test_rows_that_do_not_match_are_ignored(row: Any) -> None:
    assert match_of([listed()], REPOSITORY, MEASURED) == PullRequestMatch(7)
    assert match_of([row], REPOSITORY, MEASURED).number is None
    assert match_of([row, listed(number=8)], REPOSITORY, MEASURED) == PullRequestMatch(8)


@looped("rows", [{"message": "Not Found"}, "<html>", None, 7, {}, ["a row"], [None, listed()]])
def test_a_response_that_is_not_a_list_is_an_error(rows: Any) -> None:
    """As an empty list, it would suppress the comment."""
    with pytest.raises(SteadyError, match="does not list pull requests of octo/benchmarks"):
        match_of(rows, REPOSITORY, MEASURED)


NAME = "steady-results"
TOKEN = "ghs_the-token-nobody-may-see"
LIMIT = 10_000


@pytest.fixture
def elsewhere(github: StandIn) -> Iterator[Storage]:
    with storage() as held:
        held.content = b"an archive"
        github.part(Runs).location = held.url
        yield held


def fetched(github: StandIn, artifact: Artifact | None = None, waits: Any = None) -> bytes:
    asked = artifact or Artifact(11, NAME, 10, False)
    sleep = [].append if waits is None else waits.append
    return RetryBudget(sleep=sleep).ask(
        lambda: download(asked, REPOSITORY, TOKEN, github.url, LIMIT)
    )


def newest(github: StandIn) -> Artifact | None:
    return find_artifact(connect(TOKEN, github.url), REPOSITORY, MEASURED, NAME)


def test_the_newest_artifact_of_the_name_is_found(github: StandIn) -> None:
    for number in (11, 13, 12):
        add_artifact(github, number)
    add_artifact(github, 99, name="another")
    assert newest(github) == Artifact(13, NAME, 1000, False)


def test_artifacts_of_other_runs_and_commits_are_ignored(github: StandIn) -> None:
    assert newest(github) is None
    add_artifact(github)["workflow_run"]["head_sha"] = "d" * 40
    assert newest(github) is None
    rows = [
        {"id": 1, "name": NAME, "size_in_bytes": 1, "workflow_run": run}
        for run in ({"id": RUN + 1, "head_sha": HEAD}, {"id": str(RUN), "head_sha": HEAD}, None)
    ]
    assert newest_of({"artifacts": rows}, MEASURED, NAME) is None
    rows[0]["workflow_run"] = {"id": RUN, "head_sha": HEAD}
    # The expiry is missing, so the artifact is treated as expired.
    assert newest_of({"artifacts": rows}, MEASURED, NAME) == Artifact(1, NAME, 1, True)


def test_the_token_is_sent_to_the_api_only(
    github: StandIn, elsewhere: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password ghs_of-a-netrc\n")
    monkeypatch.setenv("NETRC", str(netrc))
    add_artifact(github)
    assert fetched(github) == b"an archive"
    assert [request.token for request in github.requests] == [TOKEN]
    [headers] = elsewhere.received
    assert "Authorization" not in headers
    assert "Cookie" not in headers
    assert TOKEN not in str(headers)


def test_transient_download_failures_are_retried(github: StandIn, elsewhere: Storage) -> None:
    add_artifact(github)
    waits: list[float] = []
    github.fail("GET", "/zip$", 502)
    elsewhere.status, elsewhere.times = 503, 1
    assert fetched(github, waits=waits) == b"an archive"
    assert len(waits) == 2
    # The redirect's address is short-lived, so each attempt requests a new one.
    assert len(github.requests) == 3


def test_rejected_downloads_are_not_retried(github: StandIn, elsewhere: Storage) -> None:
    for status in (401, 403, 404):
        github.requests.clear()
        github.fail("GET", "/zip$", status, message="Resource not accessible by integration")
        with pytest.raises(GithubException) as caught:
            fetched(github)
        assert (caught.value.status, len(github.requests)) == (status, 1)
        assert caught.value.data["message"] == "Resource not accessible by integration"
    assert elsewhere.received == []


def test_expired_artifacts_are_reported(github: StandIn) -> None:
    add_artifact(github, expired=True)
    with pytest.raises(ExpiredError, match="run the measuring workflow again"):
        fetched(github)
    artifact = newest(github)
    github.requests.clear()
    with pytest.raises(ExpiredError):
        fetched(github, artifact)
    assert github.requests == []


def test_an_artifact_with_a_declared_excessive_size_is_not_downloaded(github: StandIn) -> None:
    with pytest.raises(InputError, match=r"larger than 0\.00953674 MiB"):
        fetched(github, Artifact(11, NAME, LIMIT + 1, False))
    assert github.requests == []


def test_downloads_stop_at_the_limit(github: StandIn, elsewhere: Storage) -> None:
    add_artifact(github)
    elsewhere.content = b"x" * LIMIT
    assert len(fetched(github)) == LIMIT
    elsewhere.content = b"x" * (50 * LIMIT)
    with pytest.raises(InputError, match="the limit for downloads"):
        fetched(github)


def test_invalid_responses_of_the_storage_host_are_errors(
    github: StandIn, elsewhere: Storage
) -> None:
    add_artifact(github)
    elsewhere.headers = {"Content-Encoding": "gzip"}
    with pytest.raises(SteadyError, match="an encoding that was not requested"):
        fetched(github)
    elsewhere.headers = {"Content-Length": "5000"}
    with pytest.raises(OSError, match=r"IncompleteRead|Connection broken"):
        fetched(github)
    elsewhere.headers = {}
    elsewhere.status, elsewhere.times = 403, 1
    with pytest.raises(SteadyError, match="answered 403; run the job again"):
        fetched(github)


def test_redirects_to_another_protocol_or_too_many_redirects_are_errors(
    github: StandIn, elsewhere: Storage
) -> None:
    add_artifact(github)
    elsewhere.status, elsewhere.times = 302, 99
    elsewhere.headers = {"Location": "/again"}
    with pytest.raises(SteadyError, match="too often"):
        fetched(github)
    assert len(elsewhere.received) == 3
    for location in ("ftp://storage.test", "file:///etc/passwd#", "gopher://x"):
        github.part(Runs).location = location
        with pytest.raises(SteadyError, match="not https; nothing was downloaded"):
            fetched(github)
