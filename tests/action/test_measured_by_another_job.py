"""Mode ``compare`` treats another job's results as untrusted: they cannot narrow the comparison."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from action_scenario import EVENT_FILE, Scenario, here
from history_scenario import Job
from standin import REPOSITORY, StandIn
from written_runs import NAMES, write_run

from steady.action import measured_elsewhere as module
from steady.action.confined import Work, run_in_child
from tests.cli.shell import write_narrowed
from tests.looped import looped

ON_DEMAND = {"GITHUB_EVENT_NAME": "issue_comment"}


def asked(scenario: Scenario) -> None:
    """Write the event of a comment on pull request 7."""
    event = {"repository": {"full_name": REPOSITORY}, "issue": {"number": 7, "pull_request": {}}}
    (scenario.root / EVENT_FILE).write_text(json.dumps(event))


@looped("only", ["alpha", "(a+)+$", "."])
def test_results_cannot_narrow_the_comparison(
    only: str, scenario: Scenario, github: StandIn
) -> None:
    asked(scenario)
    scenario.slow(2.0)
    write_narrowed(scenario.root / "results", only)
    assert scenario.compare(ON_DEMAND) == 1
    assert scenario.outputs["verdict"] == "regression"
    for text in (github.bodies()[0], scenario.summary):
        assert "narrowed" not in text
        assert "Measured by another job, which runs the pull request's untrusted code" in text
    assert "head: 3 benchmarks from " in scenario.log


def test_the_headline_contains_the_selection(scenario: Scenario, github: StandIn) -> None:
    asked(scenario)
    scenario.slow(2.0)
    for environ, posted in ((ON_DEMAND, github.bodies), ({}, list[str])):
        assert scenario.compare(environ, only="al[p]ha") == 0
        assert scenario.outputs["verdict"] == "unchanged"
        for text in (*posted(), scenario.summary):
            [headline] = [line for line in text.splitlines() if line.startswith("### ")]
            assert "; narrowed to 'al\\[p\\]ha': 2 measured benchmarks left out" in headline
        assert scenario.compare(environ, only=".") == 1
        assert "narrowed" not in scenario.summary
    assert scenario.compare(ON_DEMAND, only="nothing") == 1
    assert scenario.outputs["verdict"] == "incomplete"
    assert "matches no benchmark of either run" in github.bodies()[0]
    assert scenario.compare(only="(") == 2


def test_only_untrusted_results_are_sandboxed(scenario: Scenario) -> None:
    confined: list[str] = []

    def confine(work: Work, answers: Mapping[str, Callable[..., Any]]) -> Mapping[str, Any]:
        confined.append(scenario.log)
        return here(work, answers)

    scenario.confine = confine
    asked(scenario)
    cases = [
        ("issue_comment", "", True),
        ("pull_request_target", "", True),
        ("issue_comment", "here", False),
        ("push", "elsewhere", True),
        *((event, "", False) for event in ("push", "schedule", "merge_group")),
    ]
    for event, measured, expected in cases:
        confined.clear()
        assert scenario.compare({"GITHUB_EVENT_NAME": event}, measured=measured) == 0
        assert bool(confined) == expected, (event, measured)


def test_the_sandbox_does_not_change_the_report(scenario: Scenario, github: StandIn) -> None:
    asked(scenario)
    scenario.slow(2.0)
    said = []
    for confine in (here, run_in_child):
        scenario.confine = confine
        assert scenario.compare(ON_DEMAND, only="beta") == 1
        said.append((scenario.outputs, scenario.summary, github.bodies()[-1]))
    assert said[0] == said[1]


@looped(
    ("limit", "words"),
    [
        ("MOST_LISTS", "lists and objects"),
        ("MOST_VALUES", "values; measure with fewer iterations"),
        ("MOST_CELLS", "cells"),
    ],
)
def test_exceeded_limits_are_incomplete(
    limit: str, words: str, scenario: Scenario, github: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(scenario)
    with monkeypatch.context() as patch:
        patch.setattr(module, limit, 3)
        assert scenario.compare(ON_DEMAND) == 1
        assert scenario.outputs["verdict"] == "incomplete"
        assert words in github.bodies()[-1]
        assert scenario.compare() == 0, "results of this job have no limit"


def test_missing_or_invalid_results_are_incomplete(scenario: Scenario, github: StandIn) -> None:
    asked(scenario)
    for content in ("[" * 100_000, None):
        head = scenario.root / "results/head.json"
        head.unlink() if content is None else head.write_text(content)
        assert scenario.compare(ON_DEMAND) == 1
        assert scenario.outputs["verdict"] == "incomplete"
        assert "so this is not a pass" in github.bodies()[-1]
        assert scenario.compare() == 2, "in this job, it is a user error"


def test_the_history_is_queried_by_environment_alone(job: Job) -> None:
    first, second = job.commit(), job.commit()
    assert job.record(first, 1, history="kept") == 0
    job.scenario.confine = run_in_child
    write_run(job.root / "results/head.json", dict.fromkeys(NAMES, 1.0), jdkVersion="22.0.1")
    assert job.compare(second, 2, target="", history="kept", measured="elsewhere") == 0
    assert f"Baseline: commit {first[:12]}, 1 commit before {second[:12]}." in job.scenario.log
    assert "It ran in a different environment (JDK: 21.0.5 there, 22.0.1 here)" in job.scenario.log
    assert f"commit {first[:12]}" in job.scenario.summary
