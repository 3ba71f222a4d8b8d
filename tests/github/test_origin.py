"""Whose run a run is: only what GitHub says counts, and only if it fits in every point."""

from typing import Any

import pytest
import standin_runs
from github import GithubException
from standin import REPOSITORY, StandIn
from standin_git import GitRepository
from standin_runs import BRANCH, FORK_NUMBER, HEAD, RUN, add_pull, add_run

from steady.errors import SteadyError
from steady.github import connect
from steady.github.origin import Match, Run, match_of, pull_request_of, read_run, run_of
from tests.looped import looped

MEASURED = Run(
    RUN, standin_runs.MEASURE, "pull_request", "success", HEAD, BRANCH, "stranger", FORK_NUMBER
)


def matched(github: StandIn, run: Run = MEASURED) -> Match:
    return pull_request_of(connect("t", github.url), REPOSITORY, run)


def test_a_run_is_read(github: StandIn) -> None:
    with pytest.raises(GithubException) as caught:
        read_run(connect("t", github.url), REPOSITORY, RUN)
    assert caught.value.status == 404
    add_run(github)
    assert read_run(connect("t", github.url), REPOSITORY, RUN) == MEASURED


def described(**changes: Any) -> dict[str, Any]:
    """Return what of GitHub's answer counts."""
    return {
        "id": RUN,
        "path": standin_runs.MEASURE,
        "event": "pull_request",
        "conclusion": "success",
        "head_sha": HEAD,
        "head_branch": BRANCH,
        "repository": {"full_name": "Octo/Benchmarks"},  # letters of either case
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
def test_an_answer_about_something_else(changes: dict[str, Any]) -> None:
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
def test_a_fork_that_is_gone(github: StandIn, changes: dict[str, Any]) -> None:
    run = run_of(described(**changes), REPOSITORY, RUN)
    assert matched(github, run).obstacle == "the repository that the commit came from is gone"
    assert github.requests == []


@looped("sha", ["main", "", None, 7, ["a" * 40], "A" * 40])
def test_a_base_that_is_not_a_commit_is_not_known(sha: Any) -> None:
    row = listed(base={"repo": {"full_name": REPOSITORY}, "sha": sha})
    assert match_of([row], REPOSITORY, MEASURED) == Match(7)


def test_only_the_one_that_fits_in_every_point_is_found(github: StandIn) -> None:
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
    assert matched(github) == Match(7, base=ours["base"]["sha"])
    ours["state"] = "closed"
    assert matched(github).obstacle.startswith("no open pull request")


def test_two_pull_requests_of_one_commit_are_none(github: StandIn) -> None:
    add_pull(github, 7)
    add_pull(github, 9)["base"]["ref"] = "release"
    match = matched(github)
    assert match.number is None
    assert "is the newest of pull requests 7 and 9" in match.obstacle
    assert match.rivals == (7, 9)


def listed(**changes: Any) -> dict[str, Any]:
    """Return what of a pull request counts."""
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
def test_a_row_that_does_not_fit(row: Any) -> None:
    assert match_of([listed()], REPOSITORY, MEASURED) == Match(7)
    assert match_of([row], REPOSITORY, MEASURED).number is None
    assert match_of([row, listed(number=8)], REPOSITORY, MEASURED) == Match(8)


@looped("rows", [{"message": "Not Found"}, "<html>", None, 7, {}, ["a row"], [None, listed()]])
def test_an_answer_that_is_not_a_list_is_not_an_empty_one(rows: Any) -> None:
    """Read as a list without pull requests, it would pass in silence."""
    with pytest.raises(SteadyError, match="does not list pull requests of octo/benchmarks"):
        match_of(rows, REPOSITORY, MEASURED)
