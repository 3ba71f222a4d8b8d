"""Real files of JMH 1.19 to 1.37; expected values are extracted by independent code."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steady.errors import InputError
from steady.harness.jmh.read.json_results import read as read_jmh
from steady.model import Benchmark, Environment, ExecutionConfiguration, Identity, Metric
from steady.readers import Document, load
from tests.compare.small_suites import make_benchmark
from tests.jmh_records import jmh_record
from tests.looped import looped

RECORDED = Path(__file__).parent / "recorded"
VERSIONS = ("1.19", "1.21", "1.29", "1.37")
PAIRS = sorted(
    path.with_suffix("")
    for path in RECORDED.glob("[0-9]*/*.json")
    if path.stem not in ("aborted", "no-raw-data", "rounded", "ascii")
)
WORK = "recorded.Recorded.work"
EVERYWHERE = looped("version", VERSIONS)
BY_PAIR = looped("stem", PAIRS)


def suffixed(stem: Path, *suffixes: str) -> list[Path]:
    """Return the files of one recording."""
    return [stem.with_suffix(suffix) for suffix in suffixes]


def literal_rows(record: dict[str, Any]) -> list[list[float]]:
    """Return the measurements of each fork of a record, by literal code."""
    metric = record["primaryMetric"]
    if "rawData" in metric:
        rows: list[list[float]] = metric["rawData"]
        return rows
    return [
        [
            sum(value * count for value, count in iteration) / sum(count for _, count in iteration)
            for iteration in fork
        ]
        for fork in metric["rawDataHistogram"]
    ]


def literal_scores(log: str) -> list[float]:
    """Return every score of each fork in a log, in order, including warm-up."""
    found = re.findall(r"^(?:# Warmup )?Iteration +\d+: ([\d.,]+) ", log, flags=re.MULTILINE)
    return [float(number.replace(",", ".")) for number in found]


@BY_PAIR
def test_json_and_log_contain_the_recorded_values(stem: Path) -> None:
    alone, log = (load(stem.with_suffix(suffix)) for suffix in (".json", ".log"))
    both = load(suffixed(stem, ".json", ".log"))
    assert (alone.harness, alone.harness_version) == ("jmh", stem.parent.name)
    assert alone.sources == (str(stem.with_suffix(".json")),)
    # Old JMH breaks lines inside texts.
    records = json.loads(stem.with_suffix(".json").read_text(), strict=False)
    runs = zip(alone.values(), both.values(), log.values(), records, strict=True)
    for own, exact, printed, record in runs:
        rows = literal_rows(record)
        assert own.measurements.shape == (len(rows), len(rows[0]))
        np.testing.assert_allclose(own.measurements, rows, rtol=1e-15)
        np.testing.assert_array_equal(exact.measured, own.measurements)
        # The log has nine decimals, so it may differ from the JSON by half of the last one.
        ours, theirs = exact.measurements, printed.measurements
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=5.1e-10)
        params = tuple(record.get("params", {}).items())
        named = Identity(record["benchmark"], record["mode"], params, record["threads"])
        assert own.identity == exact.identity == replace(printed.identity, params=params) == named
        assert own.unit == printed.unit == record["primaryMetric"]["scoreUnit"]
        assert own.environment == exact.environment == printed.environment
        known, logged = own.configuration, printed.configuration
        assert known is not None
        assert logged is not None
        assert (own.warmup, exact.configuration) == (0, known)
        assert stem.name == "bulk" or exact.warmup == known.warmup_iterations
        if logged.warmup_iterations == 0:  # if the log does not contain the time of an iteration
            known = replace(known, warmup_seconds=known.iteration_seconds)
        assert logged == known


@EVERYWHERE
def test_the_log_contains_every_score_in_order(version: str) -> None:
    for name in ("plain", "params", "modes", "threads", "cold", "batch", "profiler"):
        path = RECORDED / version / f"{name}.log"
        scores = [value for benchmark in load(path).values() for value in benchmark.forks.ravel()]
        assert scores == literal_scores(path.read_text())


@EVERYWHERE
def test_configuration_modes_batches_threads_and_groups(version: str) -> None:
    benchmark = load(RECORDED / version / "plain.json")[WORK]
    assert benchmark.configuration == ExecutionConfiguration(2, 2, 3, 0.01, 0.02)
    assert (benchmark.identity, benchmark.direction) == (Identity(WORK), "lower")
    assert [level.name for level in benchmark.levels] == ["fork", "iteration"]
    # JMH 1.19 does not name the VM.
    name = "" if version == "1.19" else "OpenJDK 64-Bit Server VM "
    vm = f"{name}17.0.15+6-Debian-1deb12u1"
    assert benchmark.environment == Environment(jdk="17.0.15", vm=vm, jvm_args=("-Xint",))
    folder = RECORDED / version
    suite = load(folder / "modes.json")
    assert [identity.mode for identity in suite] == ["thrpt", "avgt", "sample", "ss"]
    throughput, average, _, single = suite.values()
    assert (throughput.unit, throughput.direction) == ("ops/us", "higher")
    assert (average.unit, average.direction) == ("us/op", "lower")
    assert single.configuration is not None
    assert (single.configuration.warmup_seconds, single.configuration.iteration_seconds) == (0, 0)
    found = load(folder / "batch.json")[WORK].configuration
    assert found == ExecutionConfiguration(1, 2, 3, 0, 0, warmup_batch_size=2, batch_size=3)
    assert [i.threads for i in load(folder / "threads.json")] == [2]
    group = load(suffixed(folder / "group", ".json", ".log"))
    assert [(i.name, i.threads) for i in group] == [("recorded.Recorded.pair", 3)]
    # Warm-up forks are ignored.
    stem = folder / "warmup-forks"
    scores = literal_scores(stem.with_suffix(".log").read_text())
    benchmark = load(suffixed(stem, ".json", ".log"))[WORK]
    assert len(scores) == 15
    np.testing.assert_allclose(benchmark.measurements.ravel(), scores[5:], atol=5.1e-10)


@EVERYWHERE
def test_failing_benchmarks_never_vanish(version: str) -> None:
    """One JVM died (missing in the JSON), one threw (incomplete in the JSON), and one worked."""
    stem = RECORDED / version / "failing"
    halting, throwing = (f"recorded.Recorded.{name}" for name in ("halting", "throwing"))
    alone = load(stem.with_suffix(".json"))
    assert {failure.identity.name for failure in alone.failures} == {throwing}
    assert alone.failures[0].reason.startswith("fork 1 gave 1 of 3 iterations")
    for suite in (load(suffixed(stem, ".json", ".log")), load(stem.with_suffix(".log"))):
        assert {failure.identity.name: failure.reason for failure in suite.failures} == {
            halting: "forked VM failed with exit code 3",
            throwing: "the benchmark threw: java.lang.IllegalStateException: planted: call 4",
        }
        assert [identity.name for identity in suite] == [throwing, WORK]
        assert suite[throwing].measured.shape == (1, 1)


@EVERYWHERE
def test_unusable_results_are_rejected(version: str) -> None:
    folder = RECORDED / version
    with pytest.raises(InputError, match=r"aborted\.json: is empty; many harnesses write their"):
        load(folder / "aborted.json")
    with pytest.raises(InputError, match=r"aborted\.json: is empty; JMH writes its JSON only when"):
        load(folder / "aborted.json", format="jmh")
    suite = load(folder / "aborted.log")
    assert [failure.identity.name for failure in suite.failures] == ["recorded.Recorded.throwing"]
    (failure,) = load(folder / "rounded.log").failures
    assert re.fullmatch(r"line \d+ \(.*tiny'\): .* -Djmh.scorePrecision=9, .*", failure.reason)
    with pytest.raises(InputError, match=r"\[0\]\.primaryMetric: .* without -Djmh.json.rawData=f"):
        load(folder / "no-raw-data.json")


@EVERYWHERE
def test_parameters_full_of_separators(version: str) -> None:
    stem = RECORDED / version / "params"
    values = [dict(identity.params) for identity in load(stem.with_suffix(".log"))]
    assert values == [
        {"size": size, "text": text}
        for size in ("100000", "200000")
        for text in ("plain", "a = b, <c> | d")
    ]
    both = load(suffixed(stem, ".json", ".log"))
    assert all(benchmark.warmup == 2 for benchmark in both.values())
    if version in ("1.29", "1.37"):  # older versions corrupt the value in their JSON
        assert [dict(identity.params) for identity in both] == values


def test_bulk_warmup_of_other_benchmarks_is_ignored() -> None:
    """With BULK_INDI, only the last of three warm-ups in a fork is the benchmark's own."""
    stem = RECORDED / "1.37" / "bulk-own"
    scores = np.array(literal_scores(stem.with_suffix(".log").read_text())).reshape(2, 9)
    suite = load(suffixed(stem, ".json", ".log"))
    for benchmark, printed in zip(suite.values(), scores, strict=True):
        np.testing.assert_allclose(benchmark.measurements[0], printed[4:], atol=5.1e-10)
    bulk = load(suffixed(RECORDED / "1.37" / "bulk", ".json", ".log"))
    assert [benchmark.warmup for benchmark in bulk.values()] == [0, 0]


