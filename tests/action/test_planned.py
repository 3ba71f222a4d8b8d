"""The plan's age and fit, from the workspace and GitHub's commits to the comment."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from action_scenario import Scenario
from standin import StandIn
from standin_history import Changes
from written_runs import NAMES, write_run

COMMITS = "/commits$"
AGAIN = "Optimise the whole suite again"


@pytest.fixture
def scenario(tmp_path: Path, github: StandIn) -> Scenario:
    """Return a workspace with a plan."""
    root = tmp_path / "workspace"
    root.mkdir()
    made = Scenario(root, github.url)
    assert made.optimize(comment="never") == 0
    return made


def test_an_old_plan_is_to_be_made_anew(scenario: Scenario, github: StandIn) -> None:
    github.part(Changes).days[".steady/plan.json"] = ["2026-05-01", "2025-05-01"]
    scenario.today = date(2026, 11, 21)
    scenario.compare()
    (body,) = github.bodies()
    assert "The plan is 204 days old." in body
    assert AGAIN in body
    assert AGAIN in scenario.summary
    scenario.today = date(2026, 5, 30)
    scenario.compare()
    assert "days old" not in github.bodies()[0]


def test_a_plan_in_a_checkout_of_its_own(scenario: Scenario, github: StandIn) -> None:
    (scenario.root / "head").mkdir()
    (scenario.root / ".steady").rename(scenario.root / "head" / ".steady")
    (scenario.root / "head" / ".git").mkdir()
    github.part(Changes).days[".steady/plan.json"] = ["2026-05-01"]
    scenario.compare(plan="head/.steady/plan.json")
    assert "The plan is 204 days old." in github.bodies()[0]


def test_a_benchmark_without_a_plan_is_optimised_alone(scenario: Scenario, github: StandIn) -> None:
    more = dict.fromkeys((*NAMES, "org.example.Bench.delta"), 1.0)
    for side in ("base", "head"):
        write_run(scenario.root / f"results/{side}.json", more)
    scenario.compare()
    (body,) = github.bodies()
    assert "1 benchmark is not in the plan (org.example.Bench.delta)" in body
    assert "Optimise these again" in body
    assert AGAIN not in body


@pytest.mark.parametrize("status", [403, 404, 500])
def test_an_age_that_cannot_be_asked_for_changes_no_verdict(
    scenario: Scenario, github: StandIn, status: int
) -> None:
    github.fail("GET", COMMITS, status, times=9)
    assert scenario.compare() in (0, 1)
    assert "the age of the plan is not known" in scenario.log
    assert scenario.outputs["verdict"] != ""


def test_without_a_token_nobody_is_asked(scenario: Scenario, github: StandIn) -> None:
    scenario.compare(token="")
    assert github.sent("GET", COMMITS) == []
