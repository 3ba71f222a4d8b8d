import json
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jmh_forks import fork, record
from scipy.stats import t

from steady.engine import ForkResult, RunFacts
from steady.errors import InputError
from steady.harness.jmh.run.merged_records import merge_forks
from steady.harness.jmh.run.scores import RANKS, Statistics, merged_record
from steady.model import ExecutionConfiguration, Identity, Spent
from steady.readers import load
from tests.looped import looped

GET, PUT = Identity("org.Bench.get"), Identity("org.Bench.put", "thrpt")


def merged(
    tmp_path: Path, results: Sequence[ForkResult], planned: Mapping[Identity, int] = {}, **more: Any
) -> list[Any]:
    data = merge_forks(results, RunFacts(planned, **more))
    (tmp_path / "merged.json").write_bytes(data)
    records: list[Any] = json.loads(data)
    return records


def test_forks_become_rows_in_the_order_in_which_they_ran(tmp_path: Path) -> None:
    results = [
        fork(tmp_path, 0, GET, [1.0, 2.0]),
        fork(tmp_path, 1, PUT, [5.0, 6.0]),
        fork(tmp_path, 3, GET, [3.0, 4.0]),
    ]
    put, get = merged(tmp_path, results, {GET: 2, PUT: 2})
    assert (put["mode"], get["mode"]) == ("thrpt", "avgt")
    assert get["primaryMetric"]["rawData"] == [[1.0, 2.0], [3.0, 4.0]]
    assert get["primaryMetric"]["score"] == 2.5
    assert get["forks"] == put["forks"] == 2
    assert [fork["block"] for fork in get["steady"]] == ["run:0", "run:1"]
    suite = load(tmp_path / "merged.json")
    assert suite[GET].measurements.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert suite[GET].blocks == ("run:0", "run:1")
    (failure,) = suite.failures
    assert failure.identity == PUT


def test_missing_forks_are_not_failures(tmp_path: Path) -> None:
    results = [fork(tmp_path, 0, GET, [1.0, 2.0]), fork(tmp_path, 1, PUT, [5.0, 6.0])]
    put, get = merged(tmp_path, results, {GET: 3, PUT: 2}, not_run={GET: 2})
    assert get["steady"][0]["not_run"] == 2
    assert "not_run" not in put["steady"][0]
    reasons = {f.identity: f.reason for f in load(tmp_path / "merged.json").failures}
    assert reasons[GET] == (
        "1 of 3 forks gave a result: the run was interrupted before all of them ran; "
        "`steady run --resume` goes on"
    )
    assert reasons[PUT].startswith("1 of 2 forks gave a result: the benchmark threw")


def test_records_are_in_jmhs_order_with_values_in_natural_order(tmp_path: Path) -> None:
    identities = [
        Identity("a.A", "ss"),
        Identity("b.B", "sample"),
        *(Identity("c.C", "avgt", (("n", n),)) for n in ("text", "1e3", "20", "3", "NaN")),
        Identity("d.D", "thrpt"),
        Identity("a.Z", "avgt"),
    ]
    rows: dict[str, list[Any]] = {"sample": [[[1.0, 2]]]}
    results = [fork(tmp_path, n, i, rows.get(i.mode, [1.0])) for n, i in enumerate(identities)]
    found = merged(tmp_path, results)
    assert [(r["benchmark"], r.get("params", {}).get("n")) for r in found] == [
        *(("d.D", None), ("a.Z", None)),
        *(("c.C", n) for n in ("3", "20", "1e3", "NaN", "text")),
        *(("b.B", None), ("a.A", None)),
    ]


def test_values_and_numbers_are_written_as_jmh_does(tmp_path: Path) -> None:
    identity = Identity("c.C", "avgt", (("text", "a,b\x07;"),))
    result = fork(tmp_path, 0, identity, [1.0], params={"text": "a,\n     b,"})
    (found,) = merged(tmp_path, [result])
    assert found["params"] == {"text": "a,b\x07;"}
    results = [fork(tmp_path, 0, GET, ["NaN", 1.0]), fork(tmp_path, 1, PUT, ["+INF", 1.0])]
    put, get = (record["primaryMetric"] for record in merged(tmp_path, results))
    assert (get["score"], get["scoreConfidence"]) == ("NaN", ["NaN", "NaN"])
    assert get["rawData"] == [["NaN", 1.0]]
    assert put["score"] == put["scorePercentiles"]["100.0"] == "+INF"


