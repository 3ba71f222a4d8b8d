"""`/steady run PATTERN`: who may ask, what is run, and who gets to see the token."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from projects import Project
from standin import StandIn
from test_compare_workflows import EXAMPLES, Recorded, jar_project, machine, project, recorded
from workflow_runner import Job, Machine

from tests.looped import looped

__all__ = ["machine", "project", "recorded"]

pytestmark = pytest.mark.needs("jq")

GH = """#!/bin/sh
# Stands in for GitHub's command: gh api PATH --jq EXPRESSION
echo "$2" >>"$GH_ANSWERS/asked"
jq -r "$4" "$GH_ANSWERS/$(echo "$2" | tr / _).json"
"""


class Asker:
    """Somebody who comments on pull request 7."""

    def __init__(self, machine: Machine, project: Project, folder: Path) -> None:
        jar_project(project)
        self._machine, self._answers = machine, folder
        self.merge = project.git("rev-parse", "HEAD")
        machine.event = "issue_comment"
        machine.commit = project.git("rev-parse", "HEAD^1")  # the default branch
        machine.commands = {**machine.commands, "gh": GH}
        machine.environment = {**machine.environment, "GH_ANSWERS": str(folder)}
        self.open = {"state": "open", "mergeable": True, "merge_commit_sha": self.merge}
        self.pull: dict[str, object] = self.open

    def comments(
        self, body: str, *, permission: str = "write", on_issue: bool = False
    ) -> dict[str, Job]:
        repository = "repos_octo_benchmarks"
        answers = {
            f"{repository}_collaborators_ana_permission": {"permission": permission},
            f"{repository}_pulls_7": self.pull,
        }
        for name, answer in answers.items():
            (self._answers / f"{name}.json").write_text(json.dumps(answer))
        issue = {"number": 7} | ({} if on_issue else {"pull_request": {"url": "…"}})
        self._machine.payload = {
            "repository": {"full_name": "octo/benchmarks"},
            "issue": issue,
            "comment": {"id": 1, "body": body, "user": {"login": "ana"}},
        }
        return self._machine.run(EXAMPLES / "steady-on-demand.yml")


def also(*values: str) -> list[ParameterSet]:
    """Return values that only the thorough tests take."""
    return [pytest.param(value, marks=pytest.mark.thorough) for value in values]


@pytest.fixture
def asker(machine: Machine, project: Project, recorded: Recorded, tmp_path: Path) -> Asker:
    folder = tmp_path / "answers"
    folder.mkdir()
    return Asker(machine, project, folder)


def test_what_somebody_with_write_access_asks_for_is_run_and_reported(
    asker: Asker, machine: Machine, github: StandIn, recorded: Recorded
) -> None:
    jobs = asker.comments("/steady run Bench.alpha\n\nthank you")
    log = "\n".join(job.log for job in jobs.values())
    [run] = recorded.runs
    assert run["asked"]["only"] == "Bench.alpha", log
    assert not [n for n, value in run["environment"].items() if machine.token in value]
    measure, report = jobs["benchmarks/measure"], jobs["benchmarks/report"]
    assert measure.permissions == {"contents": "read"}
    assert not (report.workspace / "target").exists(), "nothing is built where a token may write"
    assert (report.workspace / "source").read_text() == "as it was\n"
    [body] = github.bodies()
    assert "Benchmarks: on-demand" in body
    assert "1 of 3 benchmarks became slower" in body


@pytest.mark.parametrize("body", ["/steady run\r\nmore", *also("/steady run", "/steady run  ")])
@pytest.mark.thorough
def test_without_a_pattern_everything_is_run(
    asker: Asker, machine: Machine, recorded: Recorded, body: str
) -> None:
    machine.left_out = ["report"]
    asker.comments(body)
    assert recorded.runs[0]["asked"]["only"] == "."


@pytest.mark.parametrize(
    "pattern",
    [
        "$(touch canary) `touch canary`; touch canary",
        *also(
            "' && touch canary && '",
            '" ; touch canary ; "',
            "--out=canary",
            "x%0Acommit=canary ${{ github.token }}",
            "*",
        ),
    ],
)
def test_a_pattern_is_never_more_than_a_pattern(
    asker: Asker, machine: Machine, recorded: Recorded, pattern: str
) -> None:
    machine.left_out = ["report"]
    asker.comments(f"/steady run {pattern}\ncommit={'c' * 40}")
    assert recorded.runs[0]["asked"]["only"] == pattern
    assert list(machine.folder.rglob("canary*")) == []


@looped("permission", ["read", "none"])
def test_others_start_nothing(asker: Asker, recorded: Recorded, permission: str) -> None:
    jobs = asker.comments("/steady run", permission=permission)
    assert "ana may not" in jobs["benchmarks/asked"].log
    assert jobs["benchmarks/measure"].outcome == jobs["benchmarks/report"].outcome == "skipped"
    assert recorded.runs == []


@looped("body", ["/steady runner", "please /steady run", "/steady accept x"])
def test_other_comments_start_nothing(asker: Asker, recorded: Recorded, body: str) -> None:
    asker.comments(body)
    assert recorded.runs == []


def test_a_comment_on_an_issue_starts_nothing(asker: Asker, recorded: Recorded) -> None:
    jobs = asker.comments("/steady run", on_issue=True)
    assert [job.outcome for job in jobs.values()] == ["skipped"]
    assert recorded.runs == []


@looped("state", [{"state": "closed"}, {"mergeable": False}, {"merge_commit_sha": "main; id"}])
def test_a_pull_request_that_cannot_be_merged_is_said(
    asker: Asker, recorded: Recorded, state: dict[str, object]
) -> None:
    asker.pull = {**asker.open, **state}
    jobs = asker.comments("/steady run")
    assert jobs["benchmarks/asked"].outcome == "failure"
    assert "cannot be merged" in jobs["benchmarks/asked"].log
    assert recorded.runs == []
