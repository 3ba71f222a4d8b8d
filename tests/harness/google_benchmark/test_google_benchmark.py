"""Google Benchmark: the JSON of versions 1.5 to 1.9, and real programs, including hostile ones."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steady.cli.main import main
from steady.errors import InputError
from steady.harness.google_benchmark.kind import holds, make_runs, takes
from steady.harness.google_benchmark.results import read
from steady.harness.runs import DEFAULTS, Turn
from steady.model import Identity, Suite
from steady.readers import Document
from tests.harness.program_trials import (
    expect_no_results,
    in_turn,
    listed,
    made,
    measured,
    refused,
    took_turns,
    written,
)


def entry(name: str = "BM_x", index: int = 0, **more: Any) -> dict[str, object]:
    usual = {"name": name, "run_name": name, "run_type": "iteration", "repetition_index": index}
    return {**usual, "real_time": 2.0, "cpu_time": 1.0, "time_unit": "ns", **more}


def suite(*entries: dict[str, Any]) -> Suite:
    text = json.dumps({"context": {"host_name": "h"}, "benchmarks": entries})
    return read(Document(Path("f.json"), text))


def test_all_units_become_nanoseconds() -> None:
    for unit, factor in (("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9)):
        one = suite(entry(time_unit=unit))["BM_x"]
        assert (one.unit, one.metrics["cpu_time"].unit) == ("ns/op", "ns/op")
        assert one.measured.tolist() == [[2.0 * factor]]
        assert one.metrics["cpu_time"].values.tolist() == [[1.0 * factor]]
    with pytest.raises(InputError, match="time_unit is 'h'; expected ns, us, ms or s"):
        suite(entry(time_unit="h"))


def test_counters_are_secondary_metrics() -> None:
    for counter, unit, direction in (
        ("items_per_second", "items/s", "higher"),
        ("bytes_per_second", "B/s", "higher"),
        ("orders_per_second", "orders/s", "higher"),
        ("frames/s", "frames/s", "higher"),
        ("allocs_per_iter", "allocs/op", "lower"),
        ("max_bytes_used", "B", "lower"),
        ("nodes", "nodes", "lower"),
    ):
        rows = [{**entry(index=n), counter: value} for n, value in enumerate([7.0, 8.0])]
        metric = suite(*rows)["BM_x"].metrics[counter]
        assert (metric.unit, metric.direction) == (unit, direction)
        assert metric.values.tolist() == [[7.0, 8.0]]


def test_bare_nan_and_infinity() -> None:
    text = json.dumps({"context": {}, "benchmarks": [entry(odd=1.5, endless=2.5, huge=10**400)]})
    one = read(Document(Path("f"), text.replace("1.5", "NaN").replace("2.5", "Infinity")))["BM_x"]
    assert one.measured.tolist() == [[2.0]]
    assert {"odd", "endless", "huge"}.isdisjoint(one.metrics)
    with pytest.raises(InputError, match="number"):
        read(Document(Path("f"), text.replace('"real_time": 2.0', '"real_time": "x"')))


def test_a_benchmark_with_only_aggregates_is_a_failure() -> None:
    mean = entry("BM_a", run_type="aggregate", aggregate_name="mean")
    both = suite(entry(), mean)
    assert [one.name for one in both] == ["BM_x"]
    assert [one.identity.name for one in both.failures] == ["BM_a"]
    assert "contains only aggregates" in both.failures[0].reason
    of_family = [entry("BM_f", run_type="aggregate", aggregate_name=n) for n in ("BigO", "RMS")]
    assert suite(entry("BM_f/1"), *of_family).failures == ()
    with pytest.raises(InputError, match="only aggregates; leave out --benchmark_report_agg"):
        suite(mean)


def test_a_skipped_benchmark_has_a_reason() -> None:
    error = {"error_occurred": True, "error_message": "no device"}  # 1.5 to 1.9
    (failure,) = suite({**entry("BM_s", real_time=0.0), **error}, entry()).failures
    assert (failure.identity.name, failure.reason) == ("BM_s", "no device")
    skip = {"skipped": True, "skip_message": "no device"}  # since 1.8
    left = suite({**entry("BM_s", real_time=0.0), **skip}, entry())
    assert [(one.identity.name, one.reason) for one in left.not_run] == [
        ("BM_s", "skipped: no device")
    ]
    assert left.failures == ()


def test_successive_runs_in_a_file_are_forks() -> None:
    rows = [entry(index=n, real_time=t) for n, t in ((0, 1.0), (1, 2.0), (0, 3.0), (1, 4.0))]
    assert suite(*rows)["BM_x"].measured.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    # Random interleaving keeps each benchmark together.
    rows = [entry(name, n) for n in range(3) for name in ("BM_x", "BM_y")]
    shapes = {one.identity.name: one.measured.shape for one in suite(*rows).values()}
    assert shapes == {"BM_x": (1, 3), "BM_y": (1, 3)}
    old = entry()  # a file of 1.4 has no run_name
    del old["run_name"], old["repetition_index"]
    assert suite(old)["BM_x"].measured.tolist() == [[2.0]]


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


def test_a_missing_result_has_a_reason(google_programs: Path, tmp_path: Path) -> None:
    reasons = {
        "BM_skips": "no such device",
        "BM_throws": "out of luck",
        "BM_aborts": "was ended by SIGABRT",
        "BM_aggregates/repeats:3": "contains only aggregates",
        "BM_none": r"wrote no result \(Failed to match any benchmarks",
        "BM_hangs": r"exceeded its limit of 1\.5 s",
    }
    expect_no_results(RUNS, google_programs / "base", tmp_path, reasons)


def test_the_command_runs_in_the_folder(google_programs: Path, tmp_path: Path) -> None:
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
def test_two_programs_are_interleaved(google_programs: Path, tmp_path: Path, name: str) -> None:
    """One in several threads is not interleaved: its pair runs one after the other."""
    sides = [google_programs / side for side in ("base", "head")]
    outcomes, obstacle, ratio = in_turn(RUNS, sides, name, tmp_path)
    assert took_turns(outcomes) == (not obstacle)
    assert not obstacle or name != "BM_plain"
    assert ratio > 2 or name != "BM_plain"  # ten times the work, whatever else the machine does


def test_a_crashed_program_ends_alone(google_programs: Path, tmp_path: Path) -> None:
    for side, name in (("base", "BM_plain"), ("head", "BM_aborts")):
        words = f'"$@" "--benchmark_filter={name}"'
        tool = f"#!/bin/sh\nexec {google_programs / 'base'} {words}\n"
        written(tmp_path / side, {"tool": tool})
    sides = [tmp_path / "base", tmp_path / "head"]
    (base, head), _, _ = in_turn(made(make_runs, "./tool"), sides, "BM_plain", tmp_path)
    assert isinstance(base, Turn)
    assert "SIGABRT" in str(head)


def test_identical_programs_are_not_measured(
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


def test_a_failed_listing_is_one_sentence(tmp_path: Path) -> None:
    written(tmp_path, {"text": "benchmark_list_tests"})
    for path in (tmp_path / "text", tmp_path, Path("/bin/sh")):
        assert not holds(path)
        assert "is not a Google Benchmark program; give the program" in refused(make_runs, path)
    for word, why in (("false", "exit code 1"), ("./absent", "No such file")):
        assert why in refused(make_runs, tmp_path, word)
    absent = refused(make_runs, tmp_path / "absent", "./x")
    assert "is not a folder in which a program runs" in absent