def secondary(score: float, row: list[float], unit: str = "us/op") -> dict[str, Any]:
    return {"score": score, "scoreUnit": unit, "rawData": [row]}


def merged_of(row: Sequence[Any], *own: dict[str, Any], identity: Identity = GET) -> dict[str, Any]:
    """Return the merged secondary metrics of forks."""
    found = merged_record([record(identity, [row], secondaryMetrics=metrics) for metrics in own])
    metrics: dict[str, Any] = found["secondaryMetrics"]
    return metrics


def test_secondary_metrics_whose_scores_are_means_or_sums_are_merged() -> None:
    found = merged_of(
        [1.0, 2.0],
        {"m": secondary(1.5, [1.0, 2.0]), "sum": secondary(3.0, [1.0, 2.0])},
        {"m": secondary(3.5, [3.0, 4.0]), "sum": secondary(7.0, [3.0, 4.0])},
    )
    mean, total = found["m"], found["sum"]
    assert (mean["score"], total["score"]) == (2.5, 10.0)
    assert mean["rawData"] == total["rawData"] == [[1.0, 2.0], [3.0, 4.0]]
    assert (total["scoreError"], total["scoreConfidence"]) == ("NaN", [10.0, 10.0])
    # A fork without a metric has an empty row; other kinds of scores are omitted.
    time = merged_of([1.0, 2.0], {}, {"gc.time": secondary(3.0, [1.0, 2.0], "ms")})["gc.time"]
    assert (time["score"], time["rawData"]) == (3.0, [[], [1.0, 2.0]])
    for score, unit in ((1.0, "#"), (9.0, "us/op")):
        assert merged_of([1.0], *[{"m": secondary(score, [1.0], unit)}] * 2) == {}


@looped("mode", ["avgt", "sample"])
@looped("dot", ["", "·", "?"])
def test_costs_of_iterations_are_merged_in_every_mode(mode: str, dot: str) -> None:
    """Sums are merged as sums, even if the sum of one fork equals its mean."""
    sample = mode == "sample"  # percentiles are omitted
    row: list[Any] = [[[1.0, 1]]] if sample else [1.0]
    costs = [
        {
            f"{dot}gc.alloc.rate.norm": secondary(16.0 * n, [16.0 * n], "B/op"),
            f"{dot}gc.count": secondary(n, [n], "counts"),
            "steady.cpu": secondary(n, [n], "ms"),
            **({"p0.50": secondary(n, [n]), "work·p0.50": secondary(n, [n])} if sample else {}),
        }
        for n in (1.0, 2.0)
    ]
    found = merged_of(row, *costs, identity=Identity("a.A", mode))
    metrics = {name.lstrip(dot): one for name, one in found.items()}
    assert {name: one["score"] for name, one in metrics.items()} == {
        "gc.alloc.rate.norm": 24.0,
        "gc.count": 3.0,
        "steady.cpu": 1.5,
    }
    assert metrics["gc.count"]["rawData"] == [[1.0], [2.0]]
    assert metrics["gc.count"]["scoreConfidence"] == [3.0, 3.0]


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"[{}]", b"[1]"])
def test_modified_result_is_reported(content: bytes, tmp_path: Path) -> None:
    result = fork(tmp_path, 0, GET, [1.0])
    result.path.write_bytes(content)
    with pytest.raises(InputError, match=r"0\.json: is no longer the result of one fork"):
        merge_forks([result], RunFacts({}))


