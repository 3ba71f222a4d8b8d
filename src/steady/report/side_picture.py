"""Picture of one side's forks: a line for each fork over its iterations, with marks.

Outliers are clipped, and the number of characters of each line is limited.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from steady.model import Benchmark, FloatArray
from steady.plots.downsampling import downsample
from steady.report.figures import readable_unit
from steady.report.fork_marks import ForkMarks, labels, lanes, shades
from steady.report.markup import element, number
from steady.report.names import words_for
from steady.text.numbers import count, value

SERIES_WIDTH, SERIES_HEIGHT = 250, 96
"""Size of the picture, in its units."""

STRETCHES = 60
"""Number of segments of a series; a band shows the extremes of each."""

FINENESS = 4
"""Subdivisions of a unit: lines have integer coordinates in quarters of units."""

# quantiles that the vertical axis spans, since a first iteration can be 20 times slower
_SHOWN = (0.03, 0.97)
_MARGIN = 0.25  # margin as a fraction of that span, above and below
_ARROWS_APART = 8  # units of width

SIDE_WIDTH = 364

_LEFT = 74  # room for names and values
_TOP, _AXIS = 8, 14
_TRIANGLE = 4.0  # room for the marks of odd forks
_FIRST_LANE = 6  # units below the plot, position of the window's bar
_NARROWEST = 2.0  # units, so that a short window among very many iterations is visible


@dataclass(frozen=True, slots=True)
class SeriesAxes:
    """The axes shared by the lines of all forks of one side.

    Parameters
    ----------
    length : int
        Number of iterations in the width.
    low, high : float
        Values at the lower and upper edge; values outside are drawn at the edge.
    """

    length: int
    low: float
    high: float

    @classmethod
    def of(cls, tables: Sequence[FloatArray]) -> SeriesAxes:
        """Return axes that span all forks of all tables, each of shape (forks, iterations)."""
        values = np.concatenate([table[np.isfinite(table)] for table in tables])
        length = max(table.shape[1] for table in tables)
        low, high = np.quantile(values, _SHOWN) if values.size else (0.0, 1.0)
        margin = _MARGIN * float(high - low) or abs(float(high)) * _MARGIN or 1.0
        floor = 0.0 if values.size and values.min() >= 0 else -np.inf
        return cls(length, max(float(low) - margin, floor), float(high) + margin)

    def x(self, iteration: float) -> float:
        """Return the horizontal position of the start of an iteration, counted from 0."""
        return round(SERIES_WIDTH * min(max(iteration, 0), self.length) / max(self.length, 1), 1)

    def path(self, values: FloatArray, most: int) -> str:
        """Return a fork's series as an SVG path of at most `most` points."""
        positions, values = downsample(values, most)
        if not positions.size:
            return ""
        return self._polyline(positions, values)

    def band(self, table: FloatArray) -> str:
        """Return the band of all forks as an SVG path through the extremes of each segment."""
        columns = table.shape[1]
        starts = np.arange(min(STRETCHES, columns)) * columns // max(min(STRETCHES, columns), 1)
        known = np.where(np.isfinite(table), table, np.nan)
        low = np.fmin.reduceat(np.fmin.reduce(known, axis=0), starts)
        high = np.fmax.reduceat(np.fmax.reduce(known, axis=0), starts)
        there = np.isfinite(low)
        middles = (starts + np.append(starts[1:], columns) - 1)[there] / 2
        if not middles.size:
            return ""
        around = np.concatenate([high[there], low[there][::-1]])
        return f"{self._polyline(np.concatenate([middles, middles[::-1]]), around)}z"

    def _polyline(self, positions: FloatArray, values: FloatArray) -> str:
        """Return a path through the centers of iterations, with relative integer steps."""
        share = (np.clip(values, self.low, self.high) - self.low) / (self.high - self.low)
        x = np.rint(FINENESS * SERIES_WIDTH * (positions + 0.5) / max(self.length, 1)).astype(int)
        y = np.rint(FINENESS * SERIES_HEIGHT * (1 - share)).astype(int)
        steps = "".join(
            f"{right}{down}" if down < 0 else f"{right} {down}"
            for right, down in zip(_relative(x), np.diff(y).tolist(), strict=True)
        )
        return f"M{x[0]} {y[0]}l{steps}" if steps else f"M{x[0]} {y[0]}h0"

    def beyond(self, table: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the positions of values above the upper edge, and below the lower one.

        Marks are thinned to at most one every few units of width.
        """
        marks = []
        for outside in (table > self.high, table < self.low):
            columns = np.flatnonzero((outside & np.isfinite(table)).any(axis=0))
            x = (columns + 0.5) * SERIES_WIDTH / max(self.length, 1)
            marks.append(np.unique(np.round(x / _ARROWS_APART) * _ARROWS_APART))
        return marks[0], marks[1]


def _relative(x: np.ndarray) -> list[str]:
    """Format steps to the right, each separated from the previous number."""
    return [
        str(step) if index == 0 or step < 0 else f" {step}"
        for index, step in enumerate(np.diff(x).tolist())
    ]


@dataclass(frozen=True, eq=False)
class Side:
    """The forks of one side of a benchmark.

    Parameters
    ----------
    kind : {"full", "base", "head"}
        The side.
    benchmark : Benchmark
        Results of the benchmark on this side.
    warmup : int
        Warm-up iterations: the harness's, or in a full run the plan's.
    window : tuple of (int, int), optional
        First measured iteration, and the first after the measurement.
    marks : ForkMarks, optional
        Marks from the analysis of each fork.
    """

    kind: str
    benchmark: Benchmark
    warmup: int = 0
    window: tuple[int, int] | None = None
    marks: ForkMarks | None = None

    @property
    def table(self) -> FloatArray:
        """All forks, shape (forks, iterations)."""
        return self.benchmark.forks

    @property
    def settled(self) -> FloatArray:
        """The forks without their warm-up, if at least a quarter of the iterations remains."""
        after = self.table[:, self.warmup :]
        return after if 4 * after.shape[1] >= self.table.shape[1] else self.table

    @property
    def counted(self) -> str:
        """Return the title of the picture."""
        forks, iterations = self.table.shape
        title = {"full": "Full run"}.get(self.kind, self.kind.capitalize())
        text = f"{title}: {count(forks, 'fork')} × {count(iterations, 'iteration')}"
        return words_for(self.benchmark.identity)(text)

    @property
    def caption(self) -> str:
        """Return the description of the picture."""
        if self.marks is not None:
            return words_for(self.benchmark.identity)(self._marked)
        if self.warmup:
            return f"{self.counted}; {self.warmup:,} of them are warm-up"
        configuration = self.benchmark.configuration
        before = configuration.warmup_iterations if configuration is not None else 0
        if not before or self.benchmark.warmup:
            return self.counted
        lacking = count(before, "warm-up iteration")
        return f"{self.counted}; not recorded: {lacking} before them"

    @property
    def _marked(self) -> str:
        marked = self.marks.sentence if self.marks is not None else ""
        if self.window is None:
            return f"{self.counted}. {marked}"
        first, last = self.window
        planned = f"{first:,} warm-up, then {count(last - first, 'measured iteration')}"
        return f"{self.counted}. {marked}. In each fork, the plan runs {planned}"


def draw_side(side: Side, axes: SeriesAxes, most: int, *, banded: bool = False) -> Markup:
    """Draw the forks of one side as a line each, or as one band.

    Parameters
    ----------
    side : Side
        Side to draw.
    axes : SeriesAxes
        Axes; several sides can share those of the values.
    most : int
        Maximum number of points of a line.
    banded : bool
        Whether to draw one band for all forks that are not odd.
    """
    plot = element(
        "g",
        element("rect", class_="plot", width=float(SERIES_WIDTH), height=float(SERIES_HEIGHT)),
        *_warmup(side, axes),
        *_lanes(side, axes),
        *_window(side, axes),
        element(
            "g", *_lines(side, axes, most, banded=banded), transform=f"scale({1 / FINENESS:g})"
        ),
        *_beyond(side, axes),
        transform=f"translate({_LEFT} {_TOP})",
    )
    return element(
        "svg",
        plot,
        *_labels(side, axes),
        class_="side",
        viewBox=f"0 0 {SIDE_WIDTH} {number(_bottom(side) + _AXIS)}",
        role="img",
        aria_label=side.counted,
    )


def _bottom(side: Side) -> float:
    """Return the vertical position of the iteration axis, below the plot and the lanes."""
    below = 0.0 if side.marks is None else _FIRST_LANE + side.marks.height
    return _TOP + SERIES_HEIGHT + below


def _lines(side: Side, axes: SeriesAxes, most: int, *, banded: bool) -> Iterator[Markup]:
    factor, unit = readable_unit(side.benchmark.unit, axes.high)
    odd = () if side.marks is None else side.marks.odd_forks
    usual = [fork for fork in range(len(side.table)) if fork not in odd]
    if banded and usual:
        yield element("path", class_="band", d=axes.band(side.table[usual]))
    for fork in (*(() if banded else usual), *odd):
        series = side.table[fork]
        path = axes.path(series, most)
        if not path:
            continue
        measured = series[side.warmup :]
        measured = measured[np.isfinite(measured)]
        middle = f": median {value(factor * float(np.median(measured)))} {unit}"
        about = f"{middle if measured.size else ''}{' (odd fork)' if fork in odd else ''}"
        title = element("title", f"{side.kind} {fork + 1}{about}")
        kind = f"line line-{side.kind}{' apart' if fork in odd else ''}"
        yield element("path", title, class_=kind, d=path)


def _lanes(side: Side, axes: SeriesAxes) -> Iterator[Markup]:
    if side.marks is not None:
        length = side.table.shape[1]
        yield from shades(side.marks, axes.x, length, SERIES_HEIGHT)
        yield lanes(side.marks, axes.x, length, float(SERIES_HEIGHT + _FIRST_LANE))


def _warmup(side: Side, axes: SeriesAxes) -> Iterator[Markup]:
    if side.warmup and side.marks is None:
        title = element("title", f"warm-up: {count(side.warmup, 'iteration')}")
        width, height = axes.x(side.warmup), float(SERIES_HEIGHT)
        yield element("rect", title, class_="warmup", width=width, height=height)


def _window(side: Side, axes: SeriesAxes) -> Iterator[Markup]:
    """Frame the measured iterations, or mark them by a bar below."""
    if side.window is None:
        return
    first, last = side.window
    left = axes.x(first)
    right = max(axes.x(last), left + _NARROWEST)
    bottom = SERIES_HEIGHT
    shape = f"M{number(left)} 0v{bottom}h{number(right - left)}v{-bottom}"
    bar = f"M{number(left)} {bottom + 2}h{number(right - left)}"
    if first and side.marks is not None:
        title = element("title", f"warm-up of the plan: {count(first, 'iteration')}")
        bar_before = f"M0 {bottom + 2}h{number(left)}"
        yield element("path", title, class_="warmup-bar", d=bar_before)
    yield element(
        "g",
        element("title", f"measured: {count(last - first, 'iteration')}, from {first + 1} on"),
        element("path", class_="window", d=shape),
        element("path", class_="window-bar", d=bar),
    )


def _beyond(side: Side, axes: SeriesAxes) -> Iterator[Markup]:
    """Draw arrows at values outside the axes."""
    above, below = axes.beyond(side.table)
    arrows = "".join(f"M{number(x)} -6l-3 5h6z" for x in above.tolist())
    arrows += "".join(f"M{number(x)} {SERIES_HEIGHT + 6}l-3-5h6z" for x in below.tolist())
    if arrows:
        title = element("title", "values outside the axis")
        yield element("path", title, class_=f"outside outside-{side.kind}", d=arrows)


def _labels(side: Side, axes: SeriesAxes) -> Iterator[Markup]:
    factor, unit = readable_unit(side.benchmark.unit, axes.high)
    left, bottom = _LEFT - 5.0, _TOP + SERIES_HEIGHT
    length, below = axes.length, _bottom(side) + 12.0
    ends = [
        element("text", value(factor * axes.high), x=left, y=_TOP + 9.0),
        element("text", unit, x=left, y=_TOP + 22.0),
        element("text", value(factor * axes.low), x=left, y=bottom - 1.0),
    ]
    if length > 1:
        right = float(_LEFT + SERIES_WIDTH)
        ends.append(element("text", f"iteration {length:,}", x=right, y=below))
    if side.marks is not None:
        ends.extend(labels(side.marks, left - _TRIANGLE, bottom + float(_FIRST_LANE)))
    yield element("g", *ends, text_anchor="end")
    yield element("text", "1", x=float(_LEFT), y=below)
