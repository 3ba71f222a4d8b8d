"""What the workflows of pull requests do: each runs here, step by step, on a made project."""

from __future__ import annotations

import base64
import json
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import recorded_run
from _pytest.mark import ParameterSet
from action_scenario import write_event
from git_scenario import git_server, run_git
from projects import GO_SLOWER, Project, go_project, maven_project
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


def also(*values: str) -> ParameterSet:
    """Return a case that only the thorough tests take."""
    return pytest.param(*values, marks=pytest.mark.thorough)


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
        rooms = os.pathsep.join(str(ROOT / "tests" / room) for room in ("action", "github"))
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


def jar_project(project: Project, jar: str, folder: str = "") -> None:
    """Commit a project whose pull request changes the source, in two commits."""
    place = f"{folder}/" if folder else ""
    gradle = {f"{place}gradlew": BUILD, f"{place}jar-name": jar, f"{place}source": "as it was\n"}
    project.folder.joinpath(folder).mkdir(parents=True, exist_ok=True)
    project.commit(gradle)
    project.folder.joinpath(folder, "gradlew").chmod(0o755)
    project.commit({"README.md": "zero"})
    project.pull_request({"README.md": "one"}, {f"{place}source": "slower now\n"})


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


@pytest.mark.needs("go")
@pytest.mark.thorough
def test_go_packages_of_one_name_find_their_testdata(
    machine: Machine, project: Project, github: StandIn
) -> None:
    before, after = go_project()
    project.commit(before)
    project.pull_request({"README.md": "one"}, after)
    job = only(machine.run(EXAMPLES / "steady-compare-go.yml"))
    assert job.outputs["verdict"] == "regression", job.log
    [body] = github.bodies()
    # The other package has the same code: it is left out, or measured as a control.
    assert re.search("1 of [12] benchmarks? became slower", body)
    assert GO_SLOWER.removeprefix("example.com/shop/") in body
    assert "Not compared" not in body
    kept = machine.artifacts / "benchmarks-default"
    assert {"base.txt", "head.txt", "run.json", "report"} <= {p.name for p in kept.iterdir()}


@pytest.mark.thorough
def test_a_command_runs_in_both_checkouts(
    machine: Machine, project: Project, github: StandIn, tmp_path: Path
) -> None:
    benchmark = "def test_work(benchmark):\n    benchmark(sum, range({}))\n"
    tool = f'#!/bin/sh\nexec {sys.executable} -m pytest "$@"\n'
    project.commit(
        {"b/test_w.py": benchmark.format("3_000"), ".gitignore": ".venv\n", "tool": tool}
    )
    project.pull_request({"b/test_w.py": benchmark.format("30_000")})
    text = (EXAMPLES / "steady-compare-pytest.yml").read_text(encoding="utf-8")
    build = "mkdir -p .venv/bin && cp tool .venv/bin/pytest && chmod +x .venv/bin/pytest"
    text = re.sub("build: .*", f"build: {build}", text)
    text = re.sub("run: .*", "run: pytest b\n      time-budget: 2m", text)
    workflow = tmp_path / "workflow.yml"
    workflow.write_text(text, encoding="utf-8")
    job = only(machine.run(workflow))
    assert job.outputs["verdict"] == "regression", job.log
    [body] = github.bodies()
    assert "test_work" in body
    kept = machine.artifacts / "benchmarks-default"
    assert {"base.json", "head.json", "run.json"} <= {path.name for path in kept.iterdir()}


@pytest.mark.needs("mvn")
@pytest.mark.thorough
def test_maven(machine: Machine, project: Project, github: StandIn) -> None:
    before, after = maven_project(POM)
    project.commit(before)
    project.pull_request({"README.md": "one"}, after)
    job = only(machine.run(EXAMPLES / "steady-compare.yml"))
    assert job.outputs["verdict"] == "regression", job.log
    [body] = github.bodies()
    # The other one runs none of the changed methods: it is left out, or measured as a control.
    assert re.search("1 of [12] benchmarks? became slower", body)
    assert "Not compared" not in body


@pytest.mark.parametrize(
    ("example", "jar", "command"),
    [
        ("compare", "target/benchmarks.jar", "mvn --batch-mode"),
        also("compare-steps", "target/benchmarks.jar", "mvn --batch-mode"),
        also("compare-gradle", "build/libs/shop-1.0-jmh.jar", "gradlew --no-daemon --quiet jmhJar"),
        also("compare-kotlin", "build/benchmarks/main/jars/shop-main-jmh-1.0-JMH.jar", "gradlew"),
        also("compare-sbt", "target/scala-2.13/shop-assembly-1.0.jar", "Jmh/compile Jmh/assembly"),
        also("self-hosted", "target/benchmarks.jar", "mvn --batch-mode"),
    ],
)
def test_a_jar_of_either_version_is_built_run_and_compared(
    example: str, jar: str, command: str,
    machine: Machine, project: Project, github: StandIn, recorded: Recorded,
) -> None:  # fmt: skip
    jar_project(project, jar)
    job = only(machine.run(EXAMPLES / f"steady-{example}.yml"))
    assert_slower(job, github)
    builds = [line for line in recorded.builds if command in line]
    assert len(builds) == 2
    [run] = recorded.runs
    assert run["asked"]["time_budget"] == "10m", "there is no plan"
    assert {Path(run["asked"][side]).name for side in ("base", "head")} == {Path(jar).name}


