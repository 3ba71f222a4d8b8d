"""A plan in parts: nothing lost, nothing doubled, nearly equal."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steady
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.suite_parts import shards
from steady.optimize.suite_plan import BenchmarkPlan, Plan

CONFIGURATION = ExecutionConfiguration(5, 5, 5, 1.0, 1.0)


def plan_of(seconds: list[float]) -> Plan:
    entries = [
        BenchmarkPlan(Identity(f"b{i}"), CONFIGURATION, CONFIGURATION, s, 2 * s, "reduced", "")
        for i, s in enumerate(seconds)
    ]
    return Plan(tuple(entries), "error-budget", {"budget": 0.03})


SECONDS = st.lists(st.floats(0.1, 1000.0), min_size=1, max_size=7)


@settings(deadline=None)
@given(SECONDS, st.data())
def test_every_benchmark_stands_in_one_part_and_none_is_much_longer(
    seconds: list[float], data: st.DataObject
) -> None:
    count = data.draw(st.integers(1, min(3, len(seconds))))
    plan = plan_of(seconds)
    parts = shards(plan, count)
    names = [entry.identity.name for part in parts for entry in part.benchmarks]
    assert sorted(names) == sorted(entry.identity.name for entry in plan.benchmarks)
    assert all(part.options == plan.options for part in parts)
    best = min(
        max(sum(s for s, place in zip(seconds, places, strict=True) if place == k)
            for k in range(count))
        for places in product(range(count), repeat=len(seconds))
    )  # fmt: skip
    assert max(part.seconds for part in parts) <= best * 4 / 3 + 1e-6


def test_the_longest_is_dealt_out_first_and_the_order_stays() -> None:
    parts = shards(plan_of([1.0, 5.0, 4.0, 3.0, 3.0]), 2)
    assert [[e.identity.name for e in part.benchmarks] for part in parts] == [
        ["b1", "b4"],
        ["b0", "b2", "b3"],
    ]


@pytest.mark.parametrize("count", [0, -1, 4])
def test_a_number_of_parts_that_cannot_be_is_refused(count: int) -> None:
    with pytest.raises(steady.InputError, match="from 1 to 3"):
        shards(plan_of([1.0, 2.0, 3.0]), count)
