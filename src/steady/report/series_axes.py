"""Series of iterations as lines: axes that no outlier squeezes, and paths of few characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steady.model import FloatArray
from steady.stats.samples import row_medians

SERIES_WIDTH, SERIES_HEIGHT = 250, 96
"""Size of the picture of a side's forks, in its own units."""

FINENESS = 4
"""Lines are drawn in quarters of these units, in whole numbers."""

_SHOWN = (0.03, 0.97)  # quantiles that the vertical axis spans: a first iteration may be 20 times
_MARGIN = 0.25  # of that span, above and below it
_COLUMNS = 30  # of a band
_ARROWS_APART = 8  # units of width


@dataclass(frozen=True, slots=True)
class SeriesAxes:
    """What the lines of all forks of one side share.

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
        """Return axes that span all forks of all tables, each of shape (forks, iterations)."""
        values = np.concatenate([table[np.isfinite(table)] for table in tables])
        length = max(table.shape[1] for table in tables)
        low, high = np.quantile(values, _SHOWN) if values.size else (0.0, 1.0)
        margin = _MARGIN * float(high - low) or abs(float(high)) * _MARGIN or 1.0
        floor = 0.0 if values.size and values.min() >= 0 else -np.inf
        return cls(length, max(float(low) - margin, floor), float(high) + margin)

    def x(self, iteration: float) -> float:
        """Return where the iteration of this number begins, counted from 0."""
        return round(SERIES_WIDTH * min(max(iteration, 0), self.length) / max(self.length, 1), 1)

    def path(self, values: FloatArray, most: int) -> str:
        """Return a fork's series as an SVG path of at most `most` points."""
        return self._path(*thin(values, most))

    def band(self, table: FloatArray) -> tuple[str, str]:
        """Return the paths of what all forks span, and of their median, in few columns.

        Parameters
        ----------
        table : ndarray of float64, shape (forks, iterations)

        Returns
        -------
        span, median : str
            Empty without any value.
        """
        known = np.flatnonzero(np.isfinite(table).any(axis=0))
        if not known.size:
            return "", ""
        groups = np.array_split(known, min(_COLUMNS, known.size))
        positions = np.array([float(group.mean()) for group in groups])
        starts = np.cumsum([0, *map(len, groups[:-1])])
        columns = table[:, known]
        low = np.fmin.reduceat(np.fmin.reduce(columns, axis=0), starts)
        high = np.fmax.reduceat(np.fmax.reduce(columns, axis=0), starts)
        size = len(groups[0])
        padded = np.full((len(groups), len(table) * size), np.nan)
        for row, group in zip(padded, groups, strict=True):
            row[: len(table) * len(group)] = table[:, group].ravel()
        middle = row_medians(padded)
        there, back = self._path(positions, high), self._path(positions[::-1], low[::-1])
        return f"{there}{back.replace('M', 'L', 1)}z", self._path(positions, middle)

    def beyond(self, table: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return where a value lies above the upper edge, and below the lower one.

        Each is at most one mark for every few units of width.
        """
        marks = []
        for outside in (table > self.high, table < self.low):
            columns = np.flatnonzero((outside & np.isfinite(table)).any(axis=0))
            x = (columns + 0.5) * SERIES_WIDTH / max(self.length, 1)
            marks.append(np.unique(np.round(x / _ARROWS_APART) * _ARROWS_APART))
        return marks[0], marks[1]

    def _path(self, positions: FloatArray, values: FloatArray) -> str:
        """Return a line through the middle of each iteration: whole numbers, each step relative."""
        if not positions.size:
            return ""
        share = (np.clip(values, self.low, self.high) - self.low) / (self.high - self.low)
        x = np.rint(FINENESS * SERIES_WIDTH * (positions + 0.5) / max(self.length, 1)).astype(int)
        y = np.rint(FINENESS * SERIES_HEIGHT * (1 - share)).astype(int)
        steps = "".join(
            f"{right}{down}" if down < 0 else f"{right} {down}"
            for right, down in zip(_relative(x), np.diff(y).tolist(), strict=True)
        )
        return f"M{x[0]} {y[0]}l{steps}" if steps else f"M{x[0]} {y[0]}h0"


def _relative(x: np.ndarray) -> list[str]:
    """Write steps to the right, each set apart from the number before it."""
    return [
        str(step) if index == 0 or step < 0 else f" {step}"
        for index, step in enumerate(np.diff(x).tolist())
    ]


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
