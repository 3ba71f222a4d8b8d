"""What earlier runs tell about the spread between forks."""

from __future__ import annotations

import numpy as np
import pytest

from steady.compare.spread import Spread, earlier_spread
from tests.looped import looped


def constant(*levels: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return forks of eight equal iterations each."""
    return np.repeat(np.array(levels)[:, np.newaxis], 8, axis=1)


def test_each_run_counts_about_its_own_mean_by_its_degrees_of_freedom() -> None:
    runs = [constant(1.0, np.e), constant(7.0, 7.0, 7.0)]
    spread = earlier_spread(runs, "ns/op", 8)
    assert spread.freedom == 3
    assert spread.variance == pytest.approx((1 * 0.5 + 2 * 0.0) / 3)


def test_long_forks_are_cut_to_the_iterations_that_matter() -> None:
    table = np.vstack([np.arange(20.0, 0, -1), np.arange(30.0, 10, -1)])
    four = np.log([17.0, 27.0])
    assert earlier_spread([table], "ns/op", 4).variance == pytest.approx(four.var(ddof=1))
    all_ = np.log([3.0, 13.0])
    assert earlier_spread([table], "ns/op", 99).variance == pytest.approx(all_.var(ddof=1))


def test_forks_without_a_value_in_that_part_are_left_out() -> None:
    table = constant(1.0, 2.0, 4.0)
    table[1, :5] = np.nan
    spread = earlier_spread([table], "ns/op", 5)
    assert spread.freedom == 1
    assert spread.variance == pytest.approx(np.log([1.0, 4.0]).var(ddof=1))


@looped("runs", [[], [constant(3.0)], [constant(0.0, 1.0)], [np.empty((0, 0))]])
def test_nothing_to_learn_is_worth_nothing(
    runs: list[np.ndarray[tuple[int, int], np.dtype[np.float64]]],
) -> None:
    assert earlier_spread(runs, "ns/op", 8) == Spread(0.0, 0.0)


def test_spreads_add_up_by_their_degrees_of_freedom() -> None:
    assert Spread(4.0, 1) + Spread(1.0, 3) == Spread(1.75, 4)
    assert Spread() + Spread() == Spread()
