"""Geometry of the report's pictures: changes on a common scale, and the series of forks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from steady.compare import Change
from steady.model import FloatArray

PLOT_WIDTH = 240
"""Width of an interval plot, in its own units."""

SERIES_WIDTH, SERIES_HEIGHT = 200, 44
"""Size of the picture of one fork, in its own units."""

_REACHES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 2.0, 5.0)
_COVERED = 0.9  # share of the intervals that the common scale shows whole, one less of a few
_FARTHEST = 1.0  # relative change up to which every change lies inside the plot
_SHOWN = (0.03, 0.97)  # quantiles that the vertical axis spans: a first iteration may be 20 times
_MARGIN = 0.25  # of that span, above and below it


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
    def of(cls, changes: Iterable[Change]) -> Scale:
        """Choose a round reach that shows nearly all intervals whole, and what changed.

        However wide the widest few are, they do not squeeze the others: they are cut.
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
        return cls(next((reach for reach in _REACHES if reach >= needed), _REACHES[-1]))

    def position(self, change: float) -> float:
        """Return where a relative change lies, from 0 to `PLOT_WIDTH`."""
        share = 0.5 + 0.5 * float(np.clip(change / self.reach, -1, 1))
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


@dataclass(frozen=True, slots=True)
class SeriesAxes:
    """What the pictures of all forks of one benchmark share.

    Parameters
    ----------
    length : int
        Iterations that the width stands for.
    low, high : float
        Values at the lower and upper edge; what lies outside is drawn at the edge.
    """

    length: int
    low: float
    high: float

    @classmethod
    def of(cls, tables: Sequence[FloatArray]) -> SeriesAxes:
        """Span all forks of all tables, each of shape (forks, iterations)."""
        values = np.concatenate([table[np.isfinite(table)] for table in tables])
        length = max(table.shape[1] for table in tables)
        low, high = np.quantile(values, _SHOWN) if values.size else (0.0, 1.0)
        margin = _MARGIN * float(high - low) or abs(float(high)) * _MARGIN or 1.0
        return cls(length, float(low) - margin, float(high) + margin)

    def x(self, iteration: float) -> float:
        """Return the horizontal position of an iteration, counted from 0."""
        return round(SERIES_WIDTH * iteration / max(self.length - 1, 1), 1)

    def points(self, values: FloatArray, most: int) -> str:
        """Return a fork's series as an SVG list of at most `most` points."""
        positions, thinned = thin(values, most)
        share = (np.clip(thinned, self.low, self.high) - self.low) / (self.high - self.low)
        x = SERIES_WIDTH * positions / max(self.length - 1, 1)
        y = SERIES_HEIGHT * (1 - share)
        return " ".join(f"{a:.4g},{b:.3g}" for a, b in zip(x, y, strict=True))


def thin(values: FloatArray, most: int) -> tuple[FloatArray, FloatArray]:
    """Keep the smallest and the largest value of each of `most` / 2 stretches of a series.

    Parameters
    ----------
    values : ndarray of float64, shape (iterations,)
        What is not finite is left out.
    most : int
        Most values that are kept, at least 2.

    Returns
    -------
    positions, values : ndarray of float64
        In the order of the series; all of it where it is short enough.
    """
    positions = np.flatnonzero(np.isfinite(values))
    if positions.size <= most:
        return positions.astype(np.float64), values[positions]
    starts = np.linspace(0, positions.size, most // 2, endpoint=False).astype(np.int64)
    ends = np.append(starts[1:], positions.size)
    kept = values[positions]
    chosen = {
        start + extreme(kept[start:end])
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        for extreme in (np.argmin, np.argmax)
    }
    indices = np.array(sorted(chosen), dtype=np.int64)
    return positions[indices].astype(np.float64), kept[indices]
