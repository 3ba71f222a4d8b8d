"""The strips of a report: changes with their forks and rounds, on a common scale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from markupsafe import Markup

from steady.compare import Change, Comparison
from steady.compare.pair import Pair
from steady.compare.round_tables import round_tables
from steady.model import Benchmark, FloatArray, Identity, Suite
from steady.report.document import Tone
from steady.report.figures import change_percent, readable_unit, with_interval
from steady.report.markup import element, number
from steady.report.names import words_for
from steady.stats.samples import row_medians
from steady.text.numbers import listed, percent, share, value

PLOT_WIDTH = 240
"""Width of a plot of confidence intervals, in its units."""

_LABEL_WIDTH = 48  # room for the names of the lanes, left of the scale
_EDGE_WIDTH = 12  # room for an arrow, on either side of the scale
_BASE, _HEAD, _ROUNDS = 7, 19, 31  # the middle of each lane
_BAR = 40  # upper edge of the confidence interval
MOST_STRIPS = 1_000
"""Maximum number of strips on a page, for the most important benchmarks."""

_MAX_LISTED = 8  # maximum number of values in the text of a lane

_REACHES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 2.0, 5.0)
_COVERED = 0.9  # fraction of the confidence intervals to show entirely, rounded down
_FARTHEST = 1.0  # relative change up to which all changes are inside the plot
_FORKS_SHOWN = 0.75  # fraction of the forks to show, if the scale permits
_SQUEEZED = 2.0  # maximum factor by which forks can extend the scale beyond the changes


@dataclass(frozen=True, slots=True)
class Bar:
    """A change and its confidence interval on the common scale.

    Parameters
    ----------
    left, right : float
        Ends of the confidence interval, from 0 to `PLOT_WIDTH`.
    center : float, optional
        The change; None if it is outside the plot.
    beyond_left, beyond_right : bool
        Whether the confidence interval extends beyond the plot.
    """

    left: float
    right: float
    center: float | None
    beyond_left: bool
    beyond_right: bool


@dataclass(frozen=True, slots=True)
class Scale:
    """Relative change from ``-reach`` to ``+reach``, common to all benchmarks of a report."""

    reach: float

    @classmethod
    def of(cls, changes: Iterable[Change], forks: Iterable[FloatArray] = ()) -> Scale:
        """Choose a round limit that includes nearly all confidence intervals, and all changes.

        The few widest intervals are clipped, so that they do not compress the others.

        Parameters
        ----------
        changes : iterable of Change
            Changes to draw.
        forks : iterable of ndarray of float64, shape (forks,)
            Relative positions of each benchmark's forks. Most are included, unless they would
            compress the intervals.
        """
        drawn = [(change, ends) for change in changes if (ends := _ends(change))]
        reaches = [max(abs(end) for end in ends) for _, ends in drawn]
        needed = float(np.quantile(reaches, _COVERED, method="lower")) if reaches else 0.0
        changed = [
            abs(change.ratio)
            for change, _ in drawn
            if change.outcome in ("regression", "improvement")
        ]
        needed = max([needed, *(ratio for ratio in changed if ratio <= _FARTHEST)])
        least = cls._round(needed)
        levels = [np.abs(one) for one in forks if one.size]
        if levels:
            most = float(np.quantile(np.concatenate(levels), _FORKS_SHOWN))
            least = max(least, cls._round(min(most, _SQUEEZED * least)))
        return cls(least)

    @staticmethod
    def _round(needed: float) -> float:
        return next((reach for reach in _REACHES if reach >= needed), _REACHES[-1])

    def position(self, change: float) -> float:
        """Return the position of a relative change, from 0 to `PLOT_WIDTH`."""
        share = 0.5 + 0.5 * max(-1.0, min(change / self.reach, 1.0))
        return round(PLOT_WIDTH * share, 1)

    def ticks(self) -> list[tuple[float, float]]:
        """Return positions and relative changes of up to five ticks; none is below -1."""
        changes = [self.reach * step for step in (-1, -0.5, 0, 0.5, 1)]
        return [(self.position(change), change) for change in changes if change >= -1]

    def bar(self, change: Change) -> Bar | None:
        """Return a change as a bar; None if base is not positive."""
        ends = _ends(change)
        if ends is None:
            return None
        low, high = ends
        return Bar(
            self.position(low),
            self.position(high),
            self.position(change.ratio) if abs(change.ratio) <= self.reach else None,
            low < -self.reach,
            high > self.reach,
        )


def _ends(change: Change) -> tuple[float, float] | None:
    """Return the confidence interval of a change; if unknown, the change as both ends."""
    if change.base.center <= 0:
        return None
    return change.interval or (change.ratio, change.ratio)


@dataclass(frozen=True, eq=False)
class ForkLevels:
    """Forks and rounds on the scale of a change: as signed fractions of the base's result.

    Parameters
    ----------
    base, head : ndarray of float64, shape (forks,)
        Relative difference between each fork's median and the result of base.
    rounds : ndarray of float64, shape (rounds,)
        Relative change within each round, as used by the rule; empty if no forks were paired.
    """

    base: FloatArray
    head: FloatArray
    rounds: FloatArray

    @classmethod
    def of(cls, change: Change, base: Suite | None, head: Suite | None) -> ForkLevels | None:
        """Return the levels of the results; None if there are none, or if base is not positive."""
        center = change.base.center
        before, after = _measured(base, change), _measured(head, change)
        if before is None or after is None or center <= 0:
            return None
        pair = Pair.of(before, after)
        tables = round_tables({0: pair}) if len(pair.rounds) else []
        rounds = tables[0].differences[0] if tables else np.empty(0)
        return cls(
            row_medians(pair.base) / center - 1,
            row_medians(pair.head) / center - 1,
            np.expm1(rounds),
        )


def _measured(suite: Suite | None, change: Change) -> Benchmark | None:
    """Return the result of one side, if it has values in the unit of the change."""
    benchmark = None if suite is None else suite.get(change.identity)
    if benchmark is None or benchmark.unit != change.unit:
        return None
    return benchmark if np.isfinite(benchmark.measured).any() else None


def _box(height: float) -> str:
    """Return the view box of a strip, shared with the scale above it."""
    return f"{-_LABEL_WIDTH} 0 {_LABEL_WIDTH + PLOT_WIDTH + _EDGE_WIDTH} {number(height)}"


def tick(change: float) -> str:
    """Format a tick of the scale."""
    sign = "−" if change < 0 else "+" if change > 0 else ""
    return sign + share(abs(change))


def _describe(change: Change) -> str:
    """Return the text of the bar."""
    return with_interval(change_percent(change), change)


def _lanes(change: Change, levels: ForkLevels, scale: Scale) -> Iterator[Markup]:
    factor, unit = readable_unit(change.unit, change.base.center)
    words = words_for(change.identity)
    for kind, values, middle in (("base", levels.base, _BASE), ("head", levels.head, _HEAD)):
        results = (1 + values) * change.base.center * factor
        medians = f"{listed([value(x) for x in results], _MAX_LISTED)} {unit}"
        about = f"{words(f'median of each fork of {kind}')}: {medians}"
        yield from _lane(kind, values, middle, scale, about)
    if levels.rounds.size:
        texts = [percent(x, signed=True) for x in levels.rounds.tolist()]
        about = f"change within each round: {listed(texts, _MAX_LISTED)}"
        yield from _lane("rounds", levels.rounds, _ROUNDS, scale, about)


def _lane(
    kind: str, values: FloatArray, middle: float, scale: Scale, description: str
) -> Iterator[Markup]:
    """Draw a mark for each value; values beyond the scale are an arrow at its end."""
    inside = values[np.abs(values) <= scale.reach]
    mark = f" {middle - 4}v8" if kind == "rounds" else f" {middle}h0"
    marks = "".join(f"M{number(scale.position(v))}{mark}" for v in inside.tolist())
    outside = bool((values < -scale.reach).any()), bool((values > scale.reach).any())
    paths = (("marks", marks), ("beyond", _arrows(outside, middle, 3.5)))
    yield element("text", kind, x=-_EDGE_WIDTH - 2.0, y=middle + 3.5)
    yield element(
        "g",
        element("title", description),
        *(element("path", class_=f"{name} of-{kind}", d=path) for name, path in paths if path),
    )


def _arrows(beyond: tuple[bool, bool], middle: float, half: float) -> str:
    """Return the paths of the arrows to the left and right, if needed."""
    sides = zip(((0, -9), (PLOT_WIDTH, 9)), beyond, strict=True)
    return "".join(
        f"M{x} {number(middle - half)}v{number(2 * half)}l{tip} {number(-half)}z"
        for (x, tip), there in sides
        if there
    )


def _interval(change: Change, bar: Bar, tone: Tone, top: float) -> Markup:
    width = bar.right - bar.left
    parts = [
        element("title", _describe(change)),
        element("rect", class_=f"bar bar-{tone}", x=bar.left, y=top, width=width, height=8.0),
    ]
    if bar.center is not None:
        x = bar.center - 1.5
        parts.append(element("rect", class_=f"bar-{tone}", x=x, y=top - 3, width=3.0, height=14.0))
    if beyond := _arrows((bar.beyond_left, bar.beyond_right), top + 4, 7):
        parts.append(element("path", class_=f"beyond-{tone}", d=beyond))
    return element("g", *parts)


@dataclass(frozen=True, eq=False)
class Strips:
    """The data to draw the strips in a page's table of changes.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    scale : Scale
        Common scale of all strips.
    levels : mapping of Identity to ForkLevels
        Forks and rounds of each benchmark with results.
    drawn : frozenset of Identity
        Benchmarks that have a strip.
    """

    comparison: Comparison
    scale: Scale
    levels: Mapping[Identity, ForkLevels]
    drawn: frozenset[Identity]

    @classmethod
    def of(
        cls,
        comparison: Comparison,
        base: Suite | None,
        head: Suite | None,
        order: Iterable[Identity],
    ) -> Strips:
        """Return the strips with a common scale; `order` has the most important changes first."""
        changes = {change.identity: change for change in comparison.changes}
        ordered = [i for i in order if i in changes]
        drawn = frozenset(ordered[:MOST_STRIPS])
        shown = [change for i, change in changes.items() if i in drawn]
        found = ((change.identity, ForkLevels.of(change, base, head)) for change in shown)
        levels = {identity: known for identity, known in found if known is not None}
        forks = (np.concatenate([known.base, known.head]) for known in levels.values())
        scale = Scale.of(comparison.changes, forks)
        return cls(comparison, scale, levels, drawn)

    @cached_property
    def changes(self) -> Mapping[Identity, Change]:
        """All compared benchmarks."""
        return {change.identity: change for change in self.comparison.changes}

    @property
    def legend(self) -> str:
        """The legend of the marks."""
        marks = "Circles: forks of base. Squares: forks of head."
        if any(one.rounds.size for one in self.levels.values()):
            marks += " Vertical ticks: the change within each round."
        return (
            (f"{marks} " if self.levels else "")
            + "Bar: confidence interval of the change. Line across the bar: the change. Arrow: the "
            "value is beyond the scale. A change counts if its bar excludes zero and its line lies "
            "outside the shaded band, unless a note states otherwise."
            + (f" Only the first {len(self.drawn):,} rows have a picture." if self.left else "")
        )

    @property
    def left(self) -> int:
        """Number of benchmarks without a strip, beyond the maximum."""
        return len(self.changes) - len(self.drawn)

    @property
    def axis(self) -> Markup:
        """The ticks of the scale, to show above the strips."""
        marks = (
            element("text", tick(change), x=x, y=12.0, text_anchor="middle")
            for x, change in self.scale.ticks()
        )
        label = "scale: change from base to head"
        return element("svg", *marks, class_="axis", viewBox=_box(14), role="img", aria_label=label)

    def strip(self, identity: Identity, tone: Tone) -> Markup | None:
        """Draw the strip of a benchmark; None if the result of base is not positive.

        Without its forks, only the confidence interval and the threshold are drawn.
        """
        change, levels, scale = self.changes[identity], self.levels.get(identity), self.scale
        bar = scale.bar(change)
        if bar is None:
            return None
        least = self.comparison.threshold(change)
        left, right = scale.position(-least), scale.position(least)
        lower = 4 if levels is None else _BAR
        height = lower + 12
        return element(
            "svg",
            element("rect", class_="noise", x=left, y=0.0, width=right - left, height=height),
            element("path", class_="zero", d=f"M{number(PLOT_WIDTH / 2)} 0v{number(height)}"),
            *(() if levels is None else _lanes(change, levels, scale)),
            _interval(change, bar, tone, lower),
            class_="strip",
            viewBox=_box(height),
            role="img",
            aria_label=f"change {_describe(change)}; changes from {share(least)} count",
        )
