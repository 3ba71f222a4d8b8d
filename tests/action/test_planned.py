"""The plan's age and fit, from the workspace and GitHub's commits to the comment."""

from datetime import date

import pytest
from action_scenario import Scenario
from standin import StandIn

COMMITS = "/commits$"
AGAIN = "Optimise the whole suite again"


@pytest.fixture(autouse=True)
def planned(scenario: Scenario) -> None:
    """Let the workspace have a plan."""
    assert scenario.optimize(comment="never") == 0


def test_an_old_plan_is_to_be_made_anew(scenario: Scenario, github: StandIn) -> None:
    github.days[".steady/plan.json"] = ["2026-05-01", "2025-05-01"]
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
    github.days[".steady/plan.json"] = ["2026-05-01"]
    scenario.compare(plan="head/.steady/plan.json")
    assert "The plan is 204 days old." in github.bodies()[0]


def test_an_age_that_nobody_tells_changes_no_verdict(scenario: Scenario, github: StandIn) -> None:
    scenario.compare(token="")
    assert github.sent("GET", COMMITS) == []
    for status in (403, 404, 500):
        github.fail("GET", COMMITS, status, times=9)
        assert scenario.compare() == 0
        assert "the age of the plan is not known" in scenario.log
        github.faults.clear()
