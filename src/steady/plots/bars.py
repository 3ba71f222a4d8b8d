"""Bar chart of each benchmark's duration before a plan and with it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steady.errors import InputError
from steady.plots.canvas import PLAIN, Axes, Patch, axes_on, draw_legend, label_of, set_title

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
