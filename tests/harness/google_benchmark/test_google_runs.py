"""Real programs of Google Benchmark: listed, run alone and in turn, and hostile ones."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from steady.cli.main import main
from steady.errors import InputError
from steady.harness.google_benchmark.kind import GoogleBenchmark, holds, make_runs, takes
from steady.harness.runs import DEFAULTS, Turn
from steady.harness.trial import Trial, TrialError, Version
from steady.model import ExecutionConfiguration, Identity, Suite
from steady.optimize import write_plan
from steady.optimize.suite_plan import BenchmarkPlan, Plan
from steady.programs.program_runs import Place
from steady.readers import load

SHORT = ExecutionConfiguration(1, 1, 3, 0.01, 0.01)
ODD_NAME = "BM_a.b+c(d)[e]{f}|g^h$i*?\\w space"
NAMES = (
    *("BM_plain", "BM_typed<int>/64/real_time", "BM_typed<double>/size:1"),
    *("BM_typed<double>/size:8", "BM_threads/threads:4", "BM_manual/manual_time"),
    *("BM_fixed/iterations:100", "BM_repeats/repeats:3", "BM_aggregates/repeats:3"),
    *("BM_counters", "BM_odd", ODD_NAME, "BM_skips", "BM_throws", "BM_aborts", "BM_hangs"),
    *("BM_bigo/1", "BM_bigo/2"),
)


def measured(
    target: Path, folder: Path, name: str, *, command: tuple[str, ...] = (), timeout: float = 30.0
) -> Suite:
    """Run one benchmark once, and read what it left."""
    runs = make_runs(replace(DEFAULTS, command=command))
    result = folder / "result.json"
    folder.joinpath("scratch").mkdir()
    trial = Trial(0, 0, "base", Identity(name), SHORT, 1.0, timeout)
    with runs.open([Version("base", target)], folder / "scratch") as session:
        session.measure(trial, result)
    return load(result)


def test_all_are_listed(google_programs: Path) -> None:
    listed = GoogleBenchmark().listed(Place(google_programs / "base"))
    assert [one.name for one in listed] == [*NAMES]


@pytest.mark.parametrize("name", [*NAMES[:7], *NAMES[9:12], "BM_bigo/2"])
def test_each_runs_alone_by_its_exact_name(
    google_programs: Path, tmp_path: Path, name: str
) -> None:
    suite = measured(google_programs / "base", tmp_path, name)
    assert [one.identity.name for one in suite.values()] == [name]
    assert suite[Identity(name)].measured.shape == (1, 4)
    assert not suite.failures


def test_repetitions_set_in_code_win(google_programs: Path, tmp_path: Path) -> None:
    one = measured(google_programs / "base", tmp_path, NAMES[7])[NAMES[7]]
    assert one.measured.shape == (1, 3)
    assert 50 < np.median(one.measured) < 50_000  # it prints milliseconds


def test_manual_time_and_counters(google_programs: Path, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    manual = measured(google_programs / "base", tmp_path, NAMES[5])[NAMES[5]]
    assert np.allclose(manual.measured, 1e6)
    own = measured(google_programs / "base", tmp_path / "more", "BM_counters")["BM_counters"]
    assert own.metrics["nodes"].values.tolist() == [[7.0] * 4]
    per_second = 1e9 / own.metrics["cpu_time"].values
    assert np.allclose(own.metrics["items_per_second"].values, per_second * 10, rtol=0.2)
    assert np.allclose(own.metrics["bytes_per_second"].values, per_second * 100, rtol=0.2)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("BM_skips", "no such device"),
        ("BM_throws", "out of luck"),
        ("BM_aborts", "was ended by SIGABRT"),
        ("BM_aggregates/repeats:3", "holds only aggregates"),
        ("BM_none", r"left no result \(Failed to match any benchmarks"),
    ],
)
def test_what_leaves_no_result_says_why(
    google_programs: Path, tmp_path: Path, name: str, why: str
) -> None:
    with pytest.raises(TrialError, match=why):
        measured(google_programs / "base", tmp_path, name)
    assert not (tmp_path / "result.json").exists()


def test_one_that_hangs_is_stopped(google_programs: Path, tmp_path: Path) -> None:
    with pytest.raises(TrialError, match=r"exceeded its limit of 0\.5 s"):
        measured(google_programs / "base", tmp_path, "BM_hangs", timeout=0.5)


def test_words_behind_two_dashes_run_in_the_folder(google_programs: Path, tmp_path: Path) -> None:
    command = ("./base", "--benchmark_min_warmup_time=0")
    assert takes(command, Path())
    assert not takes(("./base", "input"), Path())
    assert Identity("BM_plain") in measured(google_programs, tmp_path, "BM_plain", command=command)
    few = Place(google_programs, ("./base", "--benchmark_filter=manual"))
    assert [one.name for one in GoogleBenchmark().listed(few)] == ["BM_manual/manual_time"]


@pytest.mark.parametrize(
    "name", ["BM_plain", pytest.param("BM_threads/threads:4", marks=pytest.mark.thorough)]
)
def test_two_are_alive_together(google_programs: Path, tmp_path: Path, name: str) -> None:
    """One in several threads has no turns by the clock: its pair runs one after the other."""
    runs = make_runs(DEFAULTS)
    versions = [Version(side, google_programs / side) for side in ("base", "head")]
    slices = replace(SHORT, iteration_seconds=0.1)  # several turns in each
    trials = [Trial(0, 0, v.name, Identity(name), slices, 1.0, 30.0) for v in versions]
    results = [tmp_path / f"{version.name}.json" for version in versions]
    with runs.open(versions, tmp_path) as session:
        outcomes = session.measure_in_turn(trials, results)
        obstacle = session.obstacle(trials)
    for outcome in outcomes:
        assert isinstance(outcome, Turn)
        assert outcome.in_turn == (not obstacle)
    assert not obstacle or name != "BM_plain"
    assert all(Identity(name) in load(result) for result in results)


def test_one_that_dies_ends_alone(google_programs: Path, tmp_path: Path) -> None:
    for side, name in (("base", "BM_plain"), ("head", "BM_aborts")):
        tool = tmp_path / side / "tool"
        tool.parent.mkdir()
        words = f'"$@" "--benchmark_filter={name}"'
        tool.write_text(f"#!/bin/sh\nexec {google_programs / 'base'} {words}\n")
        tool.chmod(0o755)
    runs = make_runs(replace(DEFAULTS, command=("./tool",)))
    versions = [Version(side, tmp_path / side) for side in ("base", "head")]
    trials = [Trial(0, 0, v.name, Identity("BM_plain"), SHORT, 1.0, 30.0) for v in versions]
    with runs.open(versions, tmp_path) as session:
        base, head = session.measure_in_turn(trials, [tmp_path / "b.json", tmp_path / "h.json"])
    assert isinstance(base, Turn)
    assert isinstance(head, TrialError)
    assert "SIGABRT" in str(head)


def _plan(folder: Path) -> Path:
    how = ExecutionConfiguration(5, 1, 5, 0.02, 0.02)
    entry = BenchmarkPlan(Identity("BM_plain"), how, how, 1.0, 2.0, "reduced", "")
    plan = Plan((entry,), "uoptime", harness="google-benchmark")
    return write_plan(plan, folder / "plan.json")


def test_a_planted_change_is_found(
    google_programs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sides = ["--base", str(google_programs / "base"), "--head", str(google_programs / "head")]
    words = ["run", *sides, "--plan", str(_plan(tmp_path)), "--all-rounds", "--only", "^BM_plain$"]
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    assert main(["compare", str(tmp_path / "out"), "--output", "json"]) == 1
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert change["outcome"] == "regression"
    low, high = change["interval"]
    assert low > 0
    assert high > 3  # ten times the work; what else the machine does makes the interval wide


def test_nothing_is_measured_of_the_same_program(
    google_programs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(google_programs / "base", tmp_path / "base")
    sides = ["--base", str(google_programs / "base"), "--head", str(tmp_path / "base")]
    assert main(["changed", *sides]) == 0
    assert f"{len(NAMES)} of {len(NAMES)} benchmarks run the same" in capsys.readouterr().out
    out = str(tmp_path / "out")
    assert main(["run", *sides, "--time-budget", "10m", "--out", out]) == 0
    capsys.readouterr()
    assert main(["compare", out]) == 0
    assert "Nothing can have changed" in capsys.readouterr().out


@pytest.mark.parametrize("what", ["text", "folder", "other"])
def test_what_is_no_such_program_is_one_sentence(tmp_path: Path, what: str) -> None:
    path = tmp_path / "it"
    if what == "folder":
        path.mkdir()
    elif what == "text":
        path.write_text("benchmark_list_tests")
        path.chmod(0o755)
    else:
        path = Path("/bin/sh")
    assert not holds(path)
    with pytest.raises(InputError, match="is not a program of Google Benchmark; name the program"):
        GoogleBenchmark().check(Place(path))


def test_a_command_that_cannot_list_is_one_sentence(tmp_path: Path) -> None:
    for word, why in (("false", "exit code 1"), ("./absent", "No such file")):
        with pytest.raises(InputError, match=why):
            GoogleBenchmark().listed(Place(tmp_path, (word,)))
    with pytest.raises(InputError, match="is not a folder in which a program runs"):
        GoogleBenchmark().check(Place(tmp_path / "absent", ("./x",)))