def test_prints_between_the_scores_and_runs_without_forks() -> None:
    path = RECORDED / "1.37" / "noisy.log"
    expected = re.findall(r"^([\d.]+) us/op$", path.read_text(), flags=re.MULTILINE)
    benchmark = load(path)["recorded.Recorded.noisy"]
    assert benchmark.measurements.tolist() == [[float(number) for number in expected]]
    assert benchmark.warmup == 2
    unforked = load(suffixed(RECORDED / "1.37" / "unforked", ".json", ".log"))[WORK]
    assert unforked.measurements.shape == (1, 5)
    assert unforked.configuration is not None
    assert unforked.configuration.forks == 1


def test_lost_characters_and_mixed_versions_are_rejected() -> None:
    # The group's error is printed as '?(99.9%)', and the tiny benchmark as '? 10??'.
    ascii_log = load(RECORDED / "1.37" / "ascii.log")
    (failure,) = ascii_log.failures
    assert failure.reason.startswith(
        "line 62 ('recorded.Recorded.tiny'): JMH printed only the order"
    )
    assert [identity.name for identity in ascii_log] == ["recorded.Recorded.pair"]
    with pytest.raises(InputError, match=r"plain\.json and .*plain\.json: disagree about"):
        load([RECORDED / "1.19" / "plain.json", RECORDED / "1.37" / "plain.json"])


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
    # The threads of a group are metrics, but percentiles are not.
    (group,) = load(RECORDED / version / "group.json").benchmarks
    assert group.metrics.keys() == {"reader", "writer"}
    assert {own.unit for own in group.metrics.values()} == {"us/op"}
    for benchmark in load(RECORDED / version / "modes.json").benchmarks:
        assert benchmark.metrics == {}
        sampled = benchmark.identity.mode == "sample"
        assert benchmark.left_out == (("percentiles",) if sampled else ())


