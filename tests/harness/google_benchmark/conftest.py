"""Real programs of Google Benchmark, built once."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("hostile.cc")
PROBE = "#include <benchmark/benchmark.h>\n"


def built(folder: Path, command: str, source: str = "") -> None:
    """Run a compiler in a folder; fail with what it says."""
    done = subprocess.run(
        command.split(), cwd=folder, capture_output=True, text=True, timeout=120, input=source
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def google_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the programs ``base`` and ``head``, of which head is 40 % slower."""
    problem = "g++ is not installed"
    if shutil.which("g++"):
        command = ["g++", "-fsyntax-only", "-xc++", "-"]
        there = subprocess.run(command, input=PROBE, capture_output=True, text=True, check=False)
        problem = "" if there.returncode == 0 else "libbenchmark-dev is not installed"
    if problem:
        if os.environ.get("STEADY_REQUIRE_TOOLS"):
            pytest.fail(f"{problem}, and STEADY_REQUIRE_TOOLS is set")
        pytest.skip(problem)
    folder = tmp_path_factory.mktemp("google")
    built(folder, f"g++ -O2 -c {SOURCE} -o hostile.o")
    for name, work in (("base", 1000), ("head", 10_000)):
        built(folder, f"gcc -xc - -c -o {name}.o", f"int work = {work};")
        built(folder, f"g++ hostile.o {name}.o -o {name} -lbenchmark -lpthread")
    return folder
