"""JMH's JSON: what is read, and the sentence for everything that cannot be."""

from __future__ import annotations

import json
import math
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.errors import InputError
from steady.harness.jmh.read.conditions import jvm_arguments
from steady.model import Identity, Suite
from steady.readers import FORMATS, Document
from tests.looped import looped

FINITE = st.floats(0, 1e300, allow_subnormal=True)
ROWS = st.lists(st.lists(FINITE, min_size=1, max_size=5), min_size=1, max_size=4)


def record(**changes: Any) -> dict[str, Any]:
    """Return a record as JMH writes it, two forks of three iterations."""
    whole: dict[str, Any] = {
        "jmhVersion": "1.37",
        "benchmark": "org.Bench.get",
        "mode": "avgt",
        "threads": 1,
        "forks": 2,
        "jvm": "java",
        "jvmArgs": ["-Xmx1g"],
        "jdkVersion": "17.0.15",
        "vmName": "VM",
        "vmVersion": "17.0.15+6",
        "warmupIterations": 5,
        "warmupTime": "100 ms",
        "warmupBatchSize": 1,
        "measurementIterations": 3,
        "measurementTime": "1 s",
        "measurementBatchSize": 1,
        "params": {"n": "10", "kind": "a"},
        "primaryMetric": {
            "score": 2.0,
            "scoreError": "NaN",
            "scoreConfidence": ["NaN", "NaN"],
            "scorePercentiles": {"0.0": 1.0},
            "scoreUnit": "ns/op",
            "rawData": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        },
        "secondaryMetrics": {},
    }
    return deepcopy({**whole, **changes})


def measured(rows: object, unit: str = "ns/op", **changes: Any) -> dict[str, Any]:
    """Return a record of these measurements."""
    return record(primaryMetric={"scoreUnit": unit, "rawData": rows}, **changes)


def read(*records: object) -> Suite:
    """Read records as one file."""
    return read_text(json.dumps(records))


def read_text(text: str) -> Suite:
    """Read the text of a file."""
    return FORMATS["jmh"].value.read(Document(Path("r.json"), text))


def message(text: str) -> str:
    """Return the one line that is said of a file."""
    with pytest.raises(InputError) as error:
        read_text(text)
    said = str(error.value)
    assert said.startswith("r.json")
    assert "\n" not in said
    return said


def test_one_record() -> None:
    suite = read(record())
    benchmark = suite["org.Bench.get"]
    assert benchmark.identity == Identity("org.Bench.get", "avgt", (("n", "10"), ("kind", "a")), 1)
    assert benchmark.measurements.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert benchmark.configuration is not None
    assert benchmark.configuration.warmup_seconds == 0.1
    assert benchmark.environment.vm == "VM 17.0.15+6"
    assert benchmark.environment.jvm_args == ("-Xmx1g",)
    assert suite.failures == ()


@given(ROWS)
def test_numbers_come_back_and_short_forks_are_filled_up(rows: list[list[float]]) -> None:
    longest = max(map(len, rows))
    suite = read(measured(rows, forks=len(rows), measurementIterations=longest))
    values = suite["org.Bench.get"].measurements
    assert values.shape == (len(rows), longest)
    assert [row[~np.isnan(row)].tolist() for row in values] == rows
    assert all(
        not np.isnan(row[: len(given)]).any() for row, given in zip(values, rows, strict=True)
    )
    ragged = any(len(row) < longest for row in rows)
    assert bool(suite.failures) == ragged


@given(
    st.lists(st.tuples(st.floats(0, 1e6), st.integers(1, 10**6)).map(list), min_size=1, max_size=6)
)
def test_histogram_is_the_mean_of_what_it_stands_for(pairs: list[list[float]]) -> None:
    metric = {"scoreUnit": "ns/op", "rawDataHistogram": [[pairs]]}
    suite = read(record(mode="sample", forks=1, measurementIterations=1, primaryMetric=metric))
    expected = math.fsum(v * c for v, c in pairs) / math.fsum(c for _, c in pairs)
    value = suite["org.Bench.get"].measurements.item()
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-300)


