from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.errors import InputError
from steady.harness.jmh.time_value import TimeValue, parse_time_value
from tests.looped import looped


@looped(
    ("seconds", "printed"),
    [
        *((10.0, "10 s"), (0.1, "100 ms"), (0.25, "250 ms"), (1.5, "1500 ms"), (1e-3, "1 ms")),
        *((1e-6, "1 us"), (3e-9, "3 ns"), (90.0, "90 s"), (0.0, "0 s")),
        (3.000000001, "3000000 us"),  # 3000000001 ns exceed the limit of Integer.parseInt
    ],
)
def test_largest_unit_with_an_integer(seconds: float, printed: str) -> None:
    value = TimeValue.of(seconds)
    assert str(value) == printed
    assert value.argument == printed.replace(" ", "")


@given(st.integers(1, 2**31 - 1))
def test_nanoseconds_round_trip(nanoseconds: int) -> None:
    seconds = float(Fraction(nanoseconds, 10**9))
    value = TimeValue.of(seconds)
    assert value.amount < 2**31
    assert parse_time_value(str(value)) == seconds


@given(st.floats(1e-9, 2e9))
def test_durations_are_rounded_by_at_most_a_quarter_of_a_millionth(seconds: float) -> None:
    value = TimeValue.of(seconds)
    assert 0 < value.amount < 2**31
    assert parse_time_value(str(value)) == pytest.approx(seconds, rel=2.5e-7, abs=5.1e-10)


def test_invalid_durations_are_rejected() -> None:
    for seconds in (-1.0, float("nan"), float("inf"), 1e-10, 3e9):
        with pytest.raises(InputError, match="seconds is"):
            TimeValue.of(seconds)
    for text in ("", "100", "ms", "-1 s", "0.1 s", "1 second", "1 s ", "9" * 40 + " s"):
        with pytest.raises(ValueError, match="not a duration"):
            parse_time_value(text)


@looped(
    ("text", "seconds"),
    [
        *(("100 ms", 0.1), ("10 s", 10.0), ("1 s", 1.0), ("35 ms", 0.035), ("7 us", 7e-6)),
        *(("250 ns", 2.5e-7), ("10 min", 600.0), ("2 hr", 7200.0), ("1 day", 86400.0)),
        *(("single-shot", 0.0), ("100ms", 0.1)),
    ],
)
def test_durations_printed_by_jmh(text: str, seconds: float) -> None:
    assert parse_time_value(text) == seconds


@given(st.integers(0, 10**9))
def test_milliseconds_are_the_nearest_float(count: int) -> None:
    assert parse_time_value(f"{count} ms") == count / 1000
