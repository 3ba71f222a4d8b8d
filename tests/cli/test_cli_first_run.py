"""What a first run says where something is not there yet, typed as it was printed."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scripted_commands import commands_of, only_harness, stand_in_folder_of_jars, typed
from scripted_harness import NAMES, ScriptedHarness

import steady
from steady.model import ExecutionConfiguration, Identity
from steady.optimize import BenchmarkPlan, Plan, read_plan, write_plan
from steady.readers.series_writer import write_series
from steady.run import Header, Target
from steady.run.machine import Machine
from steady.run.run_file import RunFile, Stretch

RUN = ExecutionConfiguration(3, 2, 3, 1.0, 1.0)


@pytest.fixture(autouse=True)
def harness(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ScriptedHarness:
    """Let the commands know the scripted harness only, in a folder with two jars."""
    harness = only_harness(monkeypatch)
    stand_in_folder_of_jars(monkeypatch, tmp_path)
    return harness


def results(path: Path, seed: int, noise: float = 0.005, count: int = 2) -> None:
    path.parent.mkdir(exist_ok=True)
    random = np.random.default_rng(seed)
    values = {f"a.B.b{number:02}": random.lognormal(0, noise, (5, 40)) for number in range(count)}
    write_series(steady.Suite.of(values, unit="ns/op", iteration_seconds=1.0), path)


def test_no_plan(capsys: pytest.CaptureFixture[str]) -> None:
    command = "steady run --plan .steady --base base.jar --head head.jar --out results"
    assert typed(command) == 2
    full, make, without = commands_of(capsys.readouterr().err)
    assert full == "steady run --full 5x60 --jar head.jar --out full"
    assert typed(full) == 0
    results(Path("full/results.json"), 1)
    assert typed(make) == 0
    assert len(read_plan(".steady/plan.json")) == 2
    assert without == ("steady run --base base.jar --head head.jar --time-budget 10m --out results")


def test_no_benchmark_of_that_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("steady run --full 1x5 --jar head.jar --only Typo --out full") == 2
    (listing,) = commands_of(capsys.readouterr().err)
    assert typed(listing) == 0
    assert capsys.readouterr().out.split() == list(NAMES)


def test_nothing_is_left_to_run(capsys: pytest.CaptureFixture[str]) -> None:
    entry = BenchmarkPlan(Identity("org.Gone.a"), RUN, RUN, 16.5, 16.5, "reduced", "")
    write_plan(Plan((entry,), "uoptime", harness="scripted"), Path(".steady/plan.json"))
    pair = "--base base.jar --head head.jar"
    assert typed(f"steady run --plan .steady {pair} --new skip --out results") == 2
    (listing,) = commands_of(capsys.readouterr().err)
    assert typed(listing) == 0
    assert set(NAMES) <= set(capsys.readouterr().out.split())


def test_no_results(capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("steady optimize full --jar head.jar") == 2
    (full,) = commands_of(capsys.readouterr().err)
    assert typed(full) == 0
    assert Path("full/results.json").is_file()


def test_a_noisy_machine(capsys: pytest.CaptureFixture[str]) -> None:
    for seed, name in enumerate(("base", "head")):
        results(Path("results", f"{name}.json"), seed, noise=0.3)
    targets = tuple(Target(name, f"{name}.jar", "") for name in ("base", "head"))
    header = Header("scripted", 0, "", targets, "", {}, Machine("", "", 2, ""), 0.0)
    file = RunFile(1, "id", header, (Stretch(100.0, None, 400.0, None),))
    Path("results/run.json").write_text(file.text())
    compare = "steady compare --base results/base.json --head results/head.json"
    assert typed(compare) == 0
    longer, less = commands_of(capsys.readouterr().err)
    assert longer == (
        "steady run --base base.jar --head head.jar --time-budget 10m --out results-longer"
    )
    assert less.startswith(f"{compare} --min-change ")
    typed(less)
    unclear = re.findall(r"but (\d) of 2", capsys.readouterr().err)
    assert unclear != ["2"]


def test_a_suite_that_takes_longer_than_a_pull_request(capsys: pytest.CaptureFixture[str]) -> None:
    results(Path("full.json"), 1, count=12)
    assert typed("steady optimize full.json --time-budget 200") == 0
    assert read_plan(".steady/plan.json").rotation > 1
    printed = capsys.readouterr().out
    assert "pull requests look at every benchmark once" in " ".join(printed.split())
    longer, shard, again = (
        line.strip() for line in printed.splitlines() if line.startswith("  steady ")
    )
    Path(".github").mkdir()
    Path(".github/steady.yml").write_text('version: 1\nimportant: ["B.b03"]\n')
    assert typed(again) == 0
    assert read_plan(".steady/plan.json")["a.B.b03"].important
    assert typed(longer) == 0
    assert read_plan(".steady/plan.json").rotation == 1
    assert "--shard 1/" in shard


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
def test_no_benchmarks_were_built(capsys: pytest.CaptureFixture[str]) -> None:
    Path("go.mod").write_text("module example.org/a\n\ngo 1.21\n")
    Path("a_test.go").write_text(
        'package a\n\nimport "testing"\n\nfunc BenchmarkA(b *testing.B) { for b.Loop() {} }\n'
    )
    assert typed("steady run --full 1x5 --jar benchmarks --out full") == 2
    (build,) = re.findall(r"build them with `([^`]+)`", capsys.readouterr().err)
    subprocess.run(shlex.split(build), check=True)
    assert [path.name for path in Path("benchmarks").iterdir()] == ["a.test"]
