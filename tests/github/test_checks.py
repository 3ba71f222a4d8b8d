"""The check run, through the real PyGithub, against the stand-in."""

from __future__ import annotations

import pytest
import standin
from github import GithubException
from standin import REPOSITORY, StandIn
from standin_checks import BATCH, Checks

from steady.github import connect
from steady.github.checks import Annotation, Check, Checked, post_check
from steady.github.patience import Patience

COMMIT = "c" * 40


def check(count: int = 0, summary: str = "one") -> Check:
    """Return a check with some annotations."""
    annotations = tuple(
        Annotation(f"src/B{index}.java", index + 1, "failure", "Regression", f"slower {index}")
        for index in range(count)
    )
    return Check("Benchmarks", "failure", "1 regression", summary, annotations)


def post(state: StandIn, wanted: Check, waits: list[float] | None = None) -> Checked:
    """Post a check run for `COMMIT`."""
    waited: list[float] = [] if waits is None else waits
    client = connect("token", state.url)
    return Patience(sleep=waited.append).ask(lambda: post_check(client, REPOSITORY, COMMIT, wanted))


def lines(state: StandIn) -> list[int]:
    """Return the lines of the annotations of the one check run."""
    [run] = state.part(Checks).runs
    return [a["start_line"] for a in state.part(Checks).annotations[run["id"]]]


@pytest.mark.parametrize("count", [0, 1, BATCH, BATCH + 1, 500])
def test_annotations_come_in_batches_and_in_order(github: StandIn, count: int) -> None:
    assert post(github, check(count)).action == "created"
    assert lines(github) == list(range(1, count + 1))
    [run] = github.part(Checks).runs
    assert (run["name"], run["conclusion"], run["head_sha"]) == ("Benchmarks", "failure", COMMIT)
    assert run["output"]["summary"] == "one"
    assert len(github.sent("PATCH")) == max(0, -(-count // BATCH) - 1)


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
    post(github, check(120))
    sent = len(github.sent("POST")), len(github.sent("PATCH"))
    assert post(github, check(120)).action == "up to date"
    assert (len(github.sent("POST")), len(github.sent("PATCH"))) == sent


def test_another_result_stands_in_the_place_of_the_earlier(github: StandIn) -> None:
    post(github, check(3))
    assert post(github, check(2, "two")).action == "created"
    assert [run["output"]["annotations_count"] for run in github.part(Checks).runs] == [3, 2]
    assert {run["name"] for run in github.part(Checks).runs} == {"Benchmarks"}


@pytest.mark.parametrize("method", ["POST", "PATCH"])
@pytest.mark.parametrize("status", [0, 502])
@pytest.mark.parametrize("carried_out", [True, False])
def test_an_outage_in_the_middle_loses_nothing_and_doubles_nothing(
    github: StandIn, method: str, status: int, carried_out: bool
) -> None:
    github.fail(method, "/check-runs", status, after=carried_out)
    waits: list[float] = []
    post(github, check(170), waits)
    assert lines(github) == list(range(1, 171))
    assert waits == [2.0]


def test_github_asks_for_patience(github: StandIn) -> None:
    message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try"
    github.fail("PATCH", "/check-runs", 403, message=message, headers={"Retry-After": "9"})
    waits: list[float] = []
    post(github, check(60), waits)
    assert waits == [9.0]
    assert lines(github) == list(range(1, 61))


@pytest.mark.parametrize("status", [401, 403, 404, 422])
def test_a_refusal_is_final(github: StandIn, status: int) -> None:
    github.fail("POST", "/check-runs", status)
    with pytest.raises(GithubException) as caught:
        post(github, check())
    assert caught.value.status == status
    assert len(github.sent("POST")) == 1


def test_enterprise_server() -> None:
    with standin.github(enterprise=True) as state:
        assert post(state, check(60)).action == "created"
        assert lines(state) == list(range(1, 61))


@pytest.mark.parametrize("answer", ["null", "[]", "{}"])
def test_an_answer_that_is_none_is_no_check(github: StandIn, answer: str) -> None:
    github.fail("POST", "/check-runs", 201, message=answer)
    with pytest.raises((TypeError, LookupError, ValueError, AttributeError, AssertionError)):
        post(github, check())
    assert len(github.sent("POST", "/check-runs")) == 1
