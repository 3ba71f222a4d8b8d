"""Marks below the forks of a full run: where detectors end the warm-up of each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from steady.plan.suite_plan import BenchmarkPlan
from steady.report.svg import element, number
from steady.text.escape import shorten
from steady.text.numbers import count, listed

RECOMMENDED = "recommended"
"""The detector whose starts stand beside those that the plan was made with."""

_LANE, _THINNEST = 6.0, 1.2  # units of height; many forks have thinner lanes
_ALL_LANES = 100.0  # units of height that lanes share
_BAR = 0.8  # of a lane: the rest sets it apart from the next one
_HALF = 2.6  # units: from the middle of a diamond to its corners
_MOST_NAMED = 8
_LONGEST_LABEL = 13  # characters beside the lanes

Position = Callable[[float], float]
"""Where an iteration of this number begins, in units of width."""


@dataclass(frozen=True, slots=True)
class ForkMarks:
    """What is known of each fork of a full run.

    Parameters
    ----------
    detector : str
        The detector of the plan.
    starts : tuple of int or None
        Its first steady iteration of each fork, 0-based; None: never steady.
    recommended : tuple of int or None
        The starts of the recommended detector; empty if it is the plan's own, or not known.
    odd_forks : tuple of int
        0-based forks that differ from the others.
    """

    detector: str
    starts: tuple[int | None, ...]
    recommended: tuple[int | None, ...] = ()
    odd_forks: tuple[int, ...] = ()

    @property
    def height(self) -> float:
        """Units of height that the lanes take."""
        return round(self.lane * len(self.starts), 1)

    @property
    def lane(self) -> float:
        """Units of height from one lane to the next."""
        return max(min(_LANE, _ALL_LANES / max(len(self.starts), 1)), _THINNEST)

    @property
    def apart(self) -> str:
        """Say which forks stand apart; empty if none does."""
        named = listed([str(fork + 1) for fork in self.odd_forks], _MOST_NAMED)
        if not named:
            return ""
        one = len(self.odd_forks) == 1
        return f"odd fork: {named}" if one else f"odd forks: {named}"

    @property
    def sentence(self) -> str:
        """Say where the warm-up of the forks ends, and which of them stand apart."""
        parts = [starts_in_words(self.detector, self.starts)]
        if self.recommended:
            parts.append(starts_in_words(RECOMMENDED, self.recommended))
        return "; ".join(filter(None, (*parts, self.apart)))


def starts_in_words(detector: str, starts: Sequence[int | None]) -> str:
    """Say where a detector ends the warm-up of some forks.

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
    """Shade the warm-up of each fork: the more of them are still warm, the darker."""
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

    A bar is its warm-up, the line at its end the plan's detector, a diamond the recommended one.
    A fork that is never steady has a bar of another colour over its whole length.
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
    """Return triangles that point at the lanes of forks that stand apart."""
    half = number(0.5 * _BAR * marks.lane)
    middles = (number(top + (fork + 0.5 * _BAR) * marks.lane) for fork in marks.odd_forks)
    return "".join(f"M-2 {y}l-4-{half}v{number(2 * float(half))}z" for y in middles)


def labels(marks: ForkMarks, x: float, top: float) -> Iterator[Markup]:
    """Name the detector beside the lanes, as far as there is room."""
    text = shorten(marks.detector, _LONGEST_LABEL)
    yield element("text", text, x=x, y=top + max(0.5 * marks.height + 3.5, 8.0))


def detector_of(entry: BenchmarkPlan, options: Mapping[str, Any]) -> str:
    """Return the detector that found the starts of a benchmark in a plan of these options."""
    name = entry.judged_by or options.get("detector")
    return name if isinstance(name, str) else "the plan's detector"