def test_other_units_of_go_are_metrics() -> None:
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


def test_values_that_a_fork_lacks_are_missing() -> None:
    for rows, expected in (
        (ROWS, ROWS),
        ([[], [3.0, 4.0]], [[None, None], [3.0, 4.0]]),
        ([[1.0], [3.0, 4.0]], [[1.0, None], [3.0, 4.0]]),
        ([["NaN", "+INF"], [3.0, 4.0]], [[None, None], [3.0, 4.0]]),
    ):
        assert rows_of(jmh({"m": metric(rows)}), "m") == expected
    # Forks without a primary result are omitted from the metrics too.
    benchmark = jmh({"m": metric([[5.0], [], [7.0]])}, [[1.0], [], [3.0]])
    assert rows_of(benchmark, "m") == [[5.0], [7.0]]


def test_values_of_other_iterations_are_listed() -> None:
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


def test_joined_files_have_nan_for_a_missing_metric(tmp_path: Path) -> None:
    texts = {"1": "7 ns/op 16 B/op", "2": "8 ns/op 1 allocs/op 32 B/op", "3": "9 ns/op"}
    for name, text in texts.items():
        (tmp_path / name).write_text(f"benchtime: 100x\nBenchmarkA 100 {text}\n", encoding="utf-8")
    (benchmark,) = load([tmp_path / name for name in texts]).benchmarks
    assert rows_of(benchmark, "B/op") == [[16.0], [32.0], [None]]
    assert rows_of(benchmark, "allocs/op") == [[None], [1.0], [None]]


def test_a_metric_has_the_shape_of_the_measurements() -> None:
    own = {"B/op": Metric("B/op", np.ones((2, 3)))}
    benchmark = make_benchmark("a", np.ones((2, 4)), warmup=1, metrics=own)
    assert benchmark.with_measurements(np.ones((2, 3))).metrics == own
    assert benchmark.with_measurements(np.ones((2, 4))).metrics == {}
    with pytest.raises(InputError, match="but the measurements without warm-up"):
        make_benchmark("a", np.ones((2, 4)), metrics=own)