@looped(
    ("value", "said"), [("NaN", "nan"), ("+INF", "inf"), ("-INF", "-inf"), (float("nan"), "nan")]
)
def test_score_that_is_no_number_is_a_failure(value: object, said: str) -> None:
    suite = read(measured([[1.0, 2.0], [3.0, value]]), record(benchmark="org.Bench.put"))
    assert [identity.name for identity in suite] == ["org.Bench.put"]
    (failure,) = suite.failures
    assert failure.identity.name == "org.Bench.get"
    assert failure.reason == f"iteration 2 of fork 2 is {said}, not a measurement"


def test_iteration_without_samples_is_a_failure() -> None:
    metric = {"scoreUnit": "ns/op", "rawDataHistogram": [[[[1.0, 2]], []]]}
    suite = read(record(mode="sample", primaryMetric=metric))
    assert len(suite) == 0
    assert suite.failures[0].reason.startswith("iteration 2 of fork 1 is nan")


def test_missing_fork_is_a_failure_beside_what_there_is() -> None:
    suite = read(measured([[1.0, 2.0, 3.0]]))
    assert suite["org.Bench.get"].measurements.shape == (1, 3)
    assert suite.failures[0].reason.startswith("1 of 2 forks gave a result")


def test_forks_of_dynamic_reconfiguration_are_upper_bounds() -> None:
    suite = read(measured([[1.0, 2.0, 3.0]], reconfigureMode="cov"))
    assert suite.failures == ()


def test_single_shot_has_no_iteration_time() -> None:
    told = read(record(mode="ss", measurementTime="single-shot"))["org.Bench.get"].configuration
    assert told is not None
    assert (told.warmup_seconds, told.iteration_seconds) == (0.0, 0.0)


def test_json_of_other_tools_without_configuration() -> None:
    whole = record()
    for key in (
        "forks",
        "threads",
        "jvm",
        "jvmArgs",
        "jdkVersion",
        "vmName",
        "vmVersion",
        "params",
    ):
        del whole[key]
    benchmark = read(whole)["org.Bench.get"]
    assert benchmark.configuration is None
    assert benchmark.environment.vm == ""


@looped(
    "name",
    [
        "@everyone",
        "<script>alert(1)</script>",
        "a|b",
        "a\nb",
        "../../etc/passwd",
        "::error::x",
        "\0",
    ],
)
def test_hostile_names_are_plain_data(name: str) -> None:
    suite = read(record(benchmark=name, params={name: name}))
    (identity,) = suite
    assert (identity.name, identity.params) == (name, ((name, name),))


def test_same_name_with_other_parameters_mode_or_threads() -> None:
    suite = read(
        record(),
        record(params={"n": "11"}),
        record(mode="sample"),
        record(threads=2),
        record(params={}),
    )
    assert len(suite) == 5


@looped(
    ("text", "said"),
    [
        ("", "is empty; JMH writes its JSON only when the whole run is over"),
        (" \n", "is empty"),
        ("[{", "ends in the middle"),
        ('[{"benchmark": "a', "ends in the middle"),
        (json.dumps([record()], indent=4)[:-5], "ends in the middle"),
        ('[{"threads": tru', "ends in the middle"),
        ('[{"threads": 1.', "ends in the middle"),
        ('[{"benchmark": 1,}]', "is not JSON"),
        ("Benchmark Mode Cnt", "line 1, column 1: is not JSON"),
        ("{}", "top level: expected JMH's list of results, found an object"),
        ("3", "top level: expected JMH's list of results, found a number"),
        ("[3]", "[0]: expected an object, found a number"),
        ("[[]]", "[0]: expected an object, found a list"),
        ("[{}]", "[0]: has no 'benchmark'"),
        ("[" * 200_000, "is nested far deeper"),
        ("[" + "1" * 5000 + "]", "whole number of thousands of digits"),
    ],
)
def test_files_that_are_not_of_jmh(text: str, said: str) -> None:
    assert said in message(text)


