"""Pictures of a report: the scale of strips, the lines of forks, and colours."""

import re
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

from steady.compare import Change, Estimate
from steady.report.side_picture import (
    FINENESS,
    SERIES_HEIGHT,
    SERIES_WIDTH,
    STRETCHES,
    SeriesAxes,
)
from steady.report.strips import PLOT_WIDTH, Bar, Scale
from tests.looped import looped
from tests.report.made import change

WORSE = change("a", 0.05, "regression")


def still(number: int) -> list[Change]:
    return [change(f"a{i}", 0.0, "unchanged") for i in range(number)]


def test_the_scale_is_round_and_includes_all_changes() -> None:
    many = still(100)
    assert Scale.of(many).reach == 0.05
    assert Scale.of([*many, change("b", 0.42, "regression")]).reach == 0.5
    assert Scale.of([*many, change("b", 9.0, "regression")]).reach == 0.05
    assert Scale.of([]).reach == 0.05
    assert [Scale(0.1).position(x) for x in (-1, -0.1, 0, 0.05, 0.1, 1)] == [
        0, 0, PLOT_WIDTH / 2, 0.75 * PLOT_WIDTH, PLOT_WIDTH, PLOT_WIDTH,
    ]  # fmt: skip


@looped("others", [1, 2, 17, 299])
def test_one_wide_interval_does_not_compress_the_others(others: int) -> None:
    wide = replace(change("b", 0.1, "unchanged"), interval=(-0.9, 5.0))
    scale = Scale.of([*still(others), wide])
    assert scale.reach == 0.05
    assert scale.bar(wide) == Bar(0.0, PLOT_WIDTH, None, True, True)
    bars = map(scale.bar, still(others))
    assert not any(bar.beyond_left or bar.beyond_right for bar in bars if bar)


def test_nearly_all_intervals_are_within_the_scale() -> None:
    changes = [replace(c, interval=(-0.003 * i, 0.003 * i)) for i, c in enumerate(still(100))]
    scale = Scale.of(changes)
    assert scale.reach == 0.3
    assert sum(bar.beyond_right for c in changes if (bar := scale.bar(c))) <= 10


def test_the_scale_has_no_ticks_at_impossible_values() -> None:
    assert Scale(0.1).ticks()[0] == (0.0, -0.1)
    assert [at for _, at in Scale(2.0).ticks()] == [-1.0, 0.0, 1.0, 2.0]
    assert [at for _, at in Scale(5.0).ticks()] == [0.0, 2.5, 5.0]
    assert len(Scale(1.0).ticks()) == 5


NO_BASE = replace(WORSE, base=Estimate(0, 0, 0, 1, 1))
DRIFTING = replace(
    WORSE,
    base=replace(WORSE.base, low=10.0, high=900.0),
    head=replace(WORSE.head, low=10.0, high=900.0),
)
"""A change whose sides drift together, so that their intervals overlap."""


@looped(
    ("reach", "one", "bar"),
    [
        (0.1, WORSE, Bar(156.0, 204.0, 180.0, False, False)),
        (0.1, DRIFTING, Bar(156.0, 204.0, 180.0, False, False)),
        # Without an interval, only the mark is drawn.
        (0.1, replace(WORSE, interval=None), Bar(180.0, 180.0, 180.0, False, False)),
        (0.05, change("a", 0.5, "regression"), Bar(240.0, 240.0, None, False, True)),
        (0.1, NO_BASE, None),
    ],
)
def test_a_bar_is_the_interval_of_the_change(reach: float, one: Change, bar: Bar | None) -> None:
    assert Scale(reach).bar(one) == bar
    assert Scale.of([DRIFTING]) == Scale.of([WORSE])
    assert Scale.of([NO_BASE]).reach == 0.05


def test_forks_extend_the_scale_while_intervals_stay_visible() -> None:
    assert Scale.of(still(20), [np.array([0.08, -0.08])] * 20).reach == 0.1
    assert Scale.of(still(20), [np.array([0.9, -0.9])] * 20).reach == 0.1
    assert Scale.of(still(20), [np.array([0.01, -0.01]), np.empty(0)]).reach == 0.05


