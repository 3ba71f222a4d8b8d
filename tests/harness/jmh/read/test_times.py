"""JMH's durations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.harness.jmh.time_value import parse_time_value
from tests.looped import looped


@looped(
    ("text", "seconds"),
    [
        ("100 ms", 0.1),
        ("10 s", 10.0),
        ("1 s", 1.0),
        ("35 ms", 0.035),
        ("7 us", 7e-6),
        ("250 ns", 2.5e-7),
        ("10 min", 600.0),
        ("2 hr", 7200.0),
        ("1 day", 86400.0),
        ("single-shot", 0.0),
        ("100ms", 0.1),
    ],
)
def test_what_jmh_prints(text: str, seconds: float) -> None:
    assert parse_time_value(text) == seconds


@looped("text", ["", "100", "ms", "-1 s", "0.1 s", "1 sec", "1 s ", "9" * 40 + " s"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a duration"):
        parse_time_value(text)


@given(st.integers(0, 10**9))
def test_milliseconds_are_the_nearest_float(count: int) -> None:
    assert parse_time_value(f"{count} ms") == count / 1000
