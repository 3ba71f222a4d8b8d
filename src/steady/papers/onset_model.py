"""The probability model of the onset detector, based on five properties of a plot."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from steady.model import FloatArray
from steady.papers.onset_features import LEAST_SHARE, PARTS, SeriesFeatures, lines_of

POINTS_FILE = "onset_points.json"

RUNNING = 5
"""Number of parts in a running median: 1/60 of the series."""

WARMUP_BAND = 0.02
"""Half-width of a band around the last level, as a fraction of the warm-up's height."""

OWN_BAND = 0.05
"""Half-width of a band around the last level, as a fraction of the running median's range."""

PENALTY = 10.0
"""Penalty for each segment, in units of the noise variance of the parts."""

CLIPPED = 60.0
"""Upper limit of the distance of parts from the last level, in standard deviations of the noise."""

LEAST_NOISE = 1e-4
"""Lower limit of the noise, as a fraction of the level."""

FULL_LENGTH = 3000
"""Number of iterations in the training data. With fewer, each is longer and averages out the peak
of the first invocations."""

HIGHEST = 10.0
"""Maximum estimate of the peak hidden by a long first iteration, as a multiple of the level.

This is about the third quartile of the first of 3000 iterations in the labelled forks.
"""

NEXT = 100
"""Divisor of the length of the part after the first iteration with which it is compared."""

_DEVIATION = 1.4826 / np.sqrt(2)  # median absolute difference of neighbours to standard deviation


@dataclass(frozen=True, slots=True)
class PlotProperties:
    """Properties of a plot of a whole fork.

    Parameters
    ----------
    span : float
        Logarithm of the range of all values divided by the late range, including the peak hidden by
        the first of fewer than 3000 iterations (`hidden_top`).
    in_warmup_band, in_own_band : float
        Fraction of the series after which the running median stays near the last level: within 2 %
        of the warm-up's height, and within 5 % of the running median's own range. 1 if it never
        does.
    stretch : float
        Length of the longest segment around one level, as a fraction of the series.
    late_top : float
        Relative position of the maximum of the last third in the range of all values, from 0 to 1.
    """

    span: float
    in_warmup_band: float
    in_own_band: float
    stretch: float
    late_top: float

    def __getitem__(self, name: str) -> float:
        """Return the property `name`."""
        return float(getattr(self, name))


PROPERTIES = ("span", "in_warmup_band", "in_own_band", "stretch", "late_top")


@dataclass(frozen=True, slots=True)
class PointsModel:
    """An additive logistic model with a piecewise linear contribution of each property.

    Parameters
    ----------
    base : float
        Intercept: log-odds that people call a fork steady if all contributions are 0.
    curves : dict of str to (ndarray, ndarray)
        Ascending values and their contributions, by property. Contributions are interpolated
        linearly, and constant outside.
    """

    base: float
    curves: Mapping[str, tuple[FloatArray, FloatArray]]

    def each(self, seen: PlotProperties) -> dict[str, float]:
        """Return the contribution of each property to the log-odds."""
        return {
            name: float(np.interp(seen[name], values, points))
            for name, (values, points) in self.curves.items()
        }

    def probability(self, seen: PlotProperties) -> float:
        """Return the probability that people call the fork steady."""
        return float(1 / (1 + np.exp(-self.base - sum(self.each(seen).values()))))


