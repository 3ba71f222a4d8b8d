"""The full run on several machines, and the plan that it allows as a pull request."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from projects import Project
from standin import StandIn
from standin_git import GitRepository
from test_compare_workflows import EXAMPLES, Recorded, machine, project, recorded
from workflow_runner import Machine
from written_runs import NAMES

from steady.optimize import plan_from_json

__all__ = ["machine", "project", "recorded"]


def jar(path: Path) -> None:
    """Write a jar whose list of benchmarks is empty: that is all that a plan reads of it."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("META-INF/BenchmarkList", "")


@pytest.fixture
def git(github: StandIn, machine: Machine, project: Project, tmp_path: Path) -> GitRepository:
    """Return the project behind GitHub's API, as somebody asks for a plan of it."""
    jar(project.folder / "source")
    project.commit({"jar-name": "target/benchmarks.jar"})
    git = github.part(GitRepository).at(tmp_path / "repository.git")
    project.git("push", "--quiet", str(git.folder), "main")
    machine.event = "workflow_dispatch"
    machine.payload = {"repository": {"full_name": "octo/benchmarks", "default_branch": "main"}}
    return git


@pytest.mark.thorough
def test_four_machines_make_one_plan(
    machine: Machine, recorded: Recorded, git: GitRepository
) -> None:
    jobs = machine.run(EXAMPLES / "steady-optimize.yml")
    log = "\n".join(job.log for job in jobs.values())
    *parts, merge = recorded.runs
    assert [run["asked"]["shard"] for run in parts] == ["1/4", "2/4", "3/4", "4/4"], log
    assert {run["asked"]["full"] for run in parts} == {"5x60"}
    assert merge["parts"] == [f"full-run--default--{part}" for part in (1, 2, 3, 4)]
    assert jobs["plan/measure (1, 1/4)"].permissions == {"contents": "read"}
    assert jobs["plan/plan"].outcome == "success", log
    [pull] = git.pulls
    plan = plan_from_json(git.git("show", f"{pull['head']['ref']}:.steady/plan.json"))
    assert {entry.identity.name for entry in plan.benchmarks} == set(NAMES)
    assert (machine.artifacts / "steady-plan-default/plan.json").is_file()


def test_a_suite_in_a_folder_has_its_plan_there(
    machine: Machine, recorded: Recorded, git: GitRepository, project: Project
) -> None:
    (project.folder / "a").mkdir()
    jar(project.folder / "a/source")
    project.commit({"a/jar-name": "x.jar"})
    project.git("push", "--quiet", str(git.folder), "main")
    caller = machine.folder.parent / "caller.yml"
    called = (EXAMPLES / "steady-optimize.yml").read_text()
    caller.write_text(
        called.replace("shards: 4", "folder: a").replace("jar: target/benchmarks.jar", "jar: x.jar")
    )
    jobs = machine.run(caller)
    [run] = recorded.runs
    assert run["asked"]["shard"] is None, "one machine has it all"
    assert jobs["plan/plan"].outcome == "success", jobs["plan/plan"].log
    assert "a/.steady/plan.json" in git.git("ls-tree", "-r", "--name-only", "steady/plan-default")
