"""Windows and macOS: what they lack is not asked for. All of it is simulated on this system."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import another_system
import pytest
from action_scenario import Scenario, runner_environ
from another_system import POSIX_ONLY
from projects import JAVA_OPTIONS, ROOT

from tests.harness.go.building import build

SOURCES = ROOT / "src" / "steady"
SYSTEMS = ["win32", pytest.param("darwin", marks=pytest.mark.thorough)]

GUARDED = {
    "action/confined.py": {"SIGKILL", "SIGXCPU", "sysconf"},
    "action/workspace.py": {"chown", "geteuid"},
    "execution/keeper.py": {
        "SIGCHLD",
        "SIGKILL",
        "POLLIN",
        "fork",
        "killpg",
        "poll",
        "set_blocking",
    }
    | {"setsid", "WNOHANG"},  # it is started only where there are process groups
    "engine/machine.py": {"getloadavg"},
    "execution/processes.py": {"SIGKILL", "killpg"},
    "harness/command/driver.py": {"SIGKILL", "killpg", "wait4"},  # `CommandRuns.check` asks
    "harness/go/run/paused_process.py": {"O_CLOEXEC", "O_DIRECT", "O_NONBLOCK", "pidfd_open"}
    | {"POLLIN", "poll", "set_blocking"},
    "execution/lanes.py": {"sched_getaffinity", "sched_setaffinity"},
    "harness/jmh/run/one_processor.py": {"sched_getaffinity"},  # only after a thread was pinned
    "parallel.py": {"SIG_BLOCK", "SIG_SETMASK", "pthread_sigmask"},
    "processors.py": {"sched_getaffinity"},
}
"""What not every system has: each of these places asks first whether it is there."""

TASKKILL = """#!/bin/sh
# Windows' own: taskkill /F /T /PID NUMBER
kill -KILL -- "-$4"
"""


def test_what_not_every_system_has_is_asked_for_where_that_is_known() -> None:
    for path in SOURCES.rglob("*.py"):
        place = path.relative_to(SOURCES).as_posix()
        mentioned = re.findall(r'(?<!")\b(\w+)\.(\w+)', path.read_text(encoding="utf-8"))
        names = {name for module, name in mentioned if name in POSIX_ONLY.get(module, ())}
        assert names <= GUARDED.get(place, set()), f"ask first whether the system has it: {place}"


def on(
    system: str, folder: Path, *command: str, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a module of steady as on another system."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    (tools / "taskkill").write_text(TASKKILL)
    (tools / "taskkill").chmod(0o755)
    return subprocess.run(
        [sys.executable, another_system.__file__, system, *command],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
            **(environment or {}),
        },
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_action_compares(system: str, tmp_path: Path) -> None:
    Scenario(tmp_path / "workspace", "http://127.0.0.1:1")
    environment = {
        **runner_environ("http://127.0.0.1:1", str(tmp_path / "workspace")),
        "GITHUB_WORKSPACE": str(tmp_path / "workspace"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "INPUT_MODE": "compare",
        "INPUT_BASE": "results/base.json",
        "INPUT_HEAD": "results/head.json",
        "INPUT_COMMENT": "never",
        "INPUT_TOKEN": "",
    }
    ran = on(system, tmp_path / "workspace", "steady.action", environment=environment)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "unchanged" in (tmp_path / "output").read_text()


@pytest.mark.needs("go")
@pytest.mark.parametrize("system", SYSTEMS)
def test_go_runs_fork_by_fork_and_says_so_once(system: str, tmp_path: Path) -> None:
    binary = tmp_path / "base/turns.test.exe"
    build(ROOT / "tests/harness/go/run/go_turns", str(binary), packages=".")
    shutil.copytree(tmp_path / "base", tmp_path / "head")
    words = ["run", "--base", "base", "--head", "head", "--only", "BenchmarkStamped$"]
    words += ["--full", "2x3", "--iteration-seconds", "0.001", "--all-rounds", "--out", "out"]
    ran = on(system, tmp_path, "steady.cli", *words)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    [said] = [line for line in ran.stderr.splitlines() if "fork by fork" in line]
    assert "as on Linux" in said
    assert all((tmp_path / "out" / f"{side}.txt").is_file() for side in ("base", "head"))


@pytest.mark.thorough
@pytest.mark.needs("java", "mvn")
def test_forks_of_jmh_take_turns(build_jar: Callable[[str], Path], tmp_path: Path) -> None:
    for side in ("base", "head"):
        shutil.copy(build_jar("1.37"), tmp_path / f"{side}.jar")
    words = ["run", "--base", "base.jar", "--head", "head.jar", "--only", "twoModesMore"]
    words += ["--full", "2x3", "--iteration-seconds", "0.01", "--all-rounds", "--out", "out"]
    java = {"JAVA_TOOL_OPTIONS": JAVA_OPTIONS}
    ran = on("win32", tmp_path, "steady.cli", *words, environment=java)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "fork by fork" not in ran.stderr
    assert '"in_turn": true' in (tmp_path / "out" / "base.json").read_text()
