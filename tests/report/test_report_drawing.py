"""Where things are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from steady.compare import Change, Estimate
from steady.report.drawing import PLOT_WIDTH, SERIES_HEIGHT, SERIES_WIDTH, Scale, SeriesAxes, thin

MakeChange = Callable[..., Change]


def test_the_scale_is_round_and_shows_what_changed(make_change: MakeChange) -> None:
    still = [make_change(f"a{i}", 0.0, "unchanged") for i in range(100)]
    assert Scale.of(still).reach == 0.05
    assert Scale.of([*still, make_change("b", 0.42, "regression")]).reach == 0.5
    assert Scale.of([*still, make_change("b", 9.0, "regression")]).reach == 0.05
    assert Scale.of([]).reach == 0.05


def test_positions_are_symmetric_and_cut_off() -> None:
    scale = Scale(0.1)
    assert [scale.position(x) for x in (-1, -0.1, 0, 0.05, 0.1, 1)] == [
        0, 0, PLOT_WIDTH / 2, 0.75 * PLOT_WIDTH, PLOT_WIDTH, PLOT_WIDTH,
    ]  # fmt: skip
    assert scale.ticks()[0] == (0.0, -0.1)


def test_bars_are_relative_to_base(make_change: MakeChange) -> None:
    bars = Scale(0.1).bars(make_change("a", 0.05, "regression"))
    assert bars is not None
    base, head = bars
    assert (base.left, base.center, base.right) == (108.0, 120.0, 132.0)
    assert head.center == 180.0
    assert not head.beyond_right


def test_an_interval_beyond_the_scale_says_so(make_change: MakeChange) -> None:
    bars = Scale(0.05).bars(make_change("a", 0.5, "regression"))
    assert bars is not None
    assert bars[1].beyond_right
    assert not bars[1].beyond_left


def test_a_base_of_zero_has_no_picture(make_change: MakeChange) -> None:
    change = replace(make_change("a", 0.5, "regression"), base=Estimate(0, 0, 0, 1, 1))
    assert Scale(0.1).bars(change) is None


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


def test_points_lie_inside_the_picture() -> None:
    values = np.random.default_rng(1).normal(100, 5, (3, 500))
    values[0, 0] = 1e6
    axes = SeriesAxes.of([values])
    for fork in values:
        points = [tuple(map(float, p.split(","))) for p in axes.points(fork, 200).split()]
        assert len(points) <= 200
        assert all(0 <= x <= SERIES_WIDTH and 0 <= y <= SERIES_HEIGHT for x, y in points)
        assert points[0][0] <= points[-1][0]
    assert axes.high < 200


@pytest.mark.parametrize("values", [[[5.0, 5.0]], [[0.0]], [[np.nan]], [[-3.0, -3.0]]])
def test_series_without_spread_have_axes(values: list[list[float]]) -> None:
    table = np.array(values)
    axes = SeriesAxes.of([table])
    assert axes.high > axes.low
    axes.points(table[0], 10)
