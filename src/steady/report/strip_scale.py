"""Geometry of the report's strips: changes on a common scale, and the forks behind each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from steady.compare import Change
from steady.compare.pair import Pair
from steady.compare.round_tables import round_tables
from steady.model import Benchmark, FloatArray, Identity, Suite
from steady.stats.samples import row_medians

PLOT_WIDTH = 240
"""Width of an interval plot, in its own units."""

_REACHES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 2.0, 5.0)
_COVERED = 0.9  # share of the intervals that the common scale shows whole, one less of a few
_FARTHEST = 1.0  # relative change up to which every change lies inside the plot
_FORKS_SHOWN = 0.75  # share of the forks that the common scale shows, if there is room
_SQUEEZED = 2.0  # forks may make the scale so many times as long as the changes need


@dataclass(frozen=True, slots=True)
class Bar:
    """A change with its interval on the common scale.

    Parameters
    ----------
    left, right : float
        Ends of the interval, from 0 to `PLOT_WIDTH`.
    center : float, optional
        The change itself; None where it lies outside the plot.
    beyond_left, beyond_right : bool
        Whether the interval goes on outside the plot.
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
        """Choose a round reach that shows nearly all intervals whole, and what changed.

        However wide the widest few are, they do not squeeze the others: they are cut.

        Parameters
        ----------
        changes : iterable of Change
            What is drawn.
        forks : iterable of ndarray of float64, shape (forks,)
            Where the forks of each benchmark lie. Most of them are shown, as long as they do not
            squeeze the intervals.
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
        """Return where a relative change lies, from 0 to `PLOT_WIDTH`."""
        share = 0.5 + 0.5 * max(-1.0, min(change / self.reach, 1.0))
        return round(PLOT_WIDTH * share, 1)

    def ticks(self) -> list[tuple[float, float]]:
        """Return positions and relative changes of up to five marks; nothing falls by over 1."""
        changes = [self.reach * step for step in (-1, -0.5, 0, 0.5, 1)]
        return [(self.position(change), change) for change in changes if change >= -1]

    def bar(self, change: Change) -> Bar | None:
        """Return a change as a bar; None where the base is not positive."""
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
    """Return the interval of a change; where only that is unknown, the change alone."""
    if change.base.center <= 0:
        return None
    return change.interval or (change.ratio, change.ratio)


@dataclass(frozen=True, eq=False)
class ForkLevels:
    """Forks and rounds on the scale of a change: as signed fractions of the base's result.

    Parameters
    ----------
    base, head : ndarray of float64, shape (forks,)
        How far the median of each fork is from the result of base.
    rounds : ndarray of float64, shape (rounds,)
        The change within each round, as the rule sees it; empty where no two forks ran together.
    """

    base: FloatArray
    head: FloatArray
    rounds: FloatArray

    @classmethod
    def of(cls, change: Change, base: Benchmark, head: Benchmark) -> ForkLevels | None:
        """Take them from the results; None where the result of base is not positive."""
        center = change.base.center
        if center <= 0:
            return None
        pair = Pair.of(base, head)
        tables = round_tables({0: pair}) if len(pair.rounds) else []
        rounds = tables[0].differences[0] if tables else np.empty(0)
        return cls(
            row_medians(pair.base) / center - 1,
            row_medians(pair.head) / center - 1,
            np.expm1(rounds),
        )

    @property
    def forks(self) -> FloatArray:
        """The forks of both sides."""
        return np.concatenate([self.base, self.head])


def fork_levels(
    changes: tuple[Change, ...], base: Suite | None, head: Suite | None
) -> dict[Identity, ForkLevels]:
    """Return them for all changes of which both results are there."""
    levels = {}
    for change in changes if base is not None and head is not None else ():
        sides = _side(base, change), _side(head, change)
        if sides[0] is None or sides[1] is None:
            continue
        known = ForkLevels.of(change, sides[0], sides[1])
        if known is not None:
            levels[change.identity] = known
    return levels


def _side(suite: Suite | None, change: Change) -> Benchmark | None:
    """Return the result of one side, if it has values in the unit of the change."""
    benchmark = None if suite is None else suite.get(change.identity)
    if benchmark is None or benchmark.unit != change.unit:
        return None
    return benchmark if np.isfinite(benchmark.measured).any() else None
