"""Real programs of Google Benchmark: listed, run alone and in turn, and hostile ones."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from steady.cli.main import main
from steady.errors import InputError
from steady.harness.google_benchmark.kind import GoogleBenchmark, holds, make_runs, takes
from steady.harness.runs import DEFAULTS, Turn
from steady.harness.trial import TrialError
from steady.model import Identity
from steady.programs.program_runs import Place
from tests.harness.program_trials import in_turn, listed, made, measured, took_turns, written
from tests.looped import looped

ODD_NAME = "BM_a.b+c(d)[e]{f}|g^h$i*?\\w space"
NAMES = (
    *("BM_plain", "BM_typed<int>/64/real_time", "BM_typed<double>/size:1"),
    *("BM_typed<double>/size:8", "BM_threads/threads:4", "BM_manual/manual_time"),
    *("BM_fixed/iterations:100", "BM_repeats/repeats:3", "BM_aggregates/repeats:3"),
    *("BM_counters", "BM_odd", ODD_NAME, "BM_skips", "BM_throws", "BM_aborts", "BM_hangs"),
    *("BM_bigo/1", "BM_bigo/2"),
)


RUNS = make_runs(DEFAULTS)


def test_each_is_listed_and_runs_alone_by_its_exact_name(
    google_programs: Path, tmp_path: Path
) -> None:
    assert listed(make_runs, google_programs / "base") == [*NAMES]
    for name in (*NAMES[:7], *NAMES[9:12], "BM_bigo/2"):
        suite = measured(RUNS, google_programs / "base", name, tmp_path)
        assert [one.identity.name for one in suite.values()] == [name]
        assert suite[Identity(name)].measured.shape == (1, 5)
        assert not suite.failures


def test_repetitions_times_and_counters_of_the_code(google_programs: Path, tmp_path: Path) -> None:
    program = google_programs / "base"
    own = measured(RUNS, program, NAMES[7], tmp_path)[NAMES[7]]
    assert own.measured.shape == (1, 3)  # repetitions that are set in the code win
    assert 50 < np.median(own.measured) < 50_000  # it prints milliseconds
    assert np.allclose(measured(RUNS, program, NAMES[5], tmp_path)[NAMES[5]].measured, 1e6)
    own = measured(RUNS, program, "BM_counters", tmp_path)["BM_counters"]
    assert own.metrics["nodes"].values.tolist() == [[7.0] * 5]
    per_second = 1e9 / own.metrics["cpu_time"].values
    assert np.allclose(own.metrics["items_per_second"].values, per_second * 10, rtol=0.2)
    assert np.allclose(own.metrics["bytes_per_second"].values, per_second * 100, rtol=0.2)


@looped(
    ("name", "why"),
    [
        ("BM_skips", "no such device"),
        ("BM_throws", "out of luck"),
        ("BM_aborts", "was ended by SIGABRT"),
        ("BM_aggregates/repeats:3", "holds only aggregates"),
        ("BM_none", r"left no result \(Failed to match any benchmarks"),
        ("BM_hangs", r"exceeded its limit of 0\.5 s"),
    ],
)
def test_what_leaves_no_result_says_why(
    google_programs: Path, tmp_path: Path, name: str, why: str
) -> None:
    limit = 0.5 if name == "BM_hangs" else 30.0
    with pytest.raises(TrialError, match=why):
        measured(RUNS, google_programs / "base", name, tmp_path, timeout=limit)


def test_words_behind_two_dashes_run_in_the_folder(google_programs: Path, tmp_path: Path) -> None:
    command = ("./base", "--benchmark_min_warmup_time=0")
    assert takes(command, Path())
    assert not takes(("./base", "input"), Path())
    assert takes(("./base", "input"), google_programs), "a program of it needs no option"
    runs = made(make_runs, *command)
    assert Identity("BM_plain") in measured(runs, google_programs, "BM_plain", tmp_path)
    few = ("./base", "--benchmark_filter=manual")
    assert listed(make_runs, google_programs, *few) == ["BM_manual/manual_time"]


@pytest.mark.parametrize(
    "name", ["BM_plain", pytest.param("BM_threads/threads:4", marks=pytest.mark.thorough)]
)
def test_two_are_alive_together(google_programs: Path, tmp_path: Path, name: str) -> None:
    """One in several threads has no turns by the clock: its pair runs one after the other."""
    sides = [google_programs / side for side in ("base", "head")]
    outcomes, obstacle, ratio = in_turn(RUNS, sides, name, tmp_path)
    assert took_turns(outcomes) == (not obstacle)
    assert not obstacle or name != "BM_plain"
    assert ratio > 2 or name != "BM_plain"  # ten times the work, whatever else the machine does


def test_one_that_dies_ends_alone(google_programs: Path, tmp_path: Path) -> None:
    for side, name in (("base", "BM_plain"), ("head", "BM_aborts")):
        words = f'"$@" "--benchmark_filter={name}"'
        tool = f"#!/bin/sh\nexec {google_programs / 'base'} {words}\n"
        written(tmp_path / side, {"tool": tool})
    sides = [tmp_path / "base", tmp_path / "head"]
    (base, head), _, _ = in_turn(made(make_runs, "./tool"), sides, "BM_plain", tmp_path)
    assert isinstance(base, Turn)
    assert "SIGABRT" in str(head)


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
    assert "Nothing changed" in capsys.readouterr().out


def test_what_is_no_such_program_is_one_sentence(tmp_path: Path) -> None:
    written(tmp_path, {"text": "benchmark_list_tests"})
    for path in (tmp_path / "text", tmp_path, Path("/bin/sh")):
        assert not holds(path)
        with pytest.raises(InputError, match="is not a program of Google Benchmark; name the prog"):
            GoogleBenchmark().check(Place(path))


def test_a_command_that_cannot_list_is_one_sentence(tmp_path: Path) -> None:
    for word, why in (("false", "exit code 1"), ("./absent", "No such file")):
        with pytest.raises(InputError, match=why):
            GoogleBenchmark().listed(Place(tmp_path, (word,)))
    with pytest.raises(InputError, match="is not a folder in which a program runs"):
        GoogleBenchmark().check(Place(tmp_path / "absent", ("./x",)))