def test_a_pull_request_from_a_fork_does_not_come_to_ones_own_machine(
    machine: Machine, project: Project, recorded: Recorded
) -> None:
    jar_project(project, "target/benchmarks.jar")
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
    jar_project(project, "target/benchmarks.jar")
    job = only(machine.run(EXAMPLES / "steady-compare.yml"))
    [run] = recorded.runs
    assert run["asked"]["plan"] == "./.steady/plan.json"
    assert run["asked"]["time_budget"] is None
    assert "plan expects it" in github.bodies()[0], job.log


@pytest.mark.thorough
def test_a_merge_queue_is_measured_against_what_is_below_it(
    machine: Machine, project: Project, github: StandIn, recorded: Recorded
) -> None:
    jar_project(project, "target/benchmarks.jar")
    after, last = project.git("rev-parse", "HEAD"), project.commit({"README.md": "two"})
    below = project.git("rev-parse", f"{after}^1")
    machine.event = "merge_group"
    machine.payload = {"merge_group": {"base_sha": below, "head_sha": last}}
    job = only(machine.run(EXAMPLES / "steady-merge-queue.yml"))
    # The last commit's parent holds the change already: as its base nothing would be slower.
    assert job.outputs["verdict"] == "regression", job.log
    assert job.outcome == "failure"
    assert github.bodies() == []
    assert recorded.runs[0]["asked"]["time_budget"] == "20m"


@pytest.mark.thorough
def test_several_suites_have_comments_and_plans_of_their_own(
    machine: Machine, project: Project, github: StandIn, recorded: Recorded
) -> None:
    machine.commands = {**machine.commands, "go": "#!/bin/sh\n[ $1 = list ] || exit 1\n"}
    plan = maven_project(POM)[0][".steady/plan.json"]
    project.commit(
        {
            "services/stock/go.mod": "module example.com/stock\n",
            "services/stock/slower": "",
            "services/orders/.steady/plan.json": plan,
        }
    )
    jar_project(project, "target/benchmarks.jar", "services/orders")
    jobs = machine.run(EXAMPLES / "steady-monorepo.yml")
    orders, _stock = (job for job in jobs.values() if job.steps)
    assert "Benchmarks: orders" in github.bodies()[0], orders.log
    first, second = (run["asked"] for run in recorded.runs)
    assert first["plan"] == "services/orders/.steady/plan.json"
    assert second["head"].endswith("/services/stock")
    assert (second["plan"], second["time_budget"]) == (None, "10m")


def test_the_half_for_forks_takes_the_plan_of_the_version_before(
    machine: Machine, project: Project, recorded: Recorded
) -> None:
    plan = maven_project(POM)[0][".steady/plan.json"]
    project.commit({".steady/plan.json": plan})
    jar_project(project, "target/benchmarks.jar")
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
def test_a_pull_request_is_compared_with_what_was_recorded(
    machine: Machine, project: Project, github: StandIn, recorded: Recorded, tmp_path: Path
) -> None:
    jar_project(project, "target/benchmarks.jar")
    merge, before = (project.git("rev-parse", name) for name in ("HEAD", "HEAD^1"))
    bare = tmp_path / "octo/benchmarks.git"
    bare.parent.mkdir()
    project.git("clone", "--quiet", "--bare", str(project.folder), str(bare))
    for key in ("http.receivepack", "uploadpack.allowFilter"):
        run_git(bare, "config", key, "true")
    login = base64.b64encode(f"x-access-token:{machine.token}".encode()).decode()
    pull_request = machine.payload
    with git_server(tmp_path, f"basic {login}") as (server, _):
        run = {"GITHUB_SERVER_URL": server, "GITHUB_RUN_ID": "1", "GITHUB_RUN_ATTEMPT": "1"}
        machine.environment = {**machine.environment, **run, "GITHUB_BASE_REF": "main"}
        machine.event, machine.commit = "push", before
        machine.payload = {"repository": pull_request["repository"]}
        recording = only(machine.run(EXAMPLES / "steady-record.yml"))
        assert recording.outcome == "success", recording.log
        machine.event, machine.commit = "pull_request", merge
        machine.payload = pull_request
        job = only(machine.run(EXAMPLES / "steady-compare-history.yml"))
    assert_slower(job, github)
    assert before[:12] in github.bodies()[0]


@pytest.mark.thorough
def test_nothing_but_the_comparison_sees_the_token(
    machine: Machine, project: Project, github: StandIn, recorded: Recorded
) -> None:
    jar_project(project, "target/benchmarks.jar")
    only(machine.run(EXAMPLES / "steady-compare.yml"))
    [run] = recorded.runs
    assert not [n for n, value in run["environment"].items() if machine.token in value]
    assert {request.token for request in github.requests} == {machine.token}