def points(path: str) -> list[tuple[int, int]]:
    """Return the points of a path of relative steps."""
    numbers = [int(text) for text in re.findall(r"-?\d+", path)]
    steps = np.array(numbers).reshape(-1, 2)
    return [(int(x), int(y)) for x, y in np.cumsum(steps, axis=0)]


def test_lines_are_inside_the_picture_and_fill_it() -> None:
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
    # The axis of times has no negative values.
    assert SeriesAxes.of([np.array([[0.1, 50.0, 100.0]])]).low == 0.0


def test_a_band_spans_all_forks() -> None:
    table = np.random.default_rng(1).normal(50, 10, (4, 600))
    table[1, 500:] = np.nan
    axes = SeriesAxes(600, 0.0, 100.0)
    drawn = points(axes.band(table).removesuffix("z"))
    upper, lower = drawn[:STRETCHES], drawn[STRETCHES:][::-1]
    for stretch, ((x, high), (same, low)) in enumerate(zip(upper, lower, strict=True)):
        part = table[:, 10 * stretch : 10 * stretch + 10]
        assert x == same == round(FINENESS * SERIES_WIDTH * (10 * stretch + 5) / 600)
        for y, extreme in ((high, np.nanmax(part)), (low, np.nanmin(part))):
            assert y == pytest.approx(FINENESS * SERIES_HEIGHT * (1 - extreme / 100), abs=0.5)
    assert axes.band(np.full((2, 5), np.nan)) == ""


def test_a_path_is_the_series() -> None:
    axes = SeriesAxes(4, 0.0, 96.0)
    drawn = points(axes.path(np.array([0.0, 96.0, 48.0, 24.0]), 100))
    assert drawn == [(125, 384), (375, 0), (625, 192), (875, 288)]
    assert axes.path(np.array([np.nan]), 100) == ""
    assert axes.path(np.array([48.0]), 100) == "M125 192h0"


def test_values_outside_the_axis_get_a_mark() -> None:
    table = np.full((2, 100), 5.0)
    table[1, 50], table[0, 99], table[0, 0] = 90.0, -3.0, np.nan
    above, below = SeriesAxes(100, 0.0, 10.0).beyond(table)
    assert above.tolist() == [pytest.approx(SERIES_WIDTH / 2, abs=8)]
    assert below.tolist() == [pytest.approx(SERIES_WIDTH, abs=8)]


@looped("values", [[[5.0, 5.0]], [[0.0]], [[np.nan]], [[-3.0, -3.0]]])
def test_series_without_variance_have_axes(values: list[list[float]]) -> None:
    table = np.array(values)
    axes = SeriesAxes.of([table])
    assert axes.high > axes.low
    axes.path(table[0], 10)


CSS = (files("steady.report") / "templates" / "pictures.css").read_text(encoding="utf-8")
LIGHT, DARK = (dict(re.findall(r"(--\w+): (#\w+);", block)) for block in
               re.findall(r":root \{(.*?)\}", CSS, re.DOTALL))  # fmt: skip


def luminance(color: str) -> float:
    digits = color.removeprefix("#")
    digits = "".join(2 * c for c in digits) if len(digits) == 3 else digits
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_text_contrast_in_light_and_dark_themes() -> None:
    """The minimum for small text is 4.5 (WCAG 2.2, success criterion 1.4.3)."""
    assert contrast("#000", "#fff") == pytest.approx(21)
    assert contrast("#777", "#fff") == pytest.approx(4.48, abs=0.01)
    assert LIGHT.keys() == DARK.keys()
    for colors in (LIGHT, DARK):
        for text in ("ink", "soft", "worse", "better", "open", "same"):
            for ground in ("paper", "band"):
                assert contrast(colors[f"--{text}"], colors[f"--{ground}"]) >= 4.5, (text, ground)
