"""JMH's JSON, written by hand: values that are read, and messages on invalid ones.

What JMH itself wrote is read in `tests/readers/test_readers_recorded.py`.
"""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.errors import InputError
from steady.harness.jmh.read.conditions import jvm_arguments
from steady.model import Suite
from steady.readers import FORMATS, Document
from tests.harness.pair_texts import pairs_in
from tests.jmh_records import jmh_record
from tests.looped import looped

FINITE = st.floats(0, 1e300, allow_subnormal=True)
ROWS = st.lists(st.lists(FINITE, min_size=1, max_size=5), min_size=1, max_size=4)


MACHINE = {
    "jvm": "java",
    "jvmArgs": ["-Xmx1g"],
    "jdkVersion": "17.0.15",
    "vmName": "VM",
    "vmVersion": "17.0.15+6",
    "params": {"n": "10", "kind": "a"},
}


def record(**changes: Any) -> dict[str, Any]:
    """Return a record as JMH writes it, two forks of three iterations."""
    rows = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    return jmh_record("org.Bench.get", rows, **{**MACHINE, **changes})


def raw(rows: object) -> dict[str, Any]:
    """Return the part of a record that holds the measurements."""
    return {"primaryMetric": {"scoreUnit": "ns/op", "rawData": rows}}


def histogram(*forks: object) -> dict[str, Any]:
    """Return the same of a record in sample mode."""
    return {"primaryMetric": {"scoreUnit": "ns/op", "rawDataHistogram": forks}}


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


@given(ROWS)
def test_values_are_read_back_and_short_forks_are_padded(rows: list[list[float]]) -> None:
    longest = max(map(len, rows))
    suite = read(record(**raw(rows), forks=len(rows), measurementIterations=longest))
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
def test_a_histogram_is_replaced_by_its_mean(pairs: list[list[float]]) -> None:
    suite = read(record(mode="sample", forks=1, measurementIterations=1, **histogram([pairs])))
    expected = math.fsum(v * c for v, c in pairs) / math.fsum(c for _, c in pairs)
    value = suite["org.Bench.get"].measurements.item()
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-300)


@looped(
    ("value", "said"), [("NaN", "nan"), ("+INF", "inf"), ("-INF", "-inf"), (float("nan"), "nan")]
)
def test_a_score_that_is_not_a_number_is_a_failure(value: object, said: str) -> None:
    suite = read(record(**raw([[1.0, 2.0], [3.0, value]])), record(benchmark="org.Bench.put"))
    assert [identity.name for identity in suite] == ["org.Bench.put"]
    (failure,) = suite.failures
    assert failure.identity.name == "org.Bench.get"
    assert failure.reason == f"iteration 2 of fork 2 is {said}, not a measurement"


def test_missing_values_are_a_failure_beside_the_others() -> None:
    suite = read(record(mode="sample", **histogram([[[1.0, 2]], []])))
    assert len(suite) == 0
    assert suite.failures[0].reason.startswith("iteration 2 of fork 1 is nan")
    one_fork = raw([[1.0, 2.0, 3.0]])
    suite = read(record(**one_fork))
    assert suite["org.Bench.get"].measurements.shape == (1, 3)
    assert suite.failures[0].reason.startswith("1 of 2 forks gave a result")
    # Forks of dynamic reconfiguration are upper bounds.
    assert read(record(**one_fork, reconfigureMode="cov")).failures == ()


def test_json_of_other_tools_without_configuration() -> None:
    absent = {"forks", "threads", *MACHINE}
    benchmark = read({k: own for k, own in record().items() if k not in absent})["org.Bench.get"]
    assert benchmark.configuration is None
    assert benchmark.environment.vm == ""


def test_same_name_with_other_parameters_mode_or_threads() -> None:
    others = [record(mode="sample"), record(threads=2)]
    others += [record(params=params) for params in ({"n": "11"}, {})]
    assert len(read(record(), *others)) == 5
    twice = read(record(), record(jmhVersion="1.36"), *others)
    assert len(twice) == 4
    (failure,) = twice.failures
    assert failure.identity.label == "org.Bench.get [n=10, kind=a]"
    assert "occurs twice under one name ([0], [1])" in failure.reason


@looped(
    ("text", "said"),
    [
        ("", "is empty; many harnesses write their results only when the whole run is over"),
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
        ("[" + "1" * 5000 + "]", "whole number with thousands of digits"),
    ],
)
def test_files_that_are_not_of_jmh(text: str, said: str) -> None:
    assert said in message(text)


TOO_LARGE = 10**400


def test_errors_in_a_record_name_its_position() -> None:
    for pair in pairs_in(Path(__file__).with_name("wrong.txt")):
        assert pair.title in message(json.dumps([record(**json.loads(pair.text))]))
    for changes, said in (
        ({"forks": TOO_LARGE}, "[0].forks: expected a whole number"),
        (raw([[TOO_LARGE]]), ".rawData[0][0]: is a number too large"),
    ):
        assert said in message(json.dumps([record(**changes)]))


def test_properties_of_jmh_itself_are_ignored() -> None:
    given = ["-Xmx1g", "-Djmh.scorePrecision=9", "-Dapp.jmh.x=1"]
    assert jvm_arguments(given) == ("-Xmx1g", "-Dapp.jmh.x=1")


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
def test_a_mode_and_a_unit_may_contradict_each_other(mode: str, unit: str, usable: bool) -> None:
    """An average time in ops/s was an improvement where it rose."""
    suite = read(jmh_record("org.Bench.get", [[1.0]], unit=unit, mode=mode))
    assert [f.reason for f in suite.failures] == (
        [] if usable else [f"its mode {mode} and its unit {unit} contradict each other"]
    )
    assert len(suite) == usable
