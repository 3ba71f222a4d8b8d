"""Plots with a row for each benchmark: changes of a comparison, and durations of a plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.plots.canvas import (
    PLAIN,
    Axes,
    Line2D,
    Patch,
    axes_on,
    draw_legend,
    label_of,
    set_title,
)

MOST_CHANGES = 40
"""Maximum number of benchmarks in a plot; the first are drawn."""

_COVERED = 0.9  # minimum fraction of the changes within the axis limits
_ROOM = 1.25
_COLOURS: Mapping[str, str] = {
    "regression": "#b93815",
    "improvement": "#0b6e9c",
    "unclear": "#8a5c00",
    "unchanged": "#5b626b",
}
"""Colours of the report, distinguishable with red-green colour blindness."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """Data of a plot of changes.

    Parameters
    ----------
    names : sequence of str
        Names of the benchmarks, most important first; untrusted.
    outcomes : sequence of str
        ``regression``, ``improvement``, ``unclear`` or ``unchanged``.
    changes, low, high : sequence of float
        Relative changes as fractions, and the limits of their confidence intervals; NaN if missing.
        A change may be infinite.
    threshold : float
        The smallest change that counts, as a fraction.
    title : str
        Title of the plot.
    """

    names: Sequence[str]
    outcomes: Sequence[str]
    changes: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    threshold: float
    title: str


def draw_intervals(intervals: Intervals, ax: Axes | None = None) -> Axes:
    """Draw each change as a point with its confidence interval, or as an arrow if off scale.

    Raises
    ------
    InputError
        If nothing was compared.
    """
    if not intervals.names:
        raise InputError("no benchmark was compared: there is nothing to draw")
    outcomes = intervals.outcomes[:MOST_CHANGES]
    center, low, high = (
        100 * np.asarray(ends, dtype=np.float64)[:MOST_CHANGES]
        for ends in (intervals.changes, intervals.low, intervals.high)
    )
    reach = _axis_limit(np.stack([center, low, high]), 100 * intervals.threshold)
    axes = axes_on(ax, height=1.8 + 0.28 * len(center))
    axes.axvline(0, color="#6e7781", linewidth=1)
    for end in (-100 * intervals.threshold, 100 * intervals.threshold):
        axes.axvline(end, color="#6e7781", linewidth=0.8, linestyle=":")
    for place, outcome in enumerate(outcomes):
        ends = np.clip([low[place], high[place]], -reach, reach)
        axes.plot(ends, [place, place], color=_COLOURS[outcome], linewidth=3, alpha=0.5)
        _draw_point(axes, float(center[place]), place, reach, _COLOURS[outcome])
    axes.set_xlim(-_ROOM * reach, _ROOM * reach)
    names = [label_of(name) for name in intervals.names[:MOST_CHANGES]]
    axes.set_yticks(range(len(names)), names, fontsize="small", **PLAIN)
    axes.set_ylim(len(center) - 0.5, -0.5)
    total = len(intervals.names)
    part = f", the first {MOST_CHANGES} of {total:,}" if total > MOST_CHANGES else ""
    axes.set_xlabel(f"change from base to head in %{part}")
    set_title(axes, intervals.title)
    signs = [
        Line2D([], [], color=colour, marker="o", markersize=4, label=outcome)
        for outcome, colour in _COLOURS.items()
        if outcome in outcomes
    ]
    signs.append(Line2D([], [], color="#6e7781", linestyle=":", label="smallest that counts"))
    draw_legend(axes, signs)
    return axes


def _axis_limit(percents: npt.NDArray[np.float64], threshold: float) -> float:
    """Return the axis limit, which covers nearly all intervals but not extreme ones."""
    known = np.where(np.isfinite(percents), np.abs(percents), 0.0).max(axis=0)
    covered = float(np.quantile(known, _COVERED, method="higher"))
    largest = float(known.max())
    # Slightly larger changes extend the axis; a much larger one would compress all others.
    return max(largest if largest <= 3 * covered else covered, 2 * threshold, 1e-3)


def _draw_point(axes: Axes, value: float, place: int, reach: float, colour: str) -> None:
    if np.isnan(value):
        return
    if abs(value) <= reach:
        axes.plot([value], [place], "o", color=colour, markersize=5)
        return
    right = value > 0
    axes.plot([np.copysign(_ROOM * 0.96 * reach, value)], [place], ">" if right else "<",
              color=colour, markersize=7)  # fmt: skip
    shown = f"{value:+,.0f} %" if np.isfinite(value) else "infinite"
    axes.annotate(
        shown, (np.copysign(_ROOM * 0.92 * reach, value), place), va="center",
        ha="right" if right else "left", fontsize="small", color=colour,
    )  # fmt: skip


MOST_BARS = 30
"""Maximum number of benchmarks in a plot; the longest are drawn."""

_BEFORE, _AFTER = "#b8c0c8", "#0969da"
_THICKNESS = 0.4


@dataclass(frozen=True, eq=False)
class Durations:
    """Data of a bar chart of durations.

    Parameters
    ----------
    names : sequence of str
        Names of the benchmarks; untrusted.
    before, after : sequence of float
        Seconds of each benchmark.
    title : str
        Title of the plot.
    """

    names: Sequence[str]
    before: Sequence[float]
    after: Sequence[float]
    title: str


def draw_durations(durations: Durations, ax: Axes | None = None) -> Axes:
    """Draw a pair of bars for each benchmark, in descending order of duration.

    Raises
    ------
    InputError
        If there is no benchmark.
    """
    if not durations.names:
        raise InputError("the plan has no benchmarks: there is nothing to draw")
    before, after = (np.asarray(one) for one in (durations.before, durations.after))
    chosen = np.argsort(-before, kind="stable")[:MOST_BARS]
    places = np.arange(len(chosen))
    bars = []
    axes = axes_on(ax, height=1.5 + 0.35 * len(chosen))
    for values, shift, colour, label in (
        (before, -_THICKNESS / 2, _BEFORE, "full run"),
        (after, _THICKNESS / 2, _AFTER, "by the plan"),
    ):
        axes.barh(places + shift, values[chosen], _THICKNESS, color=colour)
        bars.append(Patch(color=colour, label=label))
    names = [label_of(durations.names[index]) for index in chosen]
    axes.set_yticks(places, names, fontsize="small", **PLAIN)
    axes.set_ylim(len(chosen) - 0.5, -0.5)
    total = len(durations.names)
    part = f", the {MOST_BARS} longest of {total:,}" if total > MOST_BARS else ""
    axes.set_xlabel(f"seconds of one run{part}")
    set_title(axes, durations.title)
    draw_legend(axes, bars)
    return axes