def plot_properties(series: FloatArray, whole: SeriesFeatures) -> PlotProperties:
    """Compute the properties of a series of at least 10 values, not all equal."""
    n = len(series)
    middle = lines_of(series)[1] if n >= PARTS else series
    line = _running_median(middle)
    late = series[2 * n // 3 :]
    level, least = float(np.median(late)), LEAST_SHARE * whole.scale
    bottom, reach = float(series.min()), float(np.ptp(series)) + least
    hidden = max(0.0, hidden_top(series, whole.scale) - float(series.max()))
    return PlotProperties(
        float(np.log((reach + hidden) / whole.spread)),
        _stays_within(line, level, WARMUP_BAND * whole.peak),
        _stays_within(line, level, OWN_BAND * (float(np.ptp(line)) + least)),
        _longest_stretch(middle, level, whole.scale),
        (float(late.max()) - bottom) / reach,
    )


def hidden_top(series: FloatArray, scale: float) -> float:
    """Estimate the value of the first of 3000 iterations from a series of fewer, longer ones.

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
        Series with n >= 10; its first iteration corresponds to 3000 / n iterations.
    scale : float
        Magnitude of the level, above 0. The result is at most `HIGHEST` times as much.

    Notes
    -----
    The value of an iteration is its duration divided by its number of invocations, so a longer
    iteration has the harmonic mean of the shorter ones that it comprises. The first of these
    follows from the mean, assuming that the others are equal to the following iterations of the
    series. With 3000 iterations or more, the result is the first value.
    """
    first, joined = float(series[0]), max(1.0, FULL_LENGTH / len(series))
    following = float(np.median(series[1 : 1 + max(2, len(series) // NEXT)]))
    if first <= 0 or following <= 0:
        return first
    invocations = joined / first - (joined - 1) / following
    return 1 / max(invocations, 1 / (HIGHEST * scale))


def _running_median(line: FloatArray) -> FloatArray:
    """Return the medians of `RUNNING` neighbours; the ends are repeated."""
    padded = np.pad(line, RUNNING // 2, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, RUNNING)
    return np.asarray(np.median(windows, axis=1), dtype=np.float64)


def _stays_within(line: FloatArray, level: float, width: float) -> float:
    """Return the fraction of a line after which it stays within `width` of a level."""
    outside = np.flatnonzero(np.abs(line - level) > width)
    return float(outside[-1] + 1) / len(line) if len(outside) else 0.0


def _longest_stretch(line: FloatArray, level: float, scale: float) -> float:
    """Return the length of the longest segment of the optimal segmentation, as a fraction.

    The segmentation minimizes the squares around the segments' means plus `PENALTY` per segment.
    """
    steps = np.abs(np.diff(line[len(line) // 2 :]))
    noise = _DEVIATION * float(np.median(steps)) + LEAST_NOISE * scale
    units = np.clip((line - level) / noise, -CLIPPED, CLIPPED)
    starts = _best_starts(units)
    return float(np.max(np.diff([*starts, len(line)]))) / len(line)


def _best_starts(values: FloatArray) -> list[int]:
    """Return the starts of the segments (optimal partitioning, Jackson et al. 2005)."""
    n = len(values)
    sums, squares = (np.concatenate(([0.0], np.cumsum(values**power))) for power in (1, 2))
    length = np.arange(n + 1)
    size = np.maximum(length - length[:, np.newaxis], 1)
    # Element (s, e): sum of squares around the mean of the values from s to e.
    costs = squares - squares[:, np.newaxis] - (sums - sums[:, np.newaxis]) ** 2 / size
    ends = np.ascontiguousarray(costs.T) + PENALTY
    best, before = np.zeros(n + 1), np.zeros(n + 1, dtype=np.intp)
    for end in range(1, n + 1):
        totals = best[:end] + ends[end, :end]
        before[end] = np.argmin(totals)
        best[end] = totals[before[end]]
    starts, end = [], n
    while end > 0:
        end = int(before[end])
        starts.append(end)
    return starts[::-1]


@cache
def stored_points() -> PointsModel:
    """Load the model stored by ``evaluation/train_recommended.py``."""
    file = resources.files("steady.papers").joinpath(POINTS_FILE)
    stored = json.loads(file.read_text(encoding="utf-8"))
    curves = {
        one["property"]: (np.array(one["values"]), np.array(one["points"]))
        for one in stored["curves"]
    }
    return PointsModel(stored["base"], curves)
