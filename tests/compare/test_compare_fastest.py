"""The mean of the fastest quarter, beside a literal one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.compare.spread import fastest_quarter

TIMES = st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=30)


def literal(values: list[float], *, higher: bool) -> float:
    """Sort, take every fourth value rounded up, average."""
    best = sorted(values, reverse=higher)[: math.ceil(len(values) / 4)]
    return sum(best) / len(best)


@given(TIMES, st.sampled_from(["ns/op", "ops/s"]))
def test_is_the_literal_mean(values: list[float], unit: str) -> None:
    [found] = fastest_quarter(np.array([values]), unit)
    assert found == pytest.approx(literal(values, higher=unit == "ops/s"))


def test_missing_iterations_do_not_count() -> None:
    table = np.array([[5.0, 1, 2, 9, 8, 7, 6, 3], [4.0, np.nan, 3, np.nan, 8, 9, np.nan, np.nan]])
    np.testing.assert_allclose(fastest_quarter(table, "ns/op"), [1.5, 3.0])
    np.testing.assert_allclose(fastest_quarter(table, "ops/s"), [8.5, 9.0])


def test_disturbances_of_three_quarters_do_not_move_it() -> None:
    quiet = np.full((1, 20), 10.0)
    disturbed = quiet.copy()
    disturbed[0, 5:] *= np.linspace(1.1, 9, 15)
    assert fastest_quarter(disturbed, "ns/op") == fastest_quarter(quiet, "ns/op")
