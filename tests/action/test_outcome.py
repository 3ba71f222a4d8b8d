"""Comment and check run as settings ask, through the whole action and against the stand-in."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
import standin
from action_scenario import EVENT_FILE, TOKEN, Scenario, write_event
from standin import StandIn
from standin_checks import Checks
from written_runs import NAMES, write_run

JAVA = """\
package org.example;

public class Bench {
    @Benchmark
    public int alpha() { return 1; }

    @Benchmark
    public int beta() { return 2; }
}
"""


@pytest.fixture
def scenario(tmp_path: Path, github: StandIn) -> Scenario:
    """Return a workspace with two equal runs, and the benchmarks' source."""
    root = tmp_path / "workspace"
    source = root / "src/jmh/java/org/example/Bench.java"
    source.parent.mkdir(parents=True)
    source.write_text(JAVA)
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


@pytest.mark.parametrize(
    ("factor", "fail_on", "conclusion", "level"),
    [
        (1.3, "regression", "failure", "failure"),
        (1.3, "never", "neutral", "warning"),
        (1.0, "regression", "success", None),
        (0.7, "regression", "success", "notice"),
    ],
)
def test_a_check_run_stands_beside_the_commit(
    scenario: Scenario,
    github: StandIn,
    factor: float,
    fail_on: str,
    conclusion: str,
    level: str | None,
) -> None:
    head(scenario, factor)
    scenario.compare(check="true", fail_on=fail_on, key="core")
    [run] = github.part(Checks).runs
    assert (run["name"], run["head_sha"]) == ("steady: Benchmarks: core", "c" * 40)
    assert run["conclusion"] == conclusion
    assert "beta" in run["output"]["summary"]
    annotations = github.part(Checks).annotations[run["id"]]
    lines = [(a["path"], a["start_line"], a["annotation_level"]) for a in annotations]
    assert lines == ([] if level is None else [("src/jmh/java/org/example/Bench.java", 8, level)])
    assert f"check run created: {run['html_url']}" in scenario.log


def test_annotations_of_the_log_stand_on_the_benchmarks_line(scenario: Scenario) -> None:
    head(scenario, 1.3)
    scenario.compare()
    place = "file=src/jmh/java/org/example/Bench.java,line=8,"
    assert f"\n::error {place}title=Benchmark regression::" in f"\n{scenario.log}"


def test_further_steps_find_junit(scenario: Scenario) -> None:
    head(scenario, 1.3)
    scenario.compare()
    cases = ElementTree.parse(scenario.root / "steady-report/junit.xml").getroot()
    assert [case.find("failure") is not None for case in cases.findall("testcase")].count(True) == 1


def test_no_check_run_by_default_and_none_twice(scenario: Scenario, github: StandIn) -> None:
    scenario.compare()
    assert github.part(Checks).runs == []
    scenario.compare(check="true")
    scenario.compare(check="true")
    assert len(github.part(Checks).runs) == 1
    assert "check run up to date: " in scenario.log


def test_a_check_run_needs_no_pull_request(scenario: Scenario, github: StandIn) -> None:
    scenario.compare({"GITHUB_EVENT_NAME": "push"}, check="true")
    [run] = github.part(Checks).runs
    assert run["head_sha"] == "a" * 40


@pytest.mark.parametrize(("fork", "level"), [(True, "notice"), (False, "warning")])
def test_a_check_run_that_is_refused_is_no_failure(
    scenario: Scenario, github: StandIn, fork: bool, level: str
) -> None:
    github.read_only = True
    write_event(scenario.root / EVENT_FILE, fork=fork)
    assert scenario.compare(check="true", comment="never") == 0
    assert f"::{level} title=steady::No check run: " in scenario.log
    assert ("add `permissions: checks: write` to the job" in scenario.log) != fork


def test_enterprise_server(tmp_path: Path) -> None:
    with standin.github(enterprise=True) as state:
        scenario = Scenario(tmp_path, state.url)
        head(scenario, 1.3)
        assert scenario.compare(check="true", comment="changes") == 1
        head(scenario, 1.0)
        assert scenario.compare(check="true", comment="changes") == 0
        assert "No change found" in state.comments[0]["body"]
        assert len(state.part(Checks).runs) == 2


def test_a_token_that_was_given_is_hidden_before_anything_is_printed(scenario: Scenario) -> None:
    scenario.compare({"GITHUB_ACTIONS": "true"})
    first, *rest = scenario.log.splitlines()
    assert first == f"::add-mask::{TOKEN}"
    assert not any(TOKEN in line for line in rest)
    scenario.compare({"GITHUB_ACTIONS": "true", "INPUT_TOKEN": ""})
    assert "add-mask" not in scenario.log
