"""Each example is listed, and works as documented if its tools are installed."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

import steady
from tests.looped import looped

FOLDER = Path(__file__).resolve().parent.parent / "examples"
INDEX = (FOLDER / "README.md").read_text(encoding="utf-8")
ROWS: Mapping[str, tuple[str, ...]] = {
    name: tuple(cell.strip(" `") for cell in cells.split("|"))
    for name, cells in re.findall(r"(?m)^\| \[([\w-]+)\]\(\1\) \|(.*)\|$", INDEX)
}


def test_the_index_lists_every_folder() -> None:
    assert sorted(ROWS) == sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


@looped("name", [name for name, cells in ROWS.items() if len(cells) == 4])
def test_example_workflows_match_the_index(name: str) -> None:
    _, copy, build, jar = ROWS[name]
    [path] = re.findall(r"\((workflows/[\w-]+\.yml)\)", copy)
    [job] = yaml.safe_load((FOLDER / path).read_text(encoding="utf-8"))["jobs"].values()
    given = job.get("with", {})
    assert given.get("jar", "shop.test") == jar
    task = [word for word in shlex.split(build)[1:] if not word.startswith("-")]
    assert all(word in given.get("build", "test") for word in task)


def done(folder: Path, *command: str) -> str:
    """Run a command, and return its output."""
    quick = {**os.environ, "JAVA_TOOL_OPTIONS": "-Djmh.ignoreLock=true -XX:+UseSerialGC"}
    ran = subprocess.run(
        command, cwd=folder, env=quick, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


MAVEN = (pytest.mark.thorough, pytest.mark.needs("mvn"))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("go", marks=pytest.mark.needs("go")),
        pytest.param("maven", marks=MAVEN),
        pytest.param("kotlin-maven", marks=MAVEN),
    ],
)
def test_examples_build_and_every_benchmark_has_a_result(name: str, tmp_path: Path) -> None:
    _, _, build, jar = ROWS[name]
    folder = tmp_path / name
    shutil.copytree(FOLDER / name, folder, ignore=shutil.ignore_patterns("target", "build"))
    done(folder, "bash", "-euo", "pipefail", "-c", build)
    [left] = folder.glob(jar)
    short = ["--full", "1x2", "--iteration-seconds", "0.01", "--out", "results"]
    done(folder, sys.executable, "-m", "steady.cli", "run", "--jar", str(left), *short)
    [identity] = steady.load(folder / "results")
    assert identity.name in {"shop.PriceBenchmark.format", "example.com/shop.BenchmarkFormat"}


PYTEST = """{"machine_info": {}, "benchmarks": [
    {"fullname": "t.py::test_a", "stats": {"data": [1e-6, 2e-6]}}]}"""
PYPERF = """{"metadata": {"name": "a"}, "version": "1.0", "benchmarks": [
    {"runs": [{"warmups": [[1, 1e-6]]}, {"values": [1e-6, 2e-6]}, {"values": [1e-6, 3e-6]}]}]}"""


def test_results_of_other_harnesses_become_series(tmp_path: Path) -> None:
    for text, benchmark, forks in (
        (PYTEST, "t.py::test_a", [[1000.0, 2000.0]] * 2),
        (PYPERF, "a", [[1000.0, 2000.0], [1000.0, 3000.0]] * 2),
    ):
        for run in ("one.json", "two.json"):
            (tmp_path / run).write_text(text)
        convert = str(FOLDER / "series/convert.py")
        printed = done(tmp_path, sys.executable, convert, "one.json", "two.json")
        (tmp_path / "series.json").write_text(printed)
        found = steady.load(tmp_path / "series.json")[benchmark].measurements.tolist()
        assert found == [pytest.approx(fork) for fork in forks]


def test_the_example_of_a_custom_harness(tmp_path: Path) -> None:
    for side in ("base", "head"):
        times = done(tmp_path, sys.executable, str(FOLDER / "series/measure.py"))
        (tmp_path / f"{side}.json").write_text(times)
    base, head = (steady.load(tmp_path / f"{side}.json") for side in ("base", "head"))
    [change] = steady.compare(base, head).changes
    assert change.identity.name == "work"


@looped("harness", ["pytest-benchmark", "pyperf", "tinybench"])
def test_recorded_interleaved_results(harness: str) -> None:
    results = FOLDER / harness / "results"
    base, head = (steady.load(results / f"{name}.json.gz") for name in ("base", "head"))
    assert len(steady.compare(base, head).changes) == 3
    assert all(any(one.in_turn) for one in base.values())
    if harness == "tinybench":
        groups = ("price", "10 lines > total", "10000 lines > total")
        named = {f"bench/shop.bench.js > {group}" for group in groups}
        assert {one.name for one in (*base, *head)} == named


def test_the_pytest_benchmark_example_runs(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "pytest-benchmark", tmp_path / "shop")
    listed = [sys.executable, "-m", "steady.cli", "run", "--jar", "shop", "--list", "--"]
    printed = done(tmp_path, *listed, sys.executable, "-m", "pytest", "benchmarks")
    assert printed.splitlines() == [
        f"benchmarks/test_shop.py::{test}"
        for test in ("test_price", "test_total[10]", "test_total[10000]")
    ]