def test_declared_configuration_is_recorded(tmp_path: Path) -> None:
    once = Identity("org.Bench.once", "ss")
    results = [fork(tmp_path, n, i, [1.0]) for n, i in enumerate((GET, PUT, once))]
    declared = {
        GET: ExecutionConfiguration(0, 3, 4, 0.25, 120.0, 7, 9),
        once: ExecutionConfiguration(5, 0, 1, 0.0, 0.0, 1, 5000),
    }
    put, get, single = merged(tmp_path, results, declared=declared)
    assert get["steady"][0]["declared"] == {
        "forks": 0,
        "warmup_iterations": 3,
        "iterations": 4,
        "warmup_seconds": 0.25,
        "iteration_seconds": 120.0,
        "warmup_batch_size": 7,
        "batch_size": 9,
    }
    assert single["steady"][0]["declared"]["iteration_seconds"] == 0
    assert "declared" not in put["steady"][0]
    suite = load(tmp_path / "merged.json")
    assert {b.identity: b.declared for b in suite.benchmarks} == {**declared, PUT: None}


def test_seconds_of_forks_are_recorded(tmp_path: Path) -> None:
    one, two = (fork(tmp_path, number, GET, [1.0, 2.0]) for number in (0, 1))
    first = replace(one, spent=Spent(7.9324, 3.1741))
    for second in (Spent(4.5), None):
        merged(tmp_path, [first, replace(two, spent=second)], {GET: 2})
        assert load(tmp_path / "merged.json")[GET].spent == (Spent(7.932, 3.174), second)
    path = tmp_path / "merged.json"
    old: list[list[object]] = [[[1.0]], [[1.0], [-1.0]], [[1.0], [1e400]], [[1.0], [1, 2, 3]]]
    new = [[{"seconds": 1.0}, {"seconds": wrong}] for wrong in (-1.0, 1e400, "x", [1])]
    for noted in (*({"steadySeconds": one} for one in old), *({"steady": one} for one in new)):
        path.write_text(json.dumps([record(GET, [[1.0], [2.0]], forks=2, **noted)]))
        with pytest.raises(InputError, match=r"in another form|steadySeconds for 2 forks"):
            load(path)


RECORDED = Path(__file__).parents[3] / "readers" / "recorded"


def split(jmh: dict[str, Any]) -> list[dict[str, Any]]:
    """Return records of one fork each, with means as the only derived numbers."""
    primary = jmh["primaryMetric"]
    key = "rawData" if "rawData" in primary else "rawDataHistogram"
    derived = {"score": 0.0, "scoreError": 0.0, "scoreConfidence": [], "scorePercentiles": {}}
    records = []
    for number, row in enumerate(primary[key]):
        secondary = {}
        for name, metric in jmh["secondaryMetrics"].items():
            own = metric["rawData"][number]
            means = metric["scoreUnit"] != "#" and jmh["mode"] != "sample"
            score = list(accumulate(own))[-1] / len(own) if means else 0.0
            secondary[name] = {**metric, **derived, "score": score, "rawData": [own]}
        records.append(
            {
                **jmh,
                "forks": 1,
                "primaryMetric": {**primary, **derived, key: [row]},
                "secondaryMetrics": secondary,
            }
        )
    return records


