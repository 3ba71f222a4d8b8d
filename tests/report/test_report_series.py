"""Lines of series: no outlier squeezes them, and nothing is lost that can be seen."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from steady.report.side_picture import (
    FINENESS,
    SERIES_HEIGHT,
    SERIES_WIDTH,
    SeriesAxes,
    thin,
)


def points(path: str) -> list[tuple[int, int]]:
    """Return the points of a path of relative steps."""
    numbers = [int(text) for text in re.findall(r"-?\d+", path)]
    steps = np.array(numbers).reshape(-1, 2)
    return [(int(x), int(y)) for x, y in np.cumsum(steps, axis=0)]


@given(arrays(np.float64, st.integers(0, 300), elements=st.floats(-10, 10)), st.integers(2, 60))
def test_thinning_keeps_order_extremes_and_limit(values: np.ndarray, most: int) -> None:
    positions, kept = thin(values, most)
    assert len(kept) <= max(most, 2)
    assert (np.diff(positions) > 0).all()
    np.testing.assert_array_equal(values[positions.astype(int)], kept)
    if values.size:
        assert kept.min() == values.min()
        assert kept.max() == values.max()


def test_what_is_missing_is_left_out() -> None:
    positions, kept = thin(np.array([1.0, np.nan, 3.0, np.inf]), 10)
    assert (positions.tolist(), kept.tolist()) == ([0, 2], [1, 3])


def test_lines_lie_inside_the_picture_and_fill_it() -> None:
    values = np.random.default_rng(1).normal(100, 5, (3, 500))
    values[0, 0] = 1e6
    axes = SeriesAxes.of([values])
    for fork in values:
        drawn = points(axes.path(fork, 200))
        assert len(drawn) <= 200
        assert all(0 <= x <= FINENESS * SERIES_WIDTH for x, _ in drawn)
        assert all(0 <= y <= FINENESS * SERIES_HEIGHT for _, y in drawn)
        assert drawn[0][0] < 0.05 * FINENESS * SERIES_WIDTH
        assert drawn[-1][0] > 0.95 * FINENESS * SERIES_WIDTH
    assert axes.high < 200


def test_a_path_is_the_series() -> None:
    axes = SeriesAxes(4, 0.0, 96.0)
    drawn = points(axes.path(np.array([0.0, 96.0, 48.0, 24.0]), 100))
    assert [y for _, y in drawn] == [384, 0, 192, 288]
    assert [x for x, _ in drawn] == [125, 375, 625, 875]
    assert axes.path(np.array([np.nan]), 100) == ""
    assert axes.path(np.array([48.0]), 100) == "M125 192h0"


def test_what_lies_outside_gets_a_mark() -> None:
    table = np.full((2, 100), 5.0)
    table[1, 50], table[0, 99], table[0, 0] = 90.0, -3.0, np.nan
    above, below = SeriesAxes(100, 0.0, 10.0).beyond(table)
    assert above.tolist() == [pytest.approx(SERIES_WIDTH / 2, abs=8)]
    assert below.tolist() == [pytest.approx(SERIES_WIDTH, abs=8)]


def test_no_value_below_zero_is_on_the_axis_of_times() -> None:
    assert SeriesAxes.of([np.array([[0.1, 50.0, 100.0]])]).low == 0.0


@pytest.mark.parametrize("values", [[[5.0, 5.0]], [[0.0]], [[np.nan]], [[-3.0, -3.0]]])
def test_series_without_spread_have_axes(values: list[list[float]]) -> None:
    table = np.array(values)
    axes = SeriesAxes.of([table])
    assert axes.high > axes.low
    axes.path(table[0], 10)
