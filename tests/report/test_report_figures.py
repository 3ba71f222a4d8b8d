"""A change and its two sides, in figures and units as people say them."""

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


def test_words_for_what_is_time_or_speed_and_for_what_is_not() -> None:
    assert meaning(change("a", 0.1, "regression")) == "slower"
    assert meaning(change("a", -0.1, "regression", unit="ops/s")) == "slower"
    assert meaning(change("a", -0.1, "improvement")) == "faster"
    assert meaning(change("a", 0.1, "regression", unit="B/op")) == "worse"
    assert meaning(change("a", 0.0, "unchanged")) == ""


def test_a_change_from_zero_and_sides_that_ran_unlike() -> None:
    one, zero = change("a", 0.1, "regression", unit="B/op"), Estimate(0, 0, 0, 1, 1)
    from_zero = replace(one, base=zero, smallest=math.inf, interval=None)
    assert figures.change_in_words(from_zero) == "from zero\u00a0(worse)"
    assert figures.change_interval(from_zero) == ""
    assert figures.detectable(from_zero) == "none"
    assert figures.runs_of(one) == "3 × 10"
    assert figures.runs_of(replace(one, head=Estimate(1, 1, 1, 1, 7))) == "3 × 10 / 1 × 7"


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
@looped("number", [1e9, 0.0, math.inf, math.nan])
def test_other_units_and_what_has_no_size_stay(unit: str, number: float) -> None:
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
