"""Formatting of a change and its two sides, in readable units."""

import math
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from steady.compare import Change, Estimate
from steady.compare.benchmark_change import meaning
from steady.model import Identity, direction_of, seconds_factor
from steady.report import figures
from steady.report.figures import readable, readable_unit
from tests.looped import looped
from tests.report.made import change

UNITS = ["ns/op", "us/op", "µs/op", "ms/op", "s/op", "ops/ns", "ops/us", "ops/ms", "ops/s"]


def test_meanings_of_changes_of_time_speed_and_other_units() -> None:
    assert meaning(change("a", 0.1, "regression")) == "slower"
    assert meaning(change("a", -0.1, "regression", unit="ops/s")) == "slower"
    assert meaning(change("a", -0.1, "improvement")) == "faster"
    assert meaning(change("a", 0.1, "regression", unit="B/op")) == "worse"
    assert meaning(change("a", 0.0, "unchanged")) == ""


def test_a_change_from_zero_and_unequal_repetitions() -> None:
    one, zero = change("a", 0.1, "regression", unit="B/op"), Estimate(0, 0, 0, 1, 1)
    from_zero = replace(one, base=zero, smallest=math.inf, interval=None)
    assert figures.change_in_words(from_zero) == "from zero\u00a0(worse)"
    assert figures.change_interval(from_zero) == ""
    assert figures.detectable(from_zero) == "none"
    assert figures.runs_of(one) == "3 × 10"
    assert figures.runs_of(replace(one, head=Estimate(1, 1, 1, 1, 7))) == "3 × 10 / 1 × 7"


@given(st.sampled_from(UNITS), st.floats(1e-15, 1e15))
def test_a_readable_unit_does_not_change_the_result(unit: str, number: float) -> None:
    factor, shown = readable_unit(unit, number)
    assert direction_of(shown) == direction_of(unit)
    power = 1 if direction_of(unit) == "lower" else -1
    before = number**power * seconds_factor(unit)
    after = (number * factor) ** power * seconds_factor(shown)
    assert math.isclose(before, after, rel_tol=1e-12)
    smallest, largest = ("ns/op", "s/op") if power == 1 else ("ops/s", "ops/ns")
    assert 0.999 <= number * factor < 1000.001 or shown in (smallest, largest)


@looped("unit", ["B/op", "MB/s", "allocs/op", "min/op", "ops/day", "ms", "%"])
@looped("number", [1e9, 0.0, math.inf, math.nan])
def test_other_units_and_non_finite_values_are_unchanged(unit: str, number: float) -> None:
    assert readable_unit(unit, number) == (1.0, unit)
    if number != 1e9:
        assert readable_unit("ns/op", number) == (1.0, "ns/op")


def test_both_sides_are_in_the_unit_of_base() -> None:
    base, head = (Estimate(c, 0.9 * c, 1.1 * c, 3, 30, c) for c in (900_000.0, 1_640_000.0))
    one = Change(Identity("a"), "ns/op", "lower", base, head, "regression", 0.1)
    shown = readable(one)
    assert shown.unit == "us/op"
    assert math.isclose(shown.base.center, 900.0)
    assert math.isclose(shown.head.high, 1804.0)
    assert shown.head.score == shown.head.center
    assert math.isclose(shown.ratio, one.ratio)
