"""Each example is listed, and does what its row says, where its tools are."""

from __future__ import annotations

import json
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
    name: tuple(cell.strip() for cell in cells.split("|"))
    for name, cells in re.findall(r"(?m)^\| \[([\w-]+)\]\(\1\) \|(.*)\|$", INDEX)
}
BUILT = [name for name, cells in ROWS.items() if len(cells) == 4]


def code(cell: str) -> str:
    return cell.strip("`")


def test_the_index_lists_every_folder() -> None:
    assert sorted(ROWS) == sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


@looped("name", BUILT)
def test_the_workflow_of_a_row_builds_what_the_row_says(name: str) -> None:
    _, copy, build, jar = ROWS[name]
    [path] = re.findall(r"\((workflows/[\w-]+\.yml)\)", copy)
    [job] = yaml.safe_load((FOLDER / path).read_text(encoding="utf-8"))["jobs"].values()
    given = job.get("with", {})
    assert given.get("jar", "shop.test") == code(jar)
    task = [word for word in shlex.split(code(build))[1:] if not word.startswith("-")]
    assert all(word in given.get("build", "test") for word in task)


def built(name: str, folder: Path, build: str | None = None) -> None:
    """Build an example by its row, and run what is left; every benchmark has a result."""
    _, _, command, jar = ROWS[name]
    shutil.copytree(FOLDER / name, folder, ignore=shutil.ignore_patterns("target", "build"))
    quick = {**os.environ, "JAVA_TOOL_OPTIONS": "-Djmh.ignoreLock=true -XX:+UseSerialGC"}
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", build or code(command)],
        cwd=folder,
        env=quick,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    [left] = folder.glob(code(jar))
    steady_run = [sys.executable, "-m", "steady.cli", "run", "--jar", str(left)]
    short = ["--full", "1x2", "--iteration-seconds", "0.01", "--out", "results"]
    ran = subprocess.run(
        [*steady_run, *short], cwd=folder, env=quick, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    [identity] = steady.load(folder / "results")
    assert identity.name in {"shop.PriceBenchmark.format", "example.com/shop.BenchmarkFormat"}


@pytest.mark.needs("go")
def test_go(tmp_path: Path) -> None:
    built("go", tmp_path / "go")


@pytest.mark.thorough
@pytest.mark.needs("mvn")
def test_maven(tmp_path: Path) -> None:
    built("maven", tmp_path / "maven")


@pytest.mark.thorough
@pytest.mark.needs("mvn")
def test_kotlin_with_maven(tmp_path: Path) -> None:
    built("kotlin-maven", tmp_path / "kotlin")


PYTEST = """{"machine_info": {}, "benchmarks": [
    {"fullname": "t.py::test_a", "stats": {"data": [1e-6, 2e-6]}}]}"""
PYPERF = """{"metadata": {"name": "a"}, "version": "1.0", "benchmarks": [
    {"runs": [{"warmups": [[1, 1e-6]]}, {"values": [1e-6, 2e-6]}, {"values": [1e-6, 3e-6]}]}]}"""


@pytest.mark.parametrize(
    ("name", "text", "benchmark", "forks"),
    [
        ("run.json", PYTEST, "t.py::test_a", [[1000.0, 2000.0]] * 2),
        ("run.json", PYPERF, "a", [[1000.0, 2000.0], [1000.0, 3000.0]] * 2),
    ],
)
def test_results_of_other_harnesses_become_series(
    name: str, text: str, benchmark: str, forks: list[list[float]], tmp_path: Path
) -> None:
    runs = [tmp_path / run / name for run in ("one", "two")]
    for path in runs:
        path.parent.mkdir(parents=True)
        path.write_text(text)
    command = [sys.executable, str(FOLDER / "series/convert.py"), *map(str, runs)]
    printed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    (tmp_path / "series.json").write_text(printed)
    assert steady.load(tmp_path / "series.json")[benchmark].measurements.tolist() == [
        pytest.approx(fork) for fork in forks
    ]


def test_a_harness_of_ones_own(tmp_path: Path) -> None:
    command = [sys.executable, str(FOLDER / "series/measure.py")]
    for side in ("base", "head"):
        times = subprocess.run(command, capture_output=True, check=True).stdout
        (tmp_path / f"{side}.json").write_bytes(times)
    compare = [sys.executable, "-m", "steady.cli", "compare", "base.json", "head.json", "--json"]
    compare += ["--fail-on", "never"]
    ran = subprocess.run(compare, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    [change] = json.loads(ran.stdout)["changes"]
    assert change["identity"]["name"] == "work"


@looped("harness", ["pytest-benchmark", "pyperf"])
def test_recorded_in_turn(harness: str) -> None:
    results = FOLDER / harness / "results"
    base, head = (steady.load(results / f"{name}.json.gz") for name in ("base", "head"))
    assert len(steady.compare(base, head).changes) == 3
    assert all(any(one.in_turn) for one in base.values())


def test_pytest_benchmark_runs(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    shutil.copytree(FOLDER / "pytest-benchmark", folder)
    listed = [sys.executable, "-m", "steady.cli", "run", "--jar", str(folder), "--list", "--"]
    command = [sys.executable, "-m", "pytest", "benchmarks"]
    ran = subprocess.run([*listed, *command], capture_output=True, text=True)
    assert ran.stdout.splitlines() == [
        f"benchmarks/test_shop.py::{test}"
        for test in ("test_price", "test_total[10]", "test_total[10000]")
    ], ran.stderr


def test_tinybench() -> None:
    results = FOLDER / "tinybench" / "results"
    base, head = (steady.load(results / f"{name}.json.gz") for name in ("base", "head"))
    file = "bench/shop.bench.js"
    groups = ("price", "10 lines > total", "10000 lines > total")
    assert {one.name for one in (*base, *head)} == {f"{file} > {one}" for one in groups}
    assert all(any(one.in_turn) for one in base.values())
