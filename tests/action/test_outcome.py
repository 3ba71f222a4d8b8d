"""The comment as settings ask, through the whole action and against the stand-in."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
import standin
from action_scenario import TOKEN, Scenario
from standin import StandIn
from written_runs import NAMES, write_run


@pytest.fixture
def scenario(tmp_path: Path, github: StandIn) -> Scenario:
    """Return a workspace with two equal runs."""
    root = tmp_path / "workspace"
    root.mkdir()
    return Scenario(root, github.url)


def head(scenario: Scenario, factor: float) -> None:
    """Make head's second benchmark slower or faster, and leave the others."""
    factors = {name: factor if name == NAMES[1] else 1.0 for name in NAMES}
    write_run(scenario.root / "results/head.json", factors)


@pytest.mark.parametrize(
    ("comment", "factor", "made"),
    [
        ("always", 1.0, True),
        ("", 1.0, False),
        ("", 0.7, True),
        ("changes", 1.0, False),
        ("changes", 0.7, True),
        ("regressions", 0.7, False),
        ("regressions", 1.3, True),
        ("never", 1.3, False),
    ],
)
def test_a_comment_is_made_where_there_is_something_to_tell(
    scenario: Scenario, github: StandIn, comment: str, factor: float, made: bool
) -> None:
    head(scenario, factor)
    scenario.compare(comment=comment)
    assert bool(github.bodies()) == made
    assert ("no comment" in scenario.log) != made


def test_a_quiet_run_says_why_there_is_no_comment(scenario: Scenario) -> None:
    scenario.compare(comment="regressions")
    assert "no comment: `comment: regressions` does not ask for one" in scenario.log


def test_the_comment_says_when_the_regression_is_gone(scenario: Scenario, github: StandIn) -> None:
    head(scenario, 1.3)
    scenario.compare(comment="regressions")
    head(scenario, 1.0)
    scenario.compare(comment="regressions")
    assert "Resolved: the run before" in github.bodies()[0]
    head(scenario, 1.3)
    scenario.compare(comment="regressions")
    assert "Resolved" not in github.bodies()[0]
    assert len(github.sent("POST", "/comments$")) == 1


def test_further_steps_find_junit(scenario: Scenario) -> None:
    head(scenario, 1.3)
    scenario.compare()
    cases = ElementTree.parse(scenario.root / "steady-report/junit.xml").getroot()
    assert [case.find("failure") is not None for case in cases.findall("testcase")].count(True) == 1


def test_enterprise_server(tmp_path: Path) -> None:
    with standin.github(enterprise=True) as state:
        scenario = Scenario(tmp_path, state.url)
        head(scenario, 1.3)
        assert scenario.compare(comment="changes") == 1
        head(scenario, 1.0)
        assert scenario.compare(comment="changes") == 0
        assert "No change found" in state.comments[0]["body"]


def test_a_token_that_was_given_is_hidden_before_anything_is_printed(scenario: Scenario) -> None:
    scenario.compare({"GITHUB_ACTIONS": "true"})
    first, *rest = scenario.log.splitlines()
    assert first == f"::add-mask::{TOKEN}"
    assert not any(TOKEN in line for line in rest)
    scenario.compare({"GITHUB_ACTIONS": "true", "INPUT_TOKEN": ""})
    assert "add-mask" not in scenario.log
