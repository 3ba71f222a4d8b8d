"""Onset, whether: points for five things that a plot shows."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from steady.model import FloatArray
from steady.papers.onset_evidence import LEAST_SHARE, PARTS, Whole, lines_of

POINTS_FILE = "onset_points.json"

RUNNING = 5
"""Parts in a running median: one in sixty of the series."""

WARMUP_BAND = 0.02
"""Half width of a band around the last level, as a share of the warm-up's height."""

OWN_BAND = 0.05
"""Half width of a band around the last level, as a share of the running median's range."""

PENALTY = 10.0
"""What one more stretch costs, in variances of the noise of the parts."""

CLIPPED = 60.0
"""Parts farther from the last level, in widths of that noise, count as that far."""

LEAST_NOISE = 1e-4
"""Noise below this share of the level counts as this share."""

FULL_LENGTH = 3000
"""With fewer iterations, each is longer and shows less of the first invocations' height."""

HIGHEST = 10.0
"""What a long first iteration hides counts as at most so many levels high.

In three quarters of the labelled forks, the first of 3000 iterations is at most about that high.
"""

NEXT = 100
"""The first iteration is compared with the next hundredth of the series."""

_DEVIATION = 1.4826 / np.sqrt(2)  # from the median distance of neighbours to a standard deviation


@dataclass(frozen=True, slots=True)
class Seen:
    """What a plot of a whole fork shows.

    Parameters
    ----------
    span : float
        Logarithm of the range of all values, in widths of the late spread. What the first of
        fewer than 3000 iterations hides counts (`hidden_top`).
    in_warmup_band, in_own_band : float
        The share of the series after which the running median stays near the last level: within
        2 % of the warm-up's height, and within 5 % of the running median's own range. 1 if it
        never does.
    stretch : float
        Length of the longest stretch around one level, as a share of the series.
    late_top : float
        Where the highest value of the last third lies in the range of all values, from 0 to 1.
    """

    span: float
    in_warmup_band: float
    in_own_band: float
    stretch: float
    late_top: float

    def __getitem__(self, name: str) -> float:
        """Return the property called `name`."""
        return float(getattr(self, name))


PROPERTIES = ("span", "in_warmup_band", "in_own_band", "stretch", "late_top")


@dataclass(frozen=True, slots=True)
class Points:
    """An additive model: the points of each property, and of a fork where all are at their middle.

    Parameters
    ----------
    base : float
        Log-odds that people call a fork steady whose properties are worth 0 points.
    curves : dict of str to (ndarray, ndarray)
        By property: values, ascending, and their points. Between them points lie on a line, and
        outside they stay as they are.
    """

    base: float
    curves: Mapping[str, tuple[FloatArray, FloatArray]]

    def each(self, seen: Seen) -> dict[str, float]:
        """Return the points of each property."""
        return {
            name: float(np.interp(seen[name], values, points))
            for name, (values, points) in self.curves.items()
        }

    def probability(self, seen: Seen) -> float:
        """Return the probability that people call the fork steady."""
        return float(1 / (1 + np.exp(-self.base - sum(self.each(seen).values()))))


def seen_in(series: FloatArray, whole: Whole) -> Seen:
    """Read the properties off a series of at least 10 values, not all equal."""
    n = len(series)
    middle = lines_of(series)[1] if n >= PARTS else series
    line = _running_median(middle)
    late = series[2 * n // 3 :]
    level, least = float(np.median(late)), LEAST_SHARE * whole.scale
    bottom, reach = float(series.min()), float(np.ptp(series)) + least
    hidden = max(0.0, hidden_top(series, whole.scale) - float(series.max()))
    return Seen(
        float(np.log((reach + hidden) / whole.spread)),
        _stays_within(line, level, WARMUP_BAND * whole.peak),
        _stays_within(line, level, OWN_BAND * (float(np.ptp(line)) + least)),
        _longest_stretch(middle, level, whole.scale),
        (float(late.max()) - bottom) / reach,
    )


def hidden_top(series: FloatArray, scale: float) -> float:
    """Return how high the first of 3000 iterations would be where there are fewer, longer ones.

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
        n >= 10. Its first iteration stands for 3000 / n.
    scale : float
        The magnitude of the level, above 0. The answer is at most `HIGHEST` times as much.

    Notes
    -----
    An iteration has a duration, and its value is this duration over the invocations: the values
    of the iterations that it stands for have the harmonic mean. If all but the first of them were
    as high as the next iterations of the series are, the mean tells the height of the first. With
    3000 iterations or more that is the first value.
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
    """Return the share of a line after which it stays within `width` of a level."""
    outside = np.flatnonzero(np.abs(line - level) > width)
    return float(outside[-1] + 1) / len(line) if len(outside) else 0.0


def _longest_stretch(line: FloatArray, level: float, scale: float) -> float:
    """Return the share of the longest stretch when a line is cut at the best places.

    The cuts have the least squares around the stretches' means, and `PENALTY` for each stretch.
    """
    steps = np.abs(np.diff(line[len(line) // 2 :]))
    noise = _DEVIATION * float(np.median(steps)) + LEAST_NOISE * scale
    units = np.clip((line - level) / noise, -CLIPPED, CLIPPED)
    starts = _best_starts(units)
    return float(np.max(np.diff([*starts, len(line)]))) / len(line)


def _best_starts(values: FloatArray) -> list[int]:
    """Return where stretches begin (optimal partitioning, Jackson et al. 2005)."""
    n = len(values)
    sums, squares = (np.concatenate(([0.0], np.cumsum(values**power))) for power in (1, 2))
    length = np.arange(n + 1)
    size = np.maximum(length - length[:, np.newaxis], 1)
    # Row s, column e: squares around the mean of the values from s to e.
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
def stored_points() -> Points:
    """Read the points that ``evaluation/train_recommended.py`` wrote."""
    file = resources.files("steady.papers").joinpath(POINTS_FILE)
    stored = json.loads(file.read_text(encoding="utf-8"))
    curves = {
        one["property"]: (np.array(one["values"]), np.array(one["points"]))
        for one in stored["curves"]
    }
    return Points(stored["base"], curves)
