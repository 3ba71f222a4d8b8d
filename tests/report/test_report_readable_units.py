"""Results are shown in the unit in which people would say them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.compare import Change, Estimate
from steady.model import Identity, direction_of, seconds_factor
from steady.report.figures import readable, readable_unit
from tests.looped import looped

UNITS = ["ns/op", "us/op", "µs/op", "ms/op", "s/op", "ops/ns", "ops/us", "ops/ms", "ops/s"]


@given(st.sampled_from(UNITS), st.floats(1e-15, 1e15))
def test_the_result_stays_the_same_and_reads_best(unit: str, number: float) -> None:
    factor, shown = readable_unit(unit, number)
    assert direction_of(shown) == direction_of(unit)
    power = 1 if direction_of(unit) == "lower" else -1
    before = number**power * seconds_factor(unit)
    after = (number * factor) ** power * seconds_factor(shown)
    assert math.isclose(before, after, rel_tol=1e-12)
    smallest, largest = ("ns/op", "s/op") if power == 1 else ("ops/s", "ops/ns")
    assert 0.999 <= number * factor < 1000.001 or shown in (smallest, largest)


@looped("unit", ["B/op", "MB/s", "allocs/op", "min/op", "ops/day", "ms", "%"])
def test_other_units_stay(unit: str) -> None:
    assert readable_unit(unit, 1e9) == (1.0, unit)


@pytest.mark.parametrize("number", [0.0, math.inf, math.nan])
def test_what_has_no_size_stays(number: float) -> None:
    assert readable_unit("ns/op", number) == (1.0, "ns/op")


def test_both_sides_are_in_the_unit_of_base() -> None:
    base, head = (Estimate(c, 0.9 * c, 1.1 * c, 3, 30, c) for c in (900_000.0, 1_640_000.0))
    change = Change(Identity("a"), "ns/op", "lower", base, head, "regression", 0.1)
    shown = readable(change)
    assert shown.unit == "us/op"
    assert math.isclose(shown.base.center, 900.0)
    assert math.isclose(shown.head.high, 1804.0)
    assert shown.head.score == shown.head.center
    assert math.isclose(shown.ratio, change.ratio)
