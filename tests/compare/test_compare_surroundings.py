"""Where base and head ran, side by side; and that they are two runs, under whatever names."""

from __future__ import annotations

import numpy as np
import pytest

from steady.compare import compare
from steady.compare.pair import Pair
from steady.compare.surroundings import (
    Difference,
    busy_sentences,
    find_differences,
    own_difference,
    refuse_same_run,
    shared_forks,
)
from steady.errors import InputError
from steady.model import Environment, FloatArray, Suite

BASE = Environment("EPYC", "Linux 6.8", "21.0.5", "OpenJDK 21.0.5+11", ("-Xmx1g",))


def test_every_kind_is_told_with_the_number_of_benchmarks() -> None:
    head = Environment("Xeon", "Linux 6.9", "22", "OpenJDK 22", ())
    assert find_differences([(BASE, head), (BASE, head), (BASE, BASE)]) == (
        Difference("CPU", "EPYC", "Xeon", 2),
        Difference("operating system", "Linux 6.8", "Linux 6.9", 2),
        Difference("JDK", "21.0.5", "22", 2),
        Difference("JVM", "OpenJDK 21.0.5+11", "OpenJDK 22", 2),
        Difference("JVM arguments", "-Xmx1g", "", 2),
    )
    # What touches most benchmarks comes first.
    one, two = Environment(cpu="Xeon 1"), Environment(cpu="Xeon 2")
    found = find_differences([(BASE, one), (BASE, two), (BASE, two)])
    assert [(d.head, d.benchmarks) for d in found] == [("Xeon 2", 2), ("Xeon 1", 1)]


def test_what_a_harness_did_not_say_is_no_difference() -> None:
    assert find_differences([(BASE, Environment()), (Environment(), BASE)]) == ()
    # No arguments are one, where the harness tells them.
    found = find_differences([(Environment(jdk="21", jvm_args=("-Xss1m",)), Environment(jdk="21"))])
    assert found == (Difference("JVM arguments", "-Xss1m", "", 1),)


def restless(size: float) -> Pair:
    """Return a benchmark whose iterations differ by a factor, from one to the next."""
    row = np.tile([1.0, 1 + size], 5)
    return Pair("ns/op", np.stack([row, 2 * row]), np.stack([row, 7 * row]))


def test_a_benchmark_differs_from_itself_within_a_fork_and_not_from_fork_to_fork() -> None:
    slow, none = Pair("ns/op", np.ones((3, 1)), np.ones((3, 1))), np.zeros((2, 4))
    assert own_difference([restless(0.4), slow, Pair("ns/op", none, none)]) == pytest.approx([0.4])
    missing = restless(0.25)
    missing.base[0, 3] = np.nan
    assert own_difference([missing]) == pytest.approx([0.25])


def test_a_busy_machine_is_named_with_what_the_typical_benchmark_shows() -> None:
    [sentence] = busy_sentences([restless(0.02), restless(0.41), restless(0.6)])
    assert sentence.startswith("this machine was busy: the same benchmark, measured twice in a row")
    assert "differed by 41.0\u00a0% from itself" in sentence
    assert "a quieter machine" in sentence
    for calm in ((), (0.9, 0.9), (0.02, 0.05, 0.9), (0.09, 0.09, 0.09)):
        assert busy_sentences([restless(size) for size in calm]) == []
    values = {f"b{place}": restless(0.3).base for place in range(3)}
    head = {name: 1.01 * table for name, table in values.items()}
    comparison = compare(Suite.of(values, unit="ns/op"), Suite.of(head, unit="ns/op"))
    assert [remark for remark in comparison.remarks if remark.startswith("this machine was busy")]


VALUES = 100 * np.exp(np.random.default_rng(1).normal(0, 0.02, (3, 3, 6)))
"""Three benchmarks of three forks."""


def suite(values: FloatArray, *names: str, unit: str = "ns/op") -> Suite:
    return Suite.of(dict(zip(names or "abc", values, strict=False)), unit=unit)


def test_a_run_is_not_compared_with_itself() -> None:
    for same in (
        suite(VALUES),
        suite(VALUES[::-1], "c", "b", "a"),
        suite(VALUES[:, ::-1]),
        suite(VALUES[:, :, ::-1]),
        suite(np.pad(VALUES, ((0, 0), (0, 0), (0, 2)), constant_values=np.nan)),
        suite(VALUES[:2]),
    ):
        with pytest.raises(InputError, match="base and head hold the same measurements"):
            refuse_same_run(suite(VALUES), same)
    other = VALUES.copy()
    other[1, 2, 3] *= 1.001
    refuse_same_run(suite(VALUES), suite(other))


def test_counts_may_repeat_themselves_but_do_not_hide_that_times_are_the_same() -> None:
    for values in ([16.0] * 6, [16.0, 17.0] * 3):
        counts = suite(np.broadcast_to(values, (3, 3, 6)), unit="B/op")
        refuse_same_run(counts, counts)
        assert shared_forks(counts, counts) == ""
    counts = suite(np.full((1, 3, 6), 16.0), "bytes", unit="B/op")
    mixed = Suite((*suite(VALUES).benchmarks, *counts.benchmarks))
    with pytest.raises(InputError, match="same measurements"):
        refuse_same_run(mixed, mixed)


def test_a_fork_that_stands_on_both_sides_is_remarked_on() -> None:
    head = 100 * np.exp(np.random.default_rng(2).normal(0, 0.02, (3, 3, 6)))
    assert compare(suite(VALUES), suite(head)).remarks == ()
    head[:2, 2] = VALUES[:2, 0]
    [remark] = compare(suite(VALUES), suite(head)).remarks
    assert remark.startswith("2 benchmarks have forks with the same measurements in base and in")
