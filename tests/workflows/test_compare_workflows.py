"""What a workflow of pull requests does, step by step; `tests/on_runner` runs each of them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import recorded_run
from action_scenario import write_event
from projects import Project, maven_project
from standin import StandIn
from workflow_runner import ROOT, Job, Machine

EXAMPLES = ROOT / "examples/workflows"
POM = (ROOT / "tests/emit/project/pom.xml").read_text(encoding="utf-8")

JAVA_OPTIONS = "-Djmh.ignoreLock=true -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""Other tests may run JMH at the same time; and a JVM comes to its end sooner."""

BUILD = """#!/bin/sh
# Stands in for a build tool: its jar is a text that says from which sources it was built.
echo "$0 $*" >>"$BUILDS"
jar=$(cat jar-name)
mkdir -p "$(dirname "$jar")"
cp source "$jar"
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@pytest.fixture
def machine(tmp_path: Path, github: StandIn) -> Machine:
    """Return a machine on which pull request 7 was opened."""
    write_event(tmp_path / "event.json")
    payload: dict[str, Any] = json.loads((tmp_path / "event.json").read_text())
    return Machine(
        folder=tmp_path / "runs",
        repository=tmp_path / "project",
        payload=payload,
        environment={"GITHUB_API_URL": github.url, "JAVA_TOOL_OPTIONS": JAVA_OPTIONS},
    )


class Recorded:
    """Builds and runs that only say what they were asked for."""

    def __init__(self, machine: Machine, folder: Path) -> None:
        self._notes, self._builds = folder / "notes", folder / "builds"
        rooms = os.pathsep.join(str(ROOT / room) for room in ("", "tests/action", "tests/github"))
        machine.steady = f"env PYTHONPATH={rooms} {sys.executable} {recorded_run.__file__}"
        machine.commands = {"mvn": BUILD, "java": BUILD}
        machine.environment = {
            **machine.environment,
            "BUILDS": str(self._builds),
            recorded_run.NOTES: str(self._notes),
        }

    @property
    def runs(self) -> list[Mapping[str, Any]]:
        """What was asked for, and the environment in which."""
        lines = self._notes.read_text().splitlines() if self._notes.exists() else []
        return [json.loads(line) for line in lines]

    @property
    def builds(self) -> list[str]:
        """The command lines of builds, in their order."""
        return self._builds.read_text().splitlines()


@pytest.fixture
def recorded(machine: Machine, tmp_path: Path) -> Recorded:
    return Recorded(machine, tmp_path)


def jar_project(project: Project) -> None:
    """Commit a project whose pull request changes the source, in two commits."""
    jar = "target/benchmarks.jar"
    project.commit({"gradlew": BUILD, "jar-name": jar, "source": "as it was\n"})
    project.folder.joinpath("gradlew").chmod(0o755)
    project.commit({"README.md": "zero"})
    project.pull_request({"README.md": "one"}, {"source": "slower now\n"})


def only(jobs: Mapping[str, Job]) -> Job:
    """Return the one job that has steps."""
    [job] = [job for job in jobs.values() if job.steps]
    return job


def assert_slower(job: Job, github: StandIn) -> None:
    assert github.bodies(), job.log
    [body] = github.bodies()
    assert "1 of 3 benchmarks became slower" in body, job.log
    assert job.outputs.get("verdict", "regression") == "regression"
    assert job.outcome == "failure", "as `fail-on` asks"


def test_a_jar_of_either_version_is_built_run_and_compared(
    machine: Machine, project: Project, github: StandIn, recorded: Recorded
) -> None:
    jar_project(project)
    job = only(machine.run(EXAMPLES / "steady-compare.yml"))
    assert_slower(job, github)
    assert len([line for line in recorded.builds if "mvn --batch-mode" in line]) == 2
    [run] = recorded.runs
    assert run["asked"]["time_budget"] == "10m", "there is no plan"
    assert {Path(run["asked"][side]).name for side in ("base", "head")} == {"benchmarks.jar"}


def test_a_pull_request_from_a_fork_does_not_come_to_ones_own_machine(
    machine: Machine, project: Project, recorded: Recorded
) -> None:
    jar_project(project)
    machine.payload["pull_request"]["head"]["repo"]["full_name"] = "stranger/benchmarks"
    jobs = machine.run(EXAMPLES / "steady-self-hosted.yml")
    assert [job.outcome for job in jobs.values()] == ["skipped"]
    assert recorded.runs == []


@pytest.mark.thorough
def test_the_plan_of_the_repository_is_followed(
    machine: Machine, project: Project, github: StandIn, recorded: Recorded
) -> None:
    plan = maven_project(POM)[0][".steady/plan.json"]
    project.commit({".steady/plan.json": plan})
    jar_project(project)
    job = only(machine.run(EXAMPLES / "steady-compare.yml"))
    [run] = recorded.runs
    assert run["asked"]["plan"] == "./.steady/plan.json"
    assert run["asked"]["time_budget"] is None
    assert "plan expects it" in github.bodies()[0], job.log


def test_the_half_for_forks_takes_the_plan_of_the_version_before(
    machine: Machine, project: Project, recorded: Recorded
) -> None:
    plan = maven_project(POM)[0][".steady/plan.json"]
    project.commit({".steady/plan.json": plan})
    jar_project(project)
    project.commit({".steady/plan.json": "a stranger's"})
    before = project.git("rev-parse", "HEAD^1")
    machine.payload["pull_request"]["head"]["repo"]["full_name"] = "stranger/benchmarks"
    job = only(machine.run(EXAMPLES / "steady-fork-measure.yml"))
    assert job.outcome == "success", job.log
    assert (job.workspace / ".steady/plan.json").read_text() == plan
    assert f"steady-base/{before}/target" in recorded.runs[0]["asked"]["base"]
    left = {path.name for path in (machine.artifacts / "steady-results").iterdir()}
    assert left == {"base.json", "head.json"}


@pytest.mark.thorough
def test_nothing_but_the_comparison_sees_the_token(
    machine: Machine, project: Project, github: StandIn, recorded: Recorded
) -> None:
    jar_project(project)
    only(machine.run(EXAMPLES / "steady-compare.yml"))
    [run] = recorded.runs
    assert not [n for n, value in run["environment"].items() if machine.token in value]
    assert {request.token for request in github.requests} == {machine.token}
