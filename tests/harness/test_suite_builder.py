"""Benchmarks and suites from the values of forks."""

import numpy as np

from steady.harness.fork_facts import ForkFacts
from steady.harness.suite_builder import (
    build_benchmark,
    build_suite,
    collect_metrics,
    duplicate_message,
    failed,
    metric_of,
)
from steady.model import FloatArray, Identity

NAME = Identity("a.B.c")


def row(*values: float) -> FloatArray:
    return np.array(values, dtype=np.float64)


def test_rows_of_different_lengths_are_padded_and_keep_their_facts() -> None:
    facts = [ForkFacts(block="x:0"), ForkFacts(block="x:1", seconds=2.0)]
    read = build_benchmark(NAME, "ns/op", [row(1, 2), row(3)], "one is missing", facts)
    assert read.benchmark is not None
    assert read.failure is not None
    np.testing.assert_array_equal(read.benchmark.measurements, [[1, 2], [3, np.nan]])
    assert read.benchmark.blocks == ("x:0", "x:1")
    assert read.failure.reason == "one is missing"


def test_invalid_values_are_a_failure_without_a_benchmark() -> None:
    for bad in (np.nan, np.inf, -1.0):
        for rows in ([row(1, 2), row(3, bad)], [row(1), row(3, bad)]):
            read = build_benchmark(NAME, "ns/op", rows, None)
            assert read.benchmark is None
            assert read.failure is not None
            assert read.failure.reason.startswith("iteration 2 of fork 2 is ")


def test_a_suite_has_the_first_failure_of_each_benchmark() -> None:
    good = build_benchmark(NAME, "ns/op", [row(1)], None)
    suite = build_suite("go", "f", [failed(NAME, "one"), good, failed(NAME, "two")])
    assert list(suite) == [NAME]
    assert [one.reason for one in suite.failures] == ["one"]


def test_unreadable_and_repeated_metrics_are_named() -> None:
    like = [row(1, 2)]
    metric = metric_of("B/op", [row(8)], like)
    assert metric_of("B/op", [row(-8)], like) is None
    known, left_out = collect_metrics([("a", metric), ("b", None), ("a", metric), ("b", None)])
    assert list(known) == ["a"]
    assert left_out == ("b", "a")
    np.testing.assert_array_equal(known["a"].values, [[8, np.nan]])


def test_a_name_that_occurs_twice_has_its_positions() -> None:
    assert duplicate_message(("[0]", "", "[2]")).startswith("it occurs twice under one name ([0]")
