"""A real JMH project, built with Maven for several versions of JMH."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

PROJECT = Path(__file__).with_name("project")

BuildJar = Callable[[str], Path]


@pytest.fixture(scope="session")
def build_jar(tmp_path_factory: pytest.TempPathFactory) -> BuildJar:
    """Return a function from a version of JMH to the project's benchmarks.jar."""
    built: dict[str, Path] = {}

    def build(version: str) -> Path:
        if version not in built:
            folder = tmp_path_factory.mktemp(f"jmh-{version}") / "project"
            shutil.copytree(PROJECT, folder)
            command = ["mvn", "-q", "-B", f"-Djmh={version}", "package"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stdout + done.stderr
            built[version] = folder / "target" / "benchmarks.jar"
        return built[version]

    return build
