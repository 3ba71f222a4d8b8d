"""Line plot of a benchmark's forks over their iterations, with their warm-up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.plots.canvas import (
    LONGEST_UNIT,
    PLAIN,
    Axes,
    Line2D,
    Patch,
    axes_on,
    draw_legend,
    label_of,
    set_title,
)
from steady.plots.downsampling import FloatArray, downsample

MOST_POINTS = 1_000
"""Maximum number of points of one line, about its width in pixels."""

MOST_NAMED = 10
"""Maximum number of forks with individual colours and legend entries."""

LOG_FROM = 10.0
"""Minimum ratio of the largest value to the median for a logarithmic axis."""

_COLOURS = tuple(f"C{index}" for index in range(MOST_NAMED))
_OTHERS = "#9aa7b4"
_WARMUP = "#d98200"
_DARKEST = 0.4  # opacity of the shade where all forks are warming up
_WINDOW = "#1a7f37"


@dataclass(frozen=True, eq=False)
class ForkLines:
    """Data of a line plot of one benchmark.

    Parameters
    ----------
    series : ndarray of float64, shape (forks, iterations)
        Values in `unit`; those that are not finite become gaps.
    title : str
        Title, usually the benchmark's name; untrusted.
    unit : str
        Unit of the values; empty if unknown.
    starts : sequence of int or None, optional
        First steady iteration of each fork, 0-based; None if it is never steady. If omitted, no
        warm-up is shaded.
    odd_forks : sequence of int
        Forks that differ from the others, 0-based.
    window : tuple of (int, int), optional
        First iteration to be measured, and the first one after the last.

    Raises
    ------
    InputError
        If no value is finite, `starts` and `series` differ in length, or `odd_forks` has an invalid
        index.
    """

    series: FloatArray
    title: str
    unit: str = ""
    starts: Sequence[int | None] | None = None
    odd_forks: Sequence[int] = ()
    window: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        forks = len(self.series)
        if not np.isfinite(self.series).any():
            raise InputError(f"{self.title}: there is no finite value to draw")
        if self.starts is not None and len(self.starts) != forks:
            raise InputError(
                f"{self.title}: {len(self.starts)} starts for {forks} forks; give one for each"
            )
        if any(not 0 <= fork < forks for fork in self.odd_forks):
            raise InputError(
                f"{self.title}: odd_forks are {self.odd_forks}, but forks are numbered from 0 to "
                f"{forks - 1}"
            )

    @property
    def lengths(self) -> npt.NDArray[np.intp]:
        """Number of iterations of each fork, without missing ones at its end."""
        present = ~np.isnan(self.series)
        behind = np.argmax(present[:, ::-1], axis=1)
        return np.where(present.any(axis=1), present.shape[1] - behind, 0)

    @property
    def is_logarithmic(self) -> bool:
        """Whether the axis is logarithmic, because of extreme values."""
        values = self.series[np.isfinite(self.series)]
        return bool(values.min() > 0 and values.max() >= LOG_FROM * np.median(values))


def draw_forks(forks: ForkLines, ax: Axes | None = None) -> Axes:
    """Draw all forks on one pair of axes.

    The warm-up of each fork is shaded behind the lines: the darker the shade, the more forks are
    not steady yet. A dot marks the start of each fork's steady state. If there are odd forks, only
    these are coloured. Long series are drawn as the minimum and maximum of each interval, as the
    axis label explains.
    """
    axes = axes_on(ax)
    colours = _colours(len(forks.series), forks.odd_forks)
    for fork, series in enumerate(forks.series):
        x, y = _points(series)
        on_top = 3 if fork in forks.odd_forks else 2
        axes.plot(x, y, color=colours[fork], linewidth=1, alpha=0.85, zorder=on_top)
    _draw_warmup(axes, forks, colours)
    if forks.window is not None:
        for end in forks.window:
            axes.axvline(end - 0.5, color=_WINDOW, linestyle="--", linewidth=1.2)
    if forks.is_logarithmic:
        axes.set_yscale("log")
    set_title(axes, forks.title)
    scale = ", logarithmic" if forks.is_logarithmic else ""
    unit = label_of(forks.unit, LONGEST_UNIT) if forks.unit else "value"
    axes.set_ylabel(f"{unit}{scale}", **PLAIN)
    axes.set_xlabel(f"iteration, counted from 0{_downsampling_note(forks.series)}")
    axes.margins(x=0.01)
    draw_legend(axes, _legend_handles(forks, colours))
    return axes


def _colours(forks: int, odd: Sequence[int]) -> list[str]:
    """Return the colour of each fork; odd forks stand out."""
    if odd:
        named = {fork: _COLOURS[1 + i % (MOST_NAMED - 1)] for i, fork in enumerate(odd)}
        return [named.get(fork, _OTHERS) for fork in range(forks)]
    return [_COLOURS[f] if forks <= MOST_NAMED else _COLOURS[0] for f in range(forks)]


def _points(series: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the points of a line: the series with its gaps, or the extremes of a long one."""
    if series.size <= MOST_POINTS:
        return np.arange(series.size, dtype=np.float64), np.where(
            np.isfinite(series), series, np.nan
        )
    return downsample(series, MOST_POINTS)


def _downsampling_note(series: FloatArray) -> str:
    iterations = series.shape[1]
    if iterations <= MOST_POINTS:
        return ""
    stretch = iterations / (MOST_POINTS / 2)
    return f" (lines show the smallest and largest of every {stretch:.3g})"


def _draw_warmup(axes: Axes, forks: ForkLines, colours: Sequence[str]) -> None:
    if forks.starts is None:
        return
    shade = _DARKEST / len(forks.starts)
    for fork, (start, length) in enumerate(zip(forks.starts, forks.lengths, strict=True)):
        end = int(length) if start is None else start
        if end:
            axes.axvspan(-0.5, end - 0.5, color=_WARMUP, alpha=shade, linewidth=0, zorder=1)
        if start is not None and start < length:
            value = forks.series[fork, start]
            axes.plot([start], [value], "o", color=colours[fork], markersize=4, zorder=4)


def _legend_handles(forks: ForkLines, colours: Sequence[str]) -> list[Line2D | Patch]:
    """Return the entries of the legend."""
    named = forks.odd_forks or (range(len(colours)) if 1 < len(colours) <= MOST_NAMED else ())
    signs: list[Line2D | Patch] = [
        Line2D([], [], color=colours[fork], label=_name(forks, fork)) for fork in named[:MOST_NAMED]
    ]
    if forks.starts is not None:
        never = sum(start is None for start in forks.starts)
        label = "warm-up" if len(set(forks.starts)) == 1 else "warm-up (darker: more forks)"
        label += f"\n{never} of {len(forks.starts)} never steady" if never else ""
        signs.append(Patch(color=_WARMUP, alpha=_DARKEST, linewidth=0, label=label))
    if forks.window is not None:
        first, last = forks.window
        label = f"planned: {first} to {last - 1}"
        signs.append(Line2D([], [], color=_WINDOW, linestyle="--", label=label))
    return signs


def _name(forks: ForkLines, fork: int) -> str:
    differs = ", differs" if fork in forks.odd_forks else ""
    never = forks.starts is not None and forks.starts[fork] is None
    return f"fork {fork}{differs}{', never steady' if never else ''}"
