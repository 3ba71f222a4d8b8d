"""The strips of a report: what changed, with forks and rounds, on one scale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from markupsafe import Markup

from steady.compare import Change, Comparison
from steady.model import FloatArray, Identity, Suite
from steady.report.document import Tone
from steady.report.figures import change_percent, readable_unit, with_interval
from steady.report.names import words_for
from steady.report.strip_scale import PLOT_WIDTH, Bar, ForkLevels, Scale, fork_levels
from steady.report.svg import element, number, together
from steady.text.numbers import listed, percent, share, value

LABEL_WIDTH = 48
"""Room for the names of the lanes, left of the scale."""

EDGE_WIDTH = 12
"""Room for an arrow, on either side of the scale."""

_BASE, _HEAD, _ROUNDS = 7, 19, 31  # the middle of each lane
_BAR = 40  # upper edge of the interval
MOST_STRIPS = 1_000
"""Strips of a page: those of the most important benchmarks."""

_MOST_TOLD = 8  # values that the text of a lane names


def strip_box(height: float) -> str:
    """Return the view box of a strip, and of the scale above it."""
    return f"{-LABEL_WIDTH} 0 {LABEL_WIDTH + PLOT_WIDTH + EDGE_WIDTH} {number(height)}"


def draw_strip(
    change: Change, levels: ForkLevels | None, scale: Scale, tone: Tone, threshold: float
) -> Markup | None:
    """Draw one benchmark.

    Parameters
    ----------
    change : Change
        What was found.
    levels : ForkLevels, optional
        Without them only the interval and the threshold are drawn.
    scale : Scale
        Common to all strips of a report.
    tone : {"worse", "better", "open", "same"}
        Of the outcome.
    threshold : float
        The smallest relative change that counts.

    Returns
    -------
    Markup or None
        An ``svg`` element; None where the result of base is not positive.
    """
    bar = scale.bar(change)
    if bar is None:
        return None
    lower = _BAR if levels is not None else 4
    height = lower + 12
    band = scale.position(-threshold), scale.position(threshold)
    noise = element(
        "rect", class_="noise", x=band[0], y=0.0, width=band[1] - band[0], height=height
    )
    zero = element("path", class_="zero", d=f"M{number(PLOT_WIDTH / 2)} 0v{number(height)}")
    lanes = () if levels is None else _lanes(change, levels, scale)
    return element(
        "svg",
        noise,
        zero,
        *lanes,
        _interval(change, bar, tone, lower),
        class_="strip",
        viewBox=strip_box(height),
        role="img",
        aria_label=describe(change, threshold),
    )


def draw_scale(scale: Scale) -> Markup:
    """Draw the marks of the scale, to stand above the strips."""
    marks = (
        element("text", tick(change), x=x, y=12.0, text_anchor="middle")
        for x, change in scale.ticks()
    )
    label = "scale: change from base to head"
    return element(
        "svg", *marks, class_="axis", viewBox=strip_box(14), role="img", aria_label=label
    )


def tick(change: float) -> str:
    """Write a mark of the scale."""
    sign = "−" if change < 0 else "+" if change > 0 else ""
    return sign + share(abs(change))


def describe(change: Change, threshold: float) -> str:
    """Say what a strip shows."""
    return f"change {describe_interval(change)}; from {share(threshold)} on it counts"


def describe_interval(change: Change) -> str:
    """Say what the bar shows."""
    return with_interval(change_percent(change), change)


def _lanes(change: Change, levels: ForkLevels, scale: Scale) -> Sequence[Markup]:
    lanes = [
        *_lane("base", levels.base, _BASE, scale, _values("base", levels.base, change)),
        *_lane("head", levels.head, _HEAD, scale, _values("head", levels.head, change)),
    ]
    if levels.rounds.size:
        lanes += _lane("rounds", levels.rounds, _ROUNDS, scale, _changes(levels.rounds))
    return lanes


def _lane(
    kind: str, values: FloatArray, middle: float, scale: Scale, description: str
) -> Sequence[Markup]:
    """Draw a mark for each value; what lies beyond the scale is an arrow at its end."""
    inside = values[np.abs(values) <= scale.reach]
    mark = f" {middle - 4}v8" if kind == "rounds" else f" {middle}h0"
    marks = "".join(f"M{number(scale.position(v))}{mark}" for v in inside.tolist())
    outside = bool((values < -scale.reach).any()), bool((values > scale.reach).any())
    beyond = _arrows(outside, middle, 3.5)
    shapes = [element("title", description)]
    shapes += [element("path", class_=f"marks of-{kind}", d=marks)] if marks else []
    shapes += [element("path", class_=f"beyond of-{kind}", d=beyond)] if beyond else []
    label = element("text", kind, x=-EDGE_WIDTH - 2.0, y=middle + 3.5)
    return [label, element("g", *shapes)]


def arrow(edge: int, middle: float, half: float) -> str:
    """Return the path of an arrow out of the scale: to the left (-1) or to the right (1)."""
    x, tip = (0, -9) if edge < 0 else (PLOT_WIDTH, 9)
    return f"M{x} {number(middle - half)}v{number(2 * half)}l{tip} {number(-half)}z"


def _arrows(beyond: tuple[bool, bool], middle: float, half: float) -> str:
    """Return the paths of the arrows to the left and to the right that are needed."""
    sides = zip((-1, 1), beyond, strict=True)
    return "".join(arrow(edge, middle, half) for edge, there in sides if there)


def _interval(change: Change, bar: Bar, tone: Tone, top: float) -> Markup:
    parts = [
        element("title", describe_interval(change)),
        element(
            "rect",
            class_=f"bar bar-{tone}",
            x=bar.left,
            y=top,
            width=bar.right - bar.left,
            height=8.0,
        ),
    ]
    if bar.center is not None:
        parts.append(
            element(
                "rect", class_=f"bar-{tone}", x=bar.center - 1.5, y=top - 3, width=3.0, height=14.0
            )
        )
    beyond = _arrows((bar.beyond_left, bar.beyond_right), top + 4, 7)
    if beyond:
        parts.append(element("path", class_=f"beyond-{tone}", d=beyond))
    return together([element("g", *parts)])


def _values(kind: str, levels: FloatArray, change: Change) -> str:
    factor, unit = readable_unit(change.unit, change.base.center)
    results = (1 + levels) * change.base.center * factor
    of_each = words_for(change.identity)(f"median of each fork of {kind}")
    return f"{of_each}: {listed([value(x) for x in results], _MOST_TOLD)} {unit}"


def _changes(rounds: FloatArray) -> str:
    texts = [percent(x, signed=True) for x in rounds.tolist()]
    return f"head against base within each round: {listed(texts, _MOST_TOLD)}"


@dataclass(frozen=True, eq=False)
class Strips:
    """What a page needs to draw the rows of its table of changes.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    scale : Scale
        Common to all.
    levels : mapping of Identity to ForkLevels
        Its forks and rounds, where the results are there.
    drawn : frozenset of Identity
        Those that have a strip.
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
        order: Iterable[Identity] | None = None,
    ) -> Strips:
        """Find the scale that suits all changes; `order` has the most important ones first."""
        changes = {change.identity: change for change in comparison.changes}
        ordered = [i for i in (changes if order is None else order) if i in changes]
        drawn = frozenset(ordered[:MOST_STRIPS])
        shown = tuple(change for i, change in changes.items() if i in drawn)
        levels = fork_levels(shown, base, head)
        scale = Scale.of(comparison.changes, [one.forks for one in levels.values()])
        return cls(comparison, scale, levels, drawn)

    @cached_property
    def changes(self) -> Mapping[Identity, Change]:
        """Every benchmark that was compared."""
        return {change.identity: change for change in self.comparison.changes}

    @property
    def has_forks(self) -> bool:
        """Whether forks are drawn, and not intervals alone."""
        return bool(self.levels)

    @property
    def has_rounds(self) -> bool:
        """Whether changes within rounds are drawn."""
        return any(one.rounds.size for one in self.levels.values())

    @property
    def legend(self) -> str:
        """What the signs mean."""
        marks = "Round marks are the forks of base, square marks those of head"
        within = ", and upright marks the change within each round" if self.has_rounds else ""
        return (
            (f"{marks}{within}. " if self.has_forks else "")
            + "The bar is the interval of the change, and the line across it the change itself. "
            "An arrow points to what lies beyond the scale. A change counts where its bar leaves "
            "out zero and its line lies outside the shaded band, unless a note says otherwise."
            + (f" Only the first {len(self.drawn):,} rows have a picture." if self.left else "")
        )

    @property
    def left(self) -> int:
        """How many benchmarks have no strip, because there are too many."""
        return len(self.changes) - len(self.drawn)

    @property
    def axis(self) -> Markup:
        """The scale, to stand above the strips."""
        return draw_scale(self.scale)

    def strip(self, identity: Identity, tone: Tone) -> Markup | None:
        """Draw the strip of a benchmark; None where the result of base is not positive."""
        change, levels = self.changes[identity], self.levels.get(identity)
        return draw_strip(change, levels, self.scale, tone, self.comparison.threshold(change))
