"""Plots of forks, plans and changes, and their reproducibility."""

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import steady
from steady.model import Failure, Identity, Suite
from steady.plots.canvas import KINDS, checked_kind, render
from steady.plots.fork_lines import MOST_POINTS, ForkLines, draw_forks
from steady.plots.rows import MOST_BARS, MOST_CHANGES, Intervals, draw_intervals
from tests.looped import looped
from tests.tables.results import HOSTILE, comparison_of, plan_of, suite_of


def series(forks: int, iterations: int) -> np.ndarray:
    """Return forks that fall to a level of 100."""
    values = 100 + np.random.default_rng(3).standard_normal((forks, iterations))
    values[:, :8] += np.linspace(50, 5, 8)
    return values


def shades(axes: Axes) -> list[tuple[float, float]]:
    """Return the limits of the shaded areas."""
    found = [p for p in axes.patches if isinstance(p, Rectangle)]
    return [(p.get_x(), p.get_x() + p.get_width()) for p in found]


def lines_of(axes: Axes) -> list[Any]:
    """Return the lines, untyped because matplotlib's types do not declare their data as arrays."""
    return list(axes.lines)


def labels(axes: Axes) -> list[str]:
    """Return the texts of the legend."""
    legend = axes.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def test_each_fork_is_a_line_with_its_warm_up_and_the_planned_window() -> None:
    values = series(3, 60)
    suite = Suite.of({"org.example.Bench.parse": values}, unit="ns/op")
    axes = suite.plot("parse", starts=(8, None, 5), odd_forks=(2,), window=(10, 20))
    lines = [line for line in lines_of(axes) if len(line.get_xdata()) == 60]
    for line, own in zip(lines, values, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), own)
    assert shades(axes) == [(-0.5, 7.5), (-0.5, 59.5), (-0.5, 4.5)]
    dots = [(x[0], y[0]) for x, y in (dot.get_data() for dot in lines_of(axes)) if len(x) == 1]
    assert dots == [(8, values[0, 8]), (5, values[2, 5])]
    ends = [line.get_xdata()[0] for line in lines_of(axes) if line.get_linestyle() == "--"]
    assert ends == [9.5, 19.5]
    assert labels(axes) == [
        "fork 2, differs", "warm-up (darker: more forks)\n1 of 3 never steady", "planned: 10 to 19",
    ]  # fmt: skip
    assert (axes.get_title(), axes.get_ylabel()) == ("org.example.Bench.parse", "ns/op")


def test_the_harness_s_warm_up_is_shaded_without_an_analysis() -> None:
    assert shades(suite_of(["a"]).plot("a")) == [(-0.5, 0.5)] * 2
    one = series(1, 40)
    axes = steady.SteadyState(7, "kb-kssd", reason="why").plot(one[0])
    assert shades(axes) == [(-0.5, 6.5)]
    assert (axes.get_title(), labels(axes)) == ("why", ["warm-up"])
    forks = steady.Similarity(True, "heuristic", {}, (1,), "why").plot(series(3, 40))
    assert labels(forks) == ["fork 1, differs"]


def test_long_series_keep_their_extremes_and_the_label_describes_downsampling() -> None:
    values = series(10, 3000)
    values[4, 1234] = 400.0
    values[4, 2900:] = np.nan
    values[7, 5:9] = np.inf
    axes = Suite.of({"a": values}, unit="ns/op").plot("a", starts=[10] * 9 + [None])
    lines = lines_of(axes)[:10]
    assert all(len(line.get_xdata()) <= MOST_POINTS for line in lines)
    assert max(lines[4].get_ydata()) == 400.0
    assert max(lines[4].get_xdata()) < 2900
    assert axes.get_xlabel().endswith("(lines show the smallest and largest of every 6)")
    short = Suite.of({"a": values[:, :100]}, unit="ns/op").plot("a")
    assert short.get_xlabel() == "iteration, counted from 0"
    assert np.isnan(lines_of(short)[7].get_ydata()[5:9]).all()


def test_the_axis_is_logarithmic_if_a_warm_up_would_hide_the_rest() -> None:
    values = series(2, 50)
    assert Suite.of({"a": values}, unit="ns/op").plot("a").get_yscale() == "linear"
    values[0, 0] = 5_000
    axes = Suite.of({"a": values}, unit="ns/op").plot("a")
    assert (axes.get_yscale(), axes.get_ylabel()) == ("log", "ns/op, logarithmic")
    values[1, 0] = 0.0
    assert Suite.of({"a": values}, unit="ns/op").plot("a").get_yscale() == "linear"


