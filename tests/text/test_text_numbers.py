"""Numbers as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.text import numbers
from tests.looped import looped


@looped(
    ("number", "text"),
    [
        (0.0, "0"),
        (1.0, "1.000"),
        (999.96, "1,000.0"),
        (0.00012345, "0.0001234"),
        (0.000012345, "1.234e-05"),
        (123456789.4, "123,456,789"),
        (3e15, "3.000e+15"),
        (-12.5, "−12.50"),
    ],
)
def test_values(number: float, text: str) -> None:
    assert numbers.value(number) == text


@given(st.floats(1e-300, 1e300))
def test_a_value_keeps_four_digits(number: float) -> None:
    assert float(numbers.value(number).replace(",", "")) == pytest.approx(number, rel=6e-4)


@given(st.floats(allow_nan=False))
def test_a_percentage_always_has_one_sign_at_most(fraction: float) -> None:
    text = numbers.percent(fraction, signed=True)
    assert sum(text.count(sign) for sign in "+−-") <= 1
    assert "e" not in text.replace("unbounded", "")


@looped(
    ("seconds", "text"),
    [
        (0.0, "0.0 s"),
        (9.96, "10.0 s"),
        (59.4, "59 s"),
        (59.6, "1 min 00 s"),
        (3599.6, "1 h 00 min"),
        (90_000, "25 h 00 min"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert numbers.duration(seconds).replace("\u00a0", " ") == text


def test_a_value_is_as_exact_as_another() -> None:
    assert numbers.value(12.3, like=12345.6) == "12"
    assert numbers.value(12.3, like=0.5) == "12.3000"


def test_one_name_more_than_fits_is_counted() -> None:
    assert numbers.listed(list("abcdef")) == "a, b, c, d, e and 1 more"
    assert numbers.listed(["a"]) == "a"


def test_thousands_are_set_apart() -> None:
    names = [str(number) for number in range(2003)]
    assert numbers.listed(names, 3, separator="; ", last="; and ") == "0; 1; 2; and 2,000 more"