def assert_same(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Require equal bits, except for the quantile, which JMH bisects to 1e-9."""
    assert ours.keys() == theirs.keys()
    derived = {"scoreError", "scoreConfidence"}
    assert {k: ours[k] for k in ours.keys() - derived} == {
        k: theirs[k] for k in theirs.keys() - derived
    }
    (error, *expected), (own_error, *own) = (
        [float(number) for number in (metric["scoreError"], *metric["scoreConfidence"])]
        for metric in (theirs, ours)
    )
    assert own_error == pytest.approx(error, rel=1e-9, nan_ok=True)
    scale = abs(theirs["score"]) + (0.0 if math.isnan(error) else abs(error))
    assert own == pytest.approx(expected, abs=1e-9 * scale, nan_ok=True)


SECONDARY = {"pair": {"reader", "writer"}, "counts": {"done"}}
"""Secondary metrics that are merged, by method: JMH neither counts nor samples them."""


def test_merged_scores_equal_those_of_jmh() -> None:
    """The results include two forks of every mode, run by JMH 1.37 in `tests/emit/project`.

    To record these again, for each mode and method: ``java -jar target/benchmarks.jar -f 2 -wi 0
    -i 4 -r 5ms -bm MODE -rf json METHOD``.
    """
    names = ("plain", "cold", "warmup-forks", "modes", "threads", "group", "batch")
    versions = ("1.19", "1.21", "1.29", "1.37")
    paths = [RECORDED / version / f"{name}.json" for version in versions for name in names]
    seen = set[tuple[str, int]]()
    for path in (Path(__file__).with_name("two_forks.json"), *paths):
        for jmh in json.loads(path.read_text(encoding="utf-8")):
            parts = split(jmh)
            found = merged_record(parts)
            assert_same(found["primaryMetric"], jmh["primaryMetric"])
            for key, metric in found["secondaryMetrics"].items():
                assert_same(metric, jmh["secondaryMetrics"][key])
            method = jmh["benchmark"].rpartition(".")[2]
            assert found["secondaryMetrics"].keys() == SECONDARY.get(method, set())
            seen.add((jmh["mode"], len(parts)))
    assert seen == {(mode, forks) for mode in ("avgt", "thrpt", "sample", "ss") for forks in (1, 2)}


NUMBERS = st.floats(-1e6, 1e6).map(lambda x: round(x, 3) + 0.0)


def percentile_of_list(values: list[float], rank: float) -> float:
    """Return the estimate of commons-math's Percentile, from its documentation."""
    ordered, n = sorted(values), len(values)
    position = rank / 100 * (n + 1)
    if n == 1 or position < 1:
        return ordered[0]
    if position >= n:
        return ordered[-1]
    low, high = ordered[int(position) - 1], ordered[int(position)]
    return low + (position - int(position)) * (high - low)


@given(st.lists(NUMBERS, min_size=1, max_size=40))
def test_statistics_of_lists_match_their_definitions(values: list[float]) -> None:
    computed = Statistics(np.array(values))
    assert computed.n == len(values)
    assert computed.mean == pytest.approx(statistics.fmean(values), rel=1e-9, abs=1e-9)
    assert [computed.percentile(r) for r in RANKS] == [percentile_of_list(values, r) for r in RANKS]
    if len(values) > 1:
        assert computed.variance == pytest.approx(statistics.variance(values), rel=1e-6, abs=1e-6)


@given(st.lists(st.tuples(NUMBERS, st.integers(1, 5)), min_size=1, max_size=20))
def test_statistics_of_histograms_match_those_of_lists(pairs: list[tuple[float, int]]) -> None:
    values = [value for value, count in pairs for _ in range(count)]
    half = len(pairs) // 2
    computed = Statistics.of_histograms([pairs[:half], pairs[half:]])
    expected = Statistics(np.array(values))
    assert computed.n == expected.n
    assert computed.mean == pytest.approx(expected.mean, rel=1e-9, abs=1e-9)
    assert computed.variance == pytest.approx(expected.variance, rel=1e-6, abs=1e-6, nan_ok=True)
    for rank in RANKS:
        assert computed.percentile(rank) == pytest.approx(expected.percentile(rank), rel=1e-12)


@given(st.lists(NUMBERS, min_size=3, max_size=40))
def test_error_is_that_of_students_t(values: list[float]) -> None:
    n = len(values)
    expected = t.ppf(0.9995, n - 1) * np.std(values, ddof=1) / math.sqrt(n)
    assert Statistics(np.array(values)).mean_error == pytest.approx(expected, rel=1e-6)


def test_too_few_values_give_nan() -> None:
    assert math.isnan(Statistics(np.array([1.0, 2.0])).mean_error)
    assert math.isnan(Statistics.of_histograms([[(1.0, 2)]]).mean_error)
    for empty in (Statistics(np.array([])), Statistics.of_histograms([[]])):
        assert empty.n == 0
        derived = (empty.mean, empty.variance, empty.percentile(50.0), empty.mean_error)
        assert all(map(math.isnan, derived))


def test_nan_is_ignored_in_percentiles_except_the_minimum() -> None:
    computed = Statistics(np.array([2.0, math.nan, 1.0]))
    assert math.isnan(computed.percentile(0.0))
    assert computed.percentile(50.0) == 1.5
    assert math.isnan(computed.mean)