def test_invalid_data_give_a_one_line_error() -> None:
    failed = (Failure(Identity("org.B.broken"), "java.lang.OutOfMemoryError"),)
    suite = Suite(Suite.of({"a": [[np.nan]], "b": series(2, 20)}, unit="s/op").benchmarks,
                  failures=failed)  # fmt: skip
    cases: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
        (("B.broken",), {}, "org.B.broken has no result to draw: java.lang.OutOfMemoryError"),
        (("zork",), {}, "no benchmark is called 'zork'; the names are a, b"),
        (("a",), {}, "a: there is no finite value to draw"),
        (("b",), {"starts": [1]}, "b: 1 starts for 2 forks; give one for each"),
        (("b",), {"odd_forks": (2,)}, "b: odd_forks are (2,), but forks are numbered from 0 to 1"),
    ]
    for words, more, problem in cases:
        with pytest.raises(steady.InputError) as error:
            suite.plot(*words, **more)
        assert str(error.value).startswith(problem)
    with pytest.raises(steady.InputError, match="no benchmarks: there is nothing to draw"):
        plan_of(()).plot()
    with pytest.raises(steady.InputError, match="no benchmark was compared"):
        comparison_of(()).plot()
    with pytest.raises(steady.InputError, match=r"written as \.png, \.svg or \.pdf, not \.gif"):
        checked_kind(".gif")


def test_a_plan_is_two_bars_for_each_of_the_longest() -> None:
    axes = plan_of([f"b{i}" for i in range(100)]).plot()
    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    assert len(bars) == 2 * MOST_BARS
    assert {bar.get_width() for bar in bars[:MOST_BARS]} == {300.0}
    assert [bar.get_width() for bar in bars[MOST_BARS:]] == [54.0 + i for i in range(MOST_BARS)]
    assert axes.get_xlabel() == f"seconds of one run, the {MOST_BARS} longest of 100"


def test_changes_keep_their_order_and_an_arrow_marks_one_off_scale() -> None:
    nan = float("nan")
    drawn = Intervals(
        names=["far", "up", "still", "none"],
        outcomes=["regression", "improvement", "unchanged", "unclear"],
        changes=[float("inf"), -0.05, 0.001, 0.01],
        low=[nan, -0.08, -0.01, nan],
        high=[nan, -0.02, 0.012, nan],
        threshold=0.03,
        title="T",
    )
    axes = draw_intervals(drawn)
    low, high = axes.get_xlim()
    assert (low, high) == (-10.0, 10.0)
    assert [text.get_text() for text in axes.texts] == ["infinite"]
    points = [line.get_xdata()[0] for line in lines_of(axes) if line.get_marker() == "o"]
    assert points == pytest.approx([-5.0, 0.1, 1.0])
    [arrow] = [line for line in lines_of(axes) if line.get_marker() == ">"]
    assert 8 < arrow.get_xdata()[0] < 10
    axes = comparison_of([f"b{i}" for i in range(100)]).plot()
    assert len(axes.get_yticklabels()) == MOST_CHANGES
    first = axes.get_yticklabels()[0].get_text()
    assert comparison_of([f"b{i}" for i in range(100)]).regressions[0].identity.name == first


@looped("kind", KINDS)
def test_pictures_of_hostile_names_are_reproducible(kind: str) -> None:
    def drawn() -> list[bytes]:
        results = [plan_of(HOSTILE).plot(), comparison_of(HOSTILE).plot()]
        results += [suite_of(HOSTILE).plot(Identity(name)) for name in HOSTILE[::2]]
        return [render(axes, kind) for axes in results]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = drawn()
    assert first == drawn()
    assert all(content.startswith((b"\x89PNG", b"<?xml", b"%PDF")) for content in first)
    assert not any(b"<script" in content or b"\x1b[31m" in content for content in first)


def test_plots_use_the_caller_s_axes_and_own_axes_display_in_notebooks() -> None:
    own = Figure().add_subplot()
    assert plan_of(["a"]).plot(ax=own) is own
    assert suite_of(["a"]).plot("a", ax=own) is own
    axes: Any = plan_of(["a"]).plot()
    assert axes._repr_png_() == render(axes, "png")
    parts: Any = Figure().subfigures(1, 2)
    part = parts[0].add_subplot()
    draw_forks(ForkLines(series(1, 20), "a"), part)
    assert render(part, "svg").startswith(b"<?xml")


def test_no_plot_imports_pyplot() -> None:
    program = (
        "import sys, steady\n"
        "from steady.plots.canvas import render\n"
        "axes = steady.Suite.of({'a': [[2.0, 1.0]]}, unit='s/op').plot('a')\n"
        "render(axes, 'png')\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