@looped(
    ("changes", "said"),
    [
        ({"benchmark": 7}, "[0].benchmark: expected a text, found a number"),
        ({"benchmark": "\ud800"}, "[0].benchmark: holds an incomplete character"),
        ({"mode": None}, "[0].mode: expected a text, found null"),
        ({"threads": 0}, "[0].threads: expected a whole number of at least 1"),
        ({"threads": True}, "[0].threads: expected a whole number of at least 1, found true"),
        ({"threads": 1.5}, "[0].threads: expected a whole number"),
        ({"threads": "4"}, "[0].threads: expected a whole number of at least 1, found a text, '4'"),
        ({"forks": -1}, "[0].forks: expected a whole number of at least 0"),
        ({"forks": 10**400}, "[0].forks: expected a whole number"),
        ({"warmupTime": "soon"}, "[0].warmupTime: expected a duration such as '100 ms'"),
        ({"measurementTime": 100}, "[0].measurementTime: expected a text, found a number"),
        ({"params": []}, "[0].params: expected an object, found a list"),
        ({"params": {"n": 10}}, "[0].params.n: expected a text, found a number"),
        ({"params": {"a b": 1}}, "[0].params['a b']: expected a text"),
        ({"params": {"\udcff": "x"}}, "[0].params: holds an incomplete character"),
        ({"jvmArgs": "-Xmx1g"}, "[0].jvmArgs: expected a list, found a text"),
        ({"jvmArgs": [1]}, "[0].jvmArgs[0]: expected a text"),
        ({"primaryMetric": None}, "[0].primaryMetric: expected an object, found null"),
        ({"primaryMetric": {}}, "[0].primaryMetric: has no 'rawData'"),
        ({"primaryMetric": {"rawData": [[1]]}}, "[0].primaryMetric: has no 'scoreUnit'"),
    ],
)
def test_wrong_types_name_their_place(changes: dict[str, Any], said: str) -> None:
    assert said in message(json.dumps([record(**changes)]))


@looped(
    ("rows", "said"),
    [
        ([], "[0].primaryMetric: does not hold single measurements; run JMH again without"),
        ([[], []], "[0].primaryMetric: does not hold single measurements"),
        (None, ".rawData: expected a list, found null"),
        ([1.0], ".rawData[0]: expected a list, found a number"),
        ([[1.0, "2"]], ".rawData[0][1]: expected a number, found a text, '2'"),
        ([[1.0, True]], ".rawData[0][1]: expected a number, found true or false"),
        ([[1.0], [None]], ".rawData[1][0]: expected a number, found null"),
        ([[1.0, [2.0]]], ".rawData[0][1]: expected a number, found a list"),
        ([[1.0, -2.0]], ".rawData[0]: value 2 is negative (-2)"),
        ([[10**400]], ".rawData[0][0]: is a number too large"),
    ],
)
def test_wrong_measurements_name_their_place(rows: object, said: str) -> None:
    assert said in message(json.dumps([measured(rows)]))


@looped(
    ("fork", "said"),
    [
        ([[1.0, 2]], "[0][0][0]: expected a list, found a number"),
        ([[[1.0]]], "[0][0][0]: expected a pair of numbers"),
        ([[[1.0, 2, 3]]], "[0][0][0]: expected a pair of numbers"),
        ([[[1.0, "2"]]], "[0][0][0][1]: expected a number"),
        ([[[1.0, -2]]], "[0][0]: holds a negative value or count"),
        ([[["NaN", 2]]], "[0][0]: holds a negative value or count, or one that is not a number"),
    ],
)
def test_wrong_histograms_name_their_place(fork: object, said: str) -> None:
    metric = {"scoreUnit": "ns/op", "rawDataHistogram": [fork]}
    assert said in message(json.dumps([record(primaryMetric=metric)]))


def test_second_result_of_a_benchmark() -> None:
    said = message(json.dumps([record(), record(jmhVersion="1.36")]))
    assert "[1]: a second result of 'org.Bench.get [n=10, kind=a]'" in said


def test_jmh_own_properties_are_no_difference_between_two_runs() -> None:
    assert jvm_arguments(["-Xmx1g", "-Djmh.scorePrecision=9", "-Dapp.jmh.x=1"]) == (
        "-Xmx1g",
        "-Dapp.jmh.x=1",
    )


@looped(
    ("mode", "unit", "usable"),
    [
        ("avgt", "ns/op", True),
        ("thrpt", "ops/s", True),
        ("sample", "us/op", True),
        ("avgt", "ops/s", False),
        ("thrpt", "ns/op", False),
        ("avgt", "points", True),
    ],
)
def test_a_mode_and_a_unit_that_contradict_each_other_are_no_result(
    mode: str, unit: str, usable: bool
) -> None:
    """An average time in ops/s was an improvement where it rose."""
    content = record(mode=mode)
    content["primaryMetric"]["scoreUnit"] = unit
    suite = read(content)
    assert [f.reason for f in suite.failures] == (
        [] if usable else [f"its mode {mode} and its unit {unit} contradict each other"]
    )
    assert len(suite) == usable
