"""Programs of Google Benchmark, and some with the command line of Criterion.rs, built once."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def built(folder: Path, command: str, source: str = "") -> None:
    """Run a compiler in a folder; fail with what it says."""
    done = subprocess.run(
        command.split(), cwd=folder, capture_output=True, text=True, timeout=120, input=source
    )
    assert done.returncode == 0, done.stderr


def need(tool: str, header: str = "") -> None:
    """Skip where a compiler or a library of it is not installed, or fail where CI promises it."""
    there = shutil.which(tool) is not None
    if there and header:
        command = [tool, "-fsyntax-only", "-xc++", "-"]
        there = subprocess.run(command, input=header.encode(), capture_output=True).returncode == 0
    if not there:
        problem = f"{tool} is not installed, or lacks '{header}'"
        if os.environ.get("STEADY_REQUIRE_TOOLS"):
            pytest.fail(f"{problem}, and STEADY_REQUIRE_TOOLS is set")
        pytest.skip(problem)


@pytest.fixture(scope="session")
def google_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the programs ``base`` and ``head``; head does ten times the work."""
    need("g++", "#include <benchmark/benchmark.h>\n")
    folder = tmp_path_factory.mktemp("google")
    built(folder, f"g++ -O2 -c {HERE / 'google_benchmark' / 'hostile.cc'} -o hostile.o")
    for name, work in (("base", 1000), ("head", 10_000)):
        built(folder, f"gcc -xc - -c -o {name}.o", f"int work = {work};")
        built(folder, f"g++ hostile.o {name}.o -o {name} -lbenchmark -lpthread")
    return folder


@pytest.fixture(scope="session")
def criterion_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the programs ``base`` and ``head``; head does ten times the work."""
    need("cc")
    folder = tmp_path_factory.mktemp("criterion")
    for name, work in (("base", 1000), ("head", 10_000)):
        built(folder, f"cc -O1 -DWORK={work} {HERE / 'criterion' / 'stand_in.c'} -o {name}")
    return folder
