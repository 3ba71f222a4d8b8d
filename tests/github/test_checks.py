"""The check run, through the real PyGithub, against the stand-in."""

from __future__ import annotations

import pytest
import standin
from github import GithubException
from standin import REPOSITORY, StandIn
from standin_checks import Checks

from steady.github import connect
from steady.github.checks import Check, Checked, post_check
from steady.github.patience import Patience

COMMIT = "c" * 40


def check(summary: str = "one") -> Check:
    """Return a check."""
    return Check("Benchmarks", "failure", "1 regression", summary)


def post(state: StandIn, wanted: Check, waits: list[float] | None = None) -> Checked:
    """Post a check run for `COMMIT`."""
    waited: list[float] = [] if waits is None else waits
    client = connect("token", state.url)
    return Patience(sleep=waited.append).ask(lambda: post_check(client, REPOSITORY, COMMIT, wanted))


def test_a_check_run_says_what_it_is_given(github: StandIn) -> None:
    assert post(github, check()).action == "created"
    [run] = github.part(Checks).runs
    assert (run["name"], run["conclusion"], run["head_sha"]) == ("Benchmarks", "failure", COMMIT)
    assert run["output"]["summary"] == "one"


def test_a_job_of_the_same_name_is_told(github: StandIn) -> None:
    ours = post(github, check())
    assert ours.namesake == ""
    runs = github.part(Checks).runs
    forged = f"{ours.url}9"
    runs.append({**runs[0], "external_id": "9a1c", "conclusion": "success", "html_url": forged})
    posted = post(github, check())
    assert posted == Checked("created", runs[-1]["html_url"], forged)
    assert runs[-1]["conclusion"] == "failure"


def test_the_same_again_sends_nothing(github: StandIn) -> None:
    post(github, check())
    sent = len(github.sent("POST"))
    assert post(github, check()).action == "up to date"
    assert len(github.sent("POST")) == sent


def test_another_result_stands_in_the_place_of_the_earlier(github: StandIn) -> None:
    post(github, check())
    assert post(github, check("two")).action == "created"
    assert [run["output"]["summary"] for run in github.part(Checks).runs] == ["one", "two"]
    assert {run["name"] for run in github.part(Checks).runs} == {"Benchmarks"}


@pytest.mark.parametrize("status", [0, 502])
@pytest.mark.parametrize("carried_out", [True, False])
def test_an_outage_in_the_middle_loses_nothing_and_doubles_nothing(
    github: StandIn, status: int, carried_out: bool
) -> None:
    github.fail("POST", "/check-runs", status, after=carried_out)
    waits: list[float] = []
    post(github, check(), waits)
    assert len(github.part(Checks).runs) == 1
    assert waits == [2.0]


def test_github_asks_for_patience(github: StandIn) -> None:
    message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try"
    github.fail("POST", "/check-runs", 403, message=message, headers={"Retry-After": "9"})
    waits: list[float] = []
    post(github, check(), waits)
    assert waits == [9.0]


@pytest.mark.parametrize("status", [401, 403, 404, 422])
def test_a_refusal_is_final(github: StandIn, status: int) -> None:
    github.fail("POST", "/check-runs", status)
    with pytest.raises(GithubException) as caught:
        post(github, check())
    assert caught.value.status == status
    assert len(github.sent("POST")) == 1


def test_enterprise_server() -> None:
    with standin.github(enterprise=True) as state:
        assert post(state, check()).action == "created"


@pytest.mark.parametrize("answer", ["null", "[]", "{}"])
def test_an_answer_that_is_none_is_no_check(github: StandIn, answer: str) -> None:
    github.fail("POST", "/check-runs", 201, message=answer)
    with pytest.raises((TypeError, LookupError, ValueError, AttributeError, AssertionError)):
        post(github, check())
    assert len(github.sent("POST", "/check-runs")) == 1
