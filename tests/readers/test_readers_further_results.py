"""Further results: what profilers, groups, counters and Go's lines say beside the main result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steady.errors import InputError
from steady.harness.jmh.read.json_results import read as read_jmh
from steady.model import Benchmark, Metric
from steady.readers import Document, load
from tests.compare.small_suites import make_benchmark
from tests.jmh_records import jmh_record
from tests.looped import looped

RECORDED = Path(__file__).parent / "recorded"

ROWS = [[1.0, 2.0], [3.0, 4.0]]


def jmh(secondary: dict[str, Any], rows: list[list[float]] = ROWS) -> Benchmark:
    record = jmh_record("p.C.m", rows, secondaryMetrics=secondary)
    (benchmark,) = read_jmh(Document(Path("f.json"), json.dumps([record]))).benchmarks
    return benchmark


def metric(rows: object, unit: str = "B/op") -> dict[str, Any]:
    return {"score": 0.0, "scoreUnit": unit, "rawData": rows}


def rows_of(benchmark: Benchmark, name: str) -> list[list[float | None]]:
    values = benchmark.metrics[name].values
    return [[None if np.isnan(value) else value for value in row] for row in values.tolist()]


@looped("version", ["1.19", "1.21", "1.29", "1.37"])
def test_every_version_s_profiler_and_groups_are_read_under_one_name(version: str) -> None:
    path = RECORDED / version / "profiler.json"
    (benchmark,) = load(path).benchmarks
    (record,) = json.loads(path.read_text(encoding="utf-8"))
    recorded = {
        name.lstrip("·"): (own["scoreUnit"], own["rawData"])
        for name, own in record["secondaryMetrics"].items()
    }
    assert recorded.keys() == {"gc.alloc.rate", "gc.alloc.rate.norm", "gc.count"}
    read = {name: (own.unit, own.values.tolist()) for name, own in benchmark.metrics.items()}
    assert read == recorded
    assert benchmark.metrics["gc.alloc.rate.norm"].direction == "lower"
    # The threads of a group are metrics, and percentiles are not.
    (group,) = load(RECORDED / version / "group.json").benchmarks
    assert group.metrics.keys() == {"reader", "writer"}
    assert {own.unit for own in group.metrics.values()} == {"us/op"}
    for benchmark in load(RECORDED / version / "modes.json").benchmarks:
        assert benchmark.metrics == {}
        sampled = benchmark.identity.mode == "sample"
        assert benchmark.left_out == (("percentiles",) if sampled else ())


def test_go_s_further_units_are_metrics() -> None:
    suite = load(RECORDED / "go" / "units.txt")
    units = next(b for b in suite.benchmarks if b.identity.name.endswith("BenchmarkUnits"))
    assert [(n, m.values.tolist()) for n, m in units.metrics.items()] == [
        ("MB/s", [[193.37, 312.34]]),
        ("things/op", [[42.0, 42.0]]),
        ("B/op", [[0.0, 0.0]]),
        ("allocs/op", [[0.0, 0.0]]),
    ]
    assert units.metrics["MB/s"].direction == "higher"
    own = next(b for b in suite.benchmarks if b.identity.name.endswith("OwnUnitOnly"))
    assert (own.unit, list(own.metrics)) == ("apples", ["things/s"])


def test_warm_up_of_go_has_no_metrics(tmp_path: Path) -> None:
    path = tmp_path / "go.txt"
    path.write_text(
        "# steady warm-up: BenchmarkA 100 9 ns/op 99 B/op\n"
        "BenchmarkA 100 5 ns/op 16 B/op\nBenchmarkA 100 5 ns/op\n",
        encoding="utf-8",
    )
    (benchmark,) = load(path).benchmarks
    assert benchmark.measurements.shape == (1, 3)
    assert rows_of(benchmark, "B/op") == [[16.0, None]]


def test_what_a_fork_does_not_have_is_missing() -> None:
    for rows, expected in (
        (ROWS, ROWS),
        ([[], [3.0, 4.0]], [[None, None], [3.0, 4.0]]),
        ([[1.0], [3.0, 4.0]], [[1.0, None], [3.0, 4.0]]),
        ([["NaN", "+INF"], [3.0, 4.0]], [[None, None], [3.0, 4.0]]),
    ):
        assert rows_of(jmh({"m": metric(rows)}), "m") == expected
    # Forks without a main result are left out of the metrics too.
    benchmark = jmh({"m": metric([[5.0], [], [7.0]])}, [[1.0], [], [3.0]])
    assert rows_of(benchmark, "m") == [[5.0], [7.0]]


def test_what_is_no_value_of_the_same_iterations_is_named() -> None:
    for unreadable in (
        metric([[1.0, 2.0, 3.0], [3.0, 4.0]]),
        metric([[1.0, 2.0]]),
        metric([["NaN"], ["NaN"]]),
        metric([[-1.0], [1.0]]),
        metric([["x"], [1.0]]),
        metric("stack"),
        metric(ROWS, unit=[]),  # type: ignore[arg-type]
        {"score": 1.0, "scoreUnit": "B/op"},
        "none",
    ):
        benchmark = jmh({"·m": unreadable, "n": metric([[1.0], [2.0]])})
        assert (list(benchmark.metrics), benchmark.left_out) == (["n"], ("m",))
    # Two names that differ only in the dot are one metric.
    benchmark = jmh({"·m": metric([[1.0], [2.0]]), "m": metric([[3.0], [4.0]])})
    assert rows_of(benchmark, "m") == [[1.0, None], [2.0, None]]
    assert benchmark.left_out == ("m",)


def test_files_of_one_run_are_joined_with_nothing_where_one_has_no_metric(tmp_path: Path) -> None:
    texts = {"1": "7 ns/op 16 B/op", "2": "8 ns/op 1 allocs/op 32 B/op", "3": "9 ns/op"}
    for name, text in texts.items():
        (tmp_path / name).write_text(f"benchtime: 100x\nBenchmarkA 100 {text}\n", encoding="utf-8")
    (benchmark,) = load([tmp_path / name for name in texts]).benchmarks
    assert rows_of(benchmark, "B/op") == [[16.0], [32.0], [None]]
    assert rows_of(benchmark, "allocs/op") == [[None], [1.0], [None]]


def test_a_metric_has_the_shape_of_what_was_measured() -> None:
    own = {"B/op": Metric("B/op", np.ones((2, 3)))}
    benchmark = make_benchmark("a", np.ones((2, 4)), warmup=1, metrics=own)
    assert benchmark.with_measurements(np.ones((2, 3))).metrics == own
    assert benchmark.with_measurements(np.ones((2, 4))).metrics == {}
    with pytest.raises(InputError, match="give them one shape"):
        make_benchmark("a", np.ones((2, 4)), metrics=own)
