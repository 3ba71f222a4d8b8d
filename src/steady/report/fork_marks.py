"""Marks below the forks of a full run: the end of each fork's warm-up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from steady.plan.suite_plan import BenchmarkPlan
from steady.report.markup import element, number
from steady.text.escape import shorten
from steady.text.numbers import count, listed

RECOMMENDED = "recommended"
"""The detector whose starts are shown next to those of the plan's detector."""

_LANE, _THINNEST = 6.0, 1.2  # units of height; many forks have thinner lanes
_ALL_LANES = 100.0  # units of height that lanes share
_BAR = 0.8  # fraction of a lane; the rest separates it from the next one
_HALF = 2.6  # units from the center of a diamond to its corners
_MOST_NAMED = 8
_LONGEST_LABEL = 13  # characters of the label next to the lanes

Position = Callable[[float], float]
"""Function that returns the horizontal position of the start of an iteration."""


@dataclass(frozen=True, slots=True)
class ForkMarks:
    """The analysis of each fork of a full run.

    Parameters
    ----------
    detector : str
        The detector of the plan.
    starts : tuple of int or None
        First steady iteration of each fork, 0-based; None if the fork is never steady.
    recommended : tuple of int or None
        Starts from the recommended detector; empty if unknown, or if it is the plan's detector.
    odd_forks : tuple of int
        Indices, 0-based, of forks that differ from the others.
    """

    detector: str
    starts: tuple[int | None, ...]
    recommended: tuple[int | None, ...] = ()
    odd_forks: tuple[int, ...] = ()

    @property
    def height(self) -> float:
        """Height of all lanes, in units."""
        return round(self.lane * len(self.starts), 1)

    @property
    def lane(self) -> float:
        """Distance between lanes, in units."""
        return max(min(_LANE, _ALL_LANES / max(len(self.starts), 1)), _THINNEST)

    @property
    def apart(self) -> str:
        """Return a description of the odd forks; empty if there are none."""
        named = listed([str(fork + 1) for fork in self.odd_forks], _MOST_NAMED)
        if not named:
            return ""
        one = len(self.odd_forks) == 1
        return f"odd fork: {named}" if one else f"odd forks: {named}"

    @property
    def sentence(self) -> str:
        """Return a description of the forks' warm-up, and of odd forks."""
        parts = [starts_in_words(self.detector, self.starts)]
        if self.recommended:
            parts.append(starts_in_words(RECOMMENDED, self.recommended))
        return "; ".join(filter(None, (*parts, self.apart)))


def starts_in_words(detector: str, starts: Sequence[int | None]) -> str:
    """Return a description of the warm-up found by a detector.

    >>> starts_in_words("kb-kssd", (5, 9, None))
    'kb-kssd: 2 of 3 forks steady, after 5 iterations (median; 5 to 9)'
    """
    known = sorted(start for start in starts if start is not None)
    if not known:
        return f"{detector}: no fork steady"
    middle = known[(len(known) - 1) // 2]
    span = f"; {known[0]:,} to {known[-1]:,}" if known[0] < known[-1] else ""
    of_all = f"{len(known):,} of {count(len(starts), 'fork')}"
    return f"{detector}: {of_all} steady, after {count(middle, 'iteration')} (median{span})"


def shades(marks: ForkMarks, x: Position, length: int, height: int) -> Iterator[Markup]:
    """Shade the warm-up of each fork: the darker, the more forks are still warming up."""
    opacity = f"{0.5 / max(len(marks.starts), 1):.2g}"
    rows = [
        element("path", d=f"M0 0h{number(x(start))}v{height}H0z")
        for start in sorted(length if one is None else one for one in marks.starts)
        if start > 0
    ]
    if rows:
        yield element("g", *rows, class_="warm", fill_opacity=opacity)


def lanes(marks: ForkMarks, x: Position, length: int, top: float) -> Markup:
    """Draw a lane for each fork, from the first to the last.

    A bar marks the warm-up, the line at its end the start from the plan's detector, and a diamond
    that from the recommended one. A fork that is never steady has a bar in a different color over
    its whole length.
    """
    bar, never, ticks = "", "", ""
    height = number(_BAR * marks.lane)
    for fork, start in enumerate(marks.starts):
        y = number(top + fork * marks.lane)
        if start is None:
            never += f"M0 {y}h{number(x(length))}v{height}H0z"
            continue
        bar += f"M0 {y}h{number(x(start))}v{height}H0z" if start else ""
        ticks += f"M{number(x(start))} {y}v{height}"
    kinds = (
        ("lane", bar),
        ("lane-never", never),
        ("start", ticks),
        ("recommended", _diamonds(marks, x, top)),
        ("lane-apart", _apart(marks, top)),
    )
    drawn = (element("path", class_=name, d=path) for name, path in kinds if path)
    return element("g", element("title", marks.sentence), *drawn)


def _diamonds(marks: ForkMarks, x: Position, top: float) -> str:
    half = number(min(_HALF, 0.5 * marks.lane))
    middles = (
        (number(x(start)), number(top + (fork + 0.5 * _BAR) * marks.lane - float(half)))
        for fork, start in enumerate(marks.recommended)
        if start is not None
    )
    return "".join(f"M{at} {y}l{half} {half}-{half} {half}-{half}-{half}z" for at, y in middles)


def _apart(marks: ForkMarks, top: float) -> str:
    """Return triangles that point to the lanes of odd forks."""
    half = number(0.5 * _BAR * marks.lane)
    middles = (number(top + (fork + 0.5 * _BAR) * marks.lane) for fork in marks.odd_forks)
    return "".join(f"M-2 {y}l-4-{half}v{number(2 * float(half))}z" for y in middles)


def labels(marks: ForkMarks, x: float, top: float) -> Iterator[Markup]:
    """Draw the detector's name next to the lanes, if it fits."""
    text = shorten(marks.detector, _LONGEST_LABEL)
    yield element("text", text, x=x, y=top + max(0.5 * marks.height + 3.5, 8.0))


def detector_of(entry: BenchmarkPlan, options: Mapping[str, Any]) -> str:
    """Return the detector of a benchmark's starts, in a plan with these options."""
    name = entry.judged_by or options.get("detector")
    return name if isinstance(name, str) else "the plan's detector"
