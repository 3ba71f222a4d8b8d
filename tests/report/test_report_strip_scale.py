"""Where things are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from steady.compare import Change, Estimate
from steady.report.strips import PLOT_WIDTH, Bar, Scale

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


@pytest.mark.parametrize("others", [1, 2, 17, 299])
def test_one_wide_interval_squeezes_no_other(make_change: MakeChange, others: int) -> None:
    still = [make_change(f"a{i}", 0.0, "unchanged") for i in range(others)]
    wide = replace(make_change("b", 0.1, "unchanged"), interval=(-0.9, 5.0))
    scale = Scale.of([*still, wide])
    assert scale.reach == 0.05
    bar = scale.bar(wide)
    assert bar == Bar(0.0, PLOT_WIDTH, None, True, True)
    assert not any(b.beyond_left or b.beyond_right for c in still if (b := scale.bar(c)))


def test_nearly_all_intervals_are_shown_whole(make_change: MakeChange) -> None:
    changes = [
        replace(make_change(f"a{i}", 0.0, "unchanged"), interval=(-0.003 * i, 0.003 * i))
        for i in range(100)
    ]
    scale = Scale.of(changes)
    assert scale.reach == 0.3
    assert sum(b.beyond_right for c in changes if (b := scale.bar(c))) <= 10


def test_no_mark_stands_where_no_value_can_be() -> None:
    assert [change for _, change in Scale(2.0).ticks()] == [-1.0, 0.0, 1.0, 2.0]
    assert [change for _, change in Scale(5.0).ticks()] == [0.0, 2.5, 5.0]
    assert len(Scale(1.0).ticks()) == 5


def test_a_bar_is_the_interval_of_the_change(make_change: MakeChange) -> None:
    bar = Scale(0.1).bar(make_change("a", 0.05, "regression"))
    assert bar == Bar(156.0, 204.0, 180.0, False, False)


def test_the_intervals_of_the_sides_say_nothing(make_change: MakeChange) -> None:
    """In rounds, both sides drift together: theirs are wide where the change is known well."""
    change = make_change("a", 0.05, "regression")
    drifting = replace(
        change,
        base=replace(change.base, low=10.0, high=900.0),
        head=replace(change.head, low=10.0, high=900.0),
    )
    assert Scale.of([drifting]) == Scale.of([change])
    assert Scale(0.1).bar(drifting) == Scale(0.1).bar(change)


def test_without_an_interval_there_is_only_the_mark(make_change: MakeChange) -> None:
    bar = Scale(0.1).bar(replace(make_change("a", 0.05, "regression"), interval=None))
    assert bar == Bar(180.0, 180.0, 180.0, False, False)


def test_an_interval_beyond_the_scale_says_so(make_change: MakeChange) -> None:
    bar = Scale(0.05).bar(make_change("a", 0.5, "regression"))
    assert bar is not None
    assert bar.beyond_right
    assert not bar.beyond_left
    assert bar.center is None


def test_a_base_of_zero_has_no_picture(make_change: MakeChange) -> None:
    change = replace(make_change("a", 0.5, "regression"), base=Estimate(0, 0, 0, 1, 1))
    assert Scale(0.1).bar(change) is None
    assert Scale.of([change]).reach == 0.05


def test_forks_lengthen_the_scale_as_far_as_intervals_can_still_be_seen(
    make_change: MakeChange,
) -> None:
    still = [make_change(f"a{i}", 0.0, "unchanged") for i in range(20)]
    assert Scale.of(still, [np.array([0.08, -0.08])] * 20).reach == 0.1
    assert Scale.of(still, [np.array([0.9, -0.9])] * 20).reach == 0.1
    assert Scale.of(still, [np.array([0.01, -0.01]), np.empty(0)]).reach == 0.05
