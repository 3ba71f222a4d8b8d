"""The forks of one side over their iterations, one line a fork, with what is known of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from markupsafe import Markup

from steady.model import Benchmark, FloatArray
from steady.report.detector_starts import DetectorStarts
from steady.report.figures import readable_unit
from steady.report.names import words_for
from steady.report.series_axes import FINENESS, SERIES_HEIGHT, SERIES_WIDTH, SeriesAxes
from steady.report.svg import element, number
from steady.text.numbers import count, value

SIDE_WIDTH = 364

_LEFT = 74  # room for names and values
_TOP, _AXIS, _LANE = 8, 14, 12
_FIRST_LANE = _TOP + SERIES_HEIGHT + _AXIS


@dataclass(frozen=True, eq=False)
class Side:
    """The forks of one side of a benchmark.

    Parameters
    ----------
    kind : {"full", "base", "head"}
        Which side.
    benchmark : Benchmark
        Its results.
    warmup : int
        Iterations that are warm-up: the harness's own, or the plan's in a full run.
    window : tuple of (int, int), optional
        The first iteration that counts, and the first after it.
    detectors : sequence of DetectorStarts
        Where each of them sees the forks become steady.
    odd_forks : tuple of int
        Forks that stand apart.
    """

    kind: str
    benchmark: Benchmark
    warmup: int = 0
    window: tuple[int, int] | None = None
    detectors: Sequence[DetectorStarts] = field(default_factory=tuple)
    odd_forks: tuple[int, ...] = ()

    @property
    def title(self) -> str:
        """What stands above the picture."""
        return {"full": "Full run"}.get(self.kind, self.kind.capitalize())

    @property
    def table(self) -> FloatArray:
        """All forks, shape (forks, iterations)."""
        return self.benchmark.forks

    @property
    def settled(self) -> FloatArray:
        """The forks without their warm-up, where a quarter of the iterations or more is left."""
        after = self.table[:, self.warmup :]
        return after if 4 * after.shape[1] >= self.table.shape[1] else self.table

    def remark(self, fork: int) -> str:
        """Say what is special about a fork."""
        used = next((one for one in self.detectors if one.used), None)
        starts = used.starts if used else ()
        remarks = ["is never steady"] if fork < len(starts) and starts[fork] is None else []
        remarks += ["stands apart"] if fork in self.odd_forks else []
        return " and ".join(remarks)

    @property
    def counted(self) -> str:
        """Say of what the picture is."""
        forks, iterations = self.table.shape
        text = f"{self.title}: {count(forks, 'fork')} × {count(iterations, 'iteration')}"
        return words_for(self.benchmark.identity)(text)

    @property
    def caption(self) -> str:
        """Say what the picture shows."""
        remarks = [(fork + 1, self.remark(fork)) for fork in range(len(self.table))]
        about = [f"fork {number} {remark}" for number, remark in remarks if remark]
        words = words_for(self.benchmark.identity)
        return "; ".join([self.counted, *self._warmup_words(), *map(words, about)])

    def _warmup_words(self) -> list[str]:
        if self.warmup:
            return [f"{self.warmup:,} of them are warm-up"]
        configuration = self.benchmark.configuration
        before = configuration.warmup_iterations if configuration is not None else 0
        if not before or self.benchmark.warmup:
            return []
        return [f"{count(before, 'warm-up iteration')} came before, and the results lack them"]


def draw_side(side: Side, axes: SeriesAxes, most: int) -> Markup:
    """Draw the forks of one side, a line each.

    Parameters
    ----------
    side : Side
        What is drawn.
    axes : SeriesAxes
        Whose values several sides may share.
    most : int
        Most points of a line.
    """
    lines = element("g", *_lines(side, axes, most), transform=f"scale({1 / FINENESS:g})")
    return _drawn(side, axes, (lines, *_beyond(side, axes)))


def draw_spans(sides: Sequence[Side], axes: SeriesAxes) -> Markup:
    """Draw what the forks of each side span, and their median: this takes little room.

    Warm-up, window and detectors are those of the first side.
    """
    spans = (shape for side in sides for shape in _span(side, axes))
    scaled = element("g", *spans, transform=f"scale({1 / FINENESS:g})")
    return _drawn(sides[0], axes, (scaled,))


def _drawn(side: Side, axes: SeriesAxes, shapes: Iterable[Markup]) -> Markup:
    """Put shapes between the axes, with all that is known of a side."""
    plot = element(
        "g",
        element("rect", class_="plot", width=float(SERIES_WIDTH), height=float(SERIES_HEIGHT)),
        *_warmup(side, axes),
        *_window(side, axes),
        *shapes,
        transform=f"translate({_LEFT} {_TOP})",
    )
    return element(
        "svg",
        plot,
        *_labels(side, axes),
        *_lanes(side, axes),
        class_="side",
        viewBox=f"0 0 {SIDE_WIDTH} {side_height(side)}",
        role="img",
        aria_label=side.counted,
    )


def side_height(side: Side) -> int:
    """Return how high the picture of a side is."""
    return _FIRST_LANE + _LANE * len(side.detectors) + (6 if side.detectors else 0)


def _span(side: Side, axes: SeriesAxes) -> Iterator[Markup]:
    span, median = axes.band(side.table)
    if span:
        yield element("path", class_=f"span span-{side.kind}", d=span)
        yield element("path", class_=f"line line-{side.kind} middle", d=median)


def _lines(side: Side, axes: SeriesAxes, most: int) -> Iterator[Markup]:
    factor, unit = readable_unit(side.benchmark.unit, axes.high)
    for fork, series in enumerate(side.table):
        path = axes.path(series, most)
        if not path:
            continue
        measured = series[side.warmup :]
        measured = measured[np.isfinite(measured)]
        middle = f": median {value(factor * float(np.median(measured)))} {unit}"
        remark = side.remark(fork)
        title = f"{side.kind} {fork + 1}{middle if measured.size else ''}"
        name = f"line line-{side.kind}{' apart' if 'apart' in remark else ''}"
        told = f"{title}; it {remark}" if remark else title
        yield element("path", element("title", told), class_=name, d=path)


def _warmup(side: Side, axes: SeriesAxes) -> Iterator[Markup]:
    if side.warmup:
        title = element("title", f"warm-up: {count(side.warmup, 'iteration')}")
        width, height = axes.x(side.warmup), float(SERIES_HEIGHT)
        yield element("rect", title, class_="warmup", width=width, height=height)


def _window(side: Side, axes: SeriesAxes) -> Iterator[Markup]:
    """Frame the iterations that count; a bar below them says so without the frame."""
    if side.window is None:
        return
    first, last = side.window
    left, right = axes.x(first), axes.x(last)
    bottom = SERIES_HEIGHT
    shape = f"M{number(left)} 0v{bottom}h{number(right - left)}v{-bottom}"
    bar = f"M{number(left)} {bottom + 2}h{number(right - left)}"
    yield element(
        "g",
        element("title", f"measured: {count(last - first, 'iteration')}, from {first + 1} on"),
        element("path", class_="window", d=shape),
        element("path", class_="window-bar", d=bar),
    )


def _beyond(side: Side, axes: SeriesAxes) -> Iterator[Markup]:
    """Draw arrows where values lie outside the axes."""
    above, below = axes.beyond(side.table)
    arrows = "".join(f"M{number(x)} -6l-3 5h6z" for x in above.tolist())
    arrows += "".join(f"M{number(x)} {SERIES_HEIGHT + 6}l-3-5h6z" for x in below.tolist())
    if arrows:
        title = element("title", "values outside the axis")
        yield element("path", title, class_=f"outside outside-{side.kind}", d=arrows)


def _labels(side: Side, axes: SeriesAxes) -> Iterator[Markup]:
    factor, unit = readable_unit(side.benchmark.unit, axes.high)
    left, bottom = _LEFT - 5.0, _TOP + SERIES_HEIGHT
    length, below = axes.length, bottom + 12.0
    ends = [
        element("text", value(factor * axes.high), x=left, y=_TOP + 9.0),
        element("text", unit, x=left, y=_TOP + 22.0),
        element("text", value(factor * axes.low), x=left, y=bottom - 1.0),
    ]
    if length > 1:
        right = float(_LEFT + SERIES_WIDTH)
        ends.append(element("text", f"iteration {length:,}", x=right, y=below))
    yield element("g", *ends, text_anchor="end")
    yield element("text", "1", x=float(_LEFT), y=below)


def _lanes(side: Side, axes: SeriesAxes) -> Iterator[Markup]:
    """Draw a lane for each detector, with a mark where it sees a fork become steady."""
    for lane, one in enumerate(side.detectors):
        y = _FIRST_LANE + lane * _LANE
        ticks = "".join(
            f"M{number(_LEFT + axes.x(start))} {y}v9" for start in one.starts if start is not None
        )
        used = " used" if one.used else ""
        known = [f"{start + 1:,}" for start in one.starts if start is not None]
        never = f"; {one.never} of {len(one.starts)} never" if one.never else ""
        title = element("title", f"{one.detector}: steady from {', '.join(known) or '–'}{never}")
        parts = [
            title,
            element("rect", class_="lane", x=_LEFT, y=y, width=SERIES_WIDTH, height=9.0),
        ]
        parts += [element("path", class_=f"start{used}", d=ticks)] if ticks else []
        yield element("g", *parts)
        name = f"{one.detector}{' •' if one.used else ''}"
        yield element(
            "text", name, class_=f"detector{used}", x=_LEFT - 5.0, y=y + 8.0, text_anchor="end"
        )
        if one.never:
            x = _LEFT + SERIES_WIDTH + 3.0
            yield element("text", f"{one.never} never", x=x, y=y + 8.0)
