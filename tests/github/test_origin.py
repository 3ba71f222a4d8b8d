"""Whose run a run is: only what GitHub says counts, and only if it fits in every point."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
import standin_runs
from github import GithubException
from hypothesis import given, settings
from hypothesis import strategies as st
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

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


def matched(github: StandIn, run: Run = MEASURED) -> Match:
    return pull_request_of(connect("t", github.url), REPOSITORY, run)


def test_a_run_is_read(github: StandIn) -> None:
    add_run(github)
    assert read_run(connect("t", github.url), REPOSITORY, RUN) == MEASURED


def test_a_run_that_is_not_there(github: StandIn) -> None:
    with pytest.raises(GithubException) as caught:
        read_run(connect("t", github.url), REPOSITORY, RUN)
    assert caught.value.status == 404


def described(**changes: Any) -> dict[str, Any]:
    """Return what of GitHub's answer counts."""
    return {
        "id": RUN,
        "path": standin_runs.MEASURE,
        "event": "pull_request",
        "conclusion": "success",
        "head_sha": HEAD,
        "head_branch": BRANCH,
        "repository": {"full_name": "Octo/Benchmarks"},
        "head_repository": {"id": FORK_NUMBER, "owner": {"login": "stranger"}},
        **changes,
    }


def test_letters_of_either_case_name_a_repository() -> None:
    assert run_of(described(), REPOSITORY, RUN) == MEASURED


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
    with pytest.raises(SteadyError, match="does not describe run 3001 of octo/benchmarks"):
        run_of(described(**changes), REPOSITORY, RUN)


@pytest.mark.parametrize(
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
def test_a_fork_that_is_gone(changes: dict[str, Any], github: StandIn) -> None:
    run = run_of(described(**changes), REPOSITORY, RUN)
    assert matched(github, run).obstacle == "the repository that the commit came from is gone"
    assert github.requests == []


def test_the_pull_request_is_found(github: StandIn) -> None:
    add_pull(github, 6, ref="another")
    base = add_pull(github, 7)["base"]["sha"]
    assert matched(github) == Match(7, base=base)


@looped("sha", ["main", "", None, 7, ["a" * 40], "A" * 40])
def test_a_base_that_is_not_a_commit_is_not_known(sha: Any) -> None:
    row = listed(base={"repo": {"full_name": REPOSITORY}, "sha": sha})
    assert match_of([row], REPOSITORY, MEASURED) == Match(7)


def test_only_what_fits_in_every_point_counts(github: StandIn) -> None:
    other = "d" * 40
    cases: list[tuple[dict[str, Any], str]] = [
        ({"sha": other}, "the pull request has newer commits: commit cccccccccccc"),
        ({"repository": FORK_NUMBER + 1}, "no open pull request has commit cccccccccccc"),
        ({"ref": "another"}, "no open pull request has commit cccccccccccc"),
    ]
    pulls = github.part(GitRepository).pulls
    for head, words in cases:
        pulls.clear()
        add_pull(github, **head)
        match = matched(github)
        assert match.number is None
        assert match.obstacle.startswith(words)
    pulls.clear()
    add_pull(github)["state"] = "closed"
    assert matched(github).obstacle.startswith("no open pull request")


def test_two_pull_requests_of_one_commit_are_none(github: StandIn) -> None:
    add_pull(github, 7)
    add_pull(github, 9)["base"]["ref"] = "release"
    match = matched(github)
    assert match.number is None
    assert "is the newest of pull requests 7 and 9" in match.obstacle
    assert match.rivals == (7, 9)


@pytest.mark.parametrize("rows", [{"message": "Not Found"}, "<html>", None, 7, {}])
def test_an_answer_that_is_not_a_list_is_not_an_empty_one(rows: Any) -> None:
    with pytest.raises(SteadyError, match="does not list pull requests of octo/benchmarks"):
        match_of(rows, REPOSITORY, MEASURED)


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


@pytest.mark.parametrize("row", ["a row", None])
def test_a_list_of_something_else_is_no_answer(row: Any) -> None:
    """Read as a list without pull requests, it would pass in silence."""
    with pytest.raises(SteadyError, match="does not list pull requests"):
        match_of([row, listed()], REPOSITORY, MEASURED)


@settings(max_examples=40, deadline=None)
@given(answer=ANY_JSON | st.fixed_dictionaries(dict.fromkeys(described(), ANY_JSON)), rows=ANY_JSON)
def test_no_answer_breaks_the_reader(answer: Any, rows: Any) -> None:
    with suppress(SteadyError):
        assert match_of(rows, REPOSITORY, MEASURED).number is None
    with suppress(SteadyError):
        run_of(answer, REPOSITORY, RUN)
