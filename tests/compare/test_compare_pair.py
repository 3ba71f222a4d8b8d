"""Which repetitions count as forks, and what intervals alone can say."""

from __future__ import annotations

import numpy as np
import pytest

from steady.compare import Estimate, fork_values
from steady.compare.pair import NO_REACH, Reach, apart_intervals
from steady.model import Benchmark, Identity, Level


def of(values: object, *levels: str, warmup: int = 0) -> Benchmark:
    return Benchmark(
        Identity("b"),
        "ns/op",
        np.asarray(values, dtype=np.float64),
        tuple(Level(name) for name in levels),
        warmup=warmup,
    )


def test_forks_are_rows_and_warmup_is_left_out() -> None:
    table = fork_values(of([[9, 1, 2], [9, 3, 4]], "fork", "iteration", warmup=1))
    np.testing.assert_array_equal(table, [[1, 2], [3, 4]])


def test_outermost_repeated_level_is_what_counts_as_fork() -> None:
    values = np.arange(24.0).reshape(1, 2, 3, 4)
    table = fork_values(of(values, "instance", "suite run", "iteration", "second"))
    np.testing.assert_array_equal(table, values.reshape(2, 12))


def test_a_single_fork_is_one_row_whatever_its_axes() -> None:
    assert fork_values(of([1, 2, 3], "iteration")).shape == (1, 3)
    assert fork_values(of([[1, 2, 3]], "fork", "iteration")).shape == (1, 3)
    assert fork_values(of([[7]], "fork", "iteration")).shape == (1, 1)


def test_single_shots_of_many_forks_are_many_forks() -> None:
    assert fork_values(of([[1], [2], [3]], "fork", "iteration")).shape == (3, 1)


def test_what_is_not_finite_counts_as_missing() -> None:
    values = [[1, np.nan, np.nan], [np.inf, np.nan, np.nan], [3, 4, np.nan]]
    table = fork_values(of(values, "fork", "iteration"))
    np.testing.assert_array_equal(table, [[1, np.nan], [3, 4]])


@pytest.mark.parametrize("values", [[[np.nan, np.nan]], np.empty((2, 0)), np.empty((0, 3))])
def test_nothing_measured_is_an_empty_table(values: object) -> None:
    assert fork_values(of(values, "fork", "iteration")).size == 0


def estimate(center: float, low: float, high: float) -> Estimate:
    return Estimate(center, low, high, 1, 10)


@pytest.mark.parametrize(
    ("base", "head", "apart"),
    [
        ((10, 9, 11), (12, 11.5, 13), True),
        ((10, 9, 11), (12, 11, 13), True),  # touching: the paper's prototype counts it as apart
        ((10, 9, 11), (12, 10.9, 13), False),
        ((10, 9, 11), (8, 7, 9), True),
        ((10, 10, 10), (10, 9, 11), False),  # zero width inside another: overlap
    ],
)
def test_intervals_are_apart_where_they_share_at_most_one_point(
    base: tuple[float, float, float], head: tuple[float, float, float], apart: bool
) -> None:
    judgement = apart_intervals(estimate(*base), estimate(*head))
    assert judgement.apart is apart
    assert judgement.interval is not None
    low, high = judgement.interval
    assert (low >= 0 or high <= 0) is apart


def test_reach_is_the_change_at_which_head_just_touches_base() -> None:
    base = estimate(10, 9, 10.5)
    reach = apart_intervals(base, estimate(20, 19, 22)).reach
    for change in (-reach.fall, reach.rise):
        moved = estimate(*(x / 2 * (1 + change) for x in (20, 19, 22)))
        assert min(abs(moved.low - base.high), abs(moved.high - base.low)) < 1e-12
    assert (reach.of(-0.1), reach.of(0.1)) == (reach.fall, reach.rise)
    assert reach.of(0.0) == max(reach.fall, reach.rise)


def test_a_base_of_zero_has_no_relative_interval() -> None:
    judgement = apart_intervals(estimate(0, 0, 0), estimate(5, 5, 5))
    assert (judgement.interval, judgement.apart, judgement.reach) == (None, True, Reach(0, 0))
    assert apart_intervals(estimate(0, -1, 6), estimate(5, 5, 5)).reach == NO_REACH
    assert apart_intervals(estimate(0, 0, 0), estimate(0, 0, 0)).reach == Reach(0, 0)
