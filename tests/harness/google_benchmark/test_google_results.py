"""Google Benchmark's JSON, as versions 1.5 to 1.9 write it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steady.errors import InputError
from steady.harness.google_benchmark.results import read
from steady.model import Suite
from steady.readers import Document
from tests.looped import looped


def entry(name: str = "BM_x", index: int = 0, **more: Any) -> dict[str, object]:
    usual = {"name": name, "run_name": name, "run_type": "iteration", "repetition_index": index}
    return {**usual, "real_time": 2.0, "cpu_time": 1.0, "time_unit": "ns", **more}


def suite(*entries: dict[str, Any]) -> Suite:
    text = json.dumps({"context": {"host_name": "h"}, "benchmarks": entries})
    return read(Document(Path("f.json"), text))


@looped(("unit", "factor"), [("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9)])
def test_all_units_become_nanoseconds(unit: str, factor: float) -> None:
    one = suite(entry(time_unit=unit))["BM_x"]
    assert (one.unit, one.metrics["cpu_time"].unit) == ("ns/op", "ns/op")
    assert one.measured.tolist() == [[2.0 * factor]]
    assert one.metrics["cpu_time"].values.tolist() == [[1.0 * factor]]


def test_a_unit_that_is_not_known_is_one_sentence() -> None:
    with pytest.raises(InputError, match="time_unit is 'h', and not ns, us, ms or s"):
        suite(entry(time_unit="h"))


@looped(
    ("counter", "unit", "direction"),
    [
        ("items_per_second", "items/s", "higher"),
        ("bytes_per_second", "B/s", "higher"),
        ("orders_per_second", "orders/s", "higher"),
        ("frames/s", "frames/s", "higher"),
        ("allocs_per_iter", "allocs/op", "lower"),
        ("max_bytes_used", "B", "lower"),
        ("nodes", "nodes", "lower"),
    ],
)
def test_counters_are_further_results(counter: str, unit: str, direction: str) -> None:
    values = [7.0, 8.0]
    rows = [{**entry(index=n), counter: value} for n, value in enumerate(values)]
    metric = suite(*rows)["BM_x"].metrics[counter]
    assert (metric.unit, metric.direction) == (unit, direction)
    assert metric.values.tolist() == [values]


def test_bare_nan_and_infinity() -> None:
    text = json.dumps({"context": {}, "benchmarks": [entry(odd=1.5, endless=2.5, huge=10**400)]})
    one = read(Document(Path("f"), text.replace("1.5", "NaN").replace("2.5", "Infinity")))["BM_x"]
    assert one.measured.tolist() == [[2.0]]
    assert {"odd", "endless", "huge"}.isdisjoint(one.metrics)
    with pytest.raises(InputError, match="number"):
        read(Document(Path("f"), text.replace('"real_time": 2.0', '"real_time": "x"')))


def test_only_aggregates_of_one_benchmark_is_its_failure() -> None:
    mean = entry("BM_a", run_type="aggregate", aggregate_name="mean")
    both = suite(entry(), mean)
    assert [one.name for one in both] == ["BM_x"]
    assert [one.identity.name for one in both.failures] == ["BM_a"]
    assert "holds only aggregates" in both.failures[0].reason
    with pytest.raises(InputError, match="only aggregates; leave out --benchmark_report_agg"):
        suite(mean)


def test_aggregates_of_a_family_are_no_failure() -> None:
    of_family = [entry("BM_f", run_type="aggregate", aggregate_name=n) for n in ("BigO", "RMS")]
    assert suite(entry("BM_f/1"), *of_family).failures == ()


@looped(
    "lost",
    [
        {"error_occurred": True, "error_message": "no device"},  # 1.5 to 1.9
        {"skipped": True, "skip_message": "no device"},  # since 1.8
    ],
)
def test_a_skipped_benchmark_says_why(lost: dict[str, Any]) -> None:
    (failure,) = suite({**entry("BM_s", real_time=0.0), **lost}, entry()).failures
    assert (failure.identity.name, failure.reason) == ("BM_s", "no device")


def test_runs_one_after_the_other_in_a_file_are_forks() -> None:
    rows = [entry(index=n, real_time=t) for n, t in ((0, 1.0), (1, 2.0), (0, 3.0), (1, 4.0))]
    assert suite(*rows)["BM_x"].measured.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_random_interleaving_keeps_each_benchmark_together() -> None:
    rows = [entry(name, n) for n in range(3) for name in ("BM_x", "BM_y")]
    shapes = {one.identity.name: one.measured.shape for one in suite(*rows).values()}
    assert shapes == {"BM_x": (1, 3), "BM_y": (1, 3)}


def test_a_file_of_1_4_has_no_run_name() -> None:
    old = entry()
    del old["run_name"], old["repetition_index"]
    assert np.array_equal(suite(old)["BM_x"].measured, [[2.0]])
