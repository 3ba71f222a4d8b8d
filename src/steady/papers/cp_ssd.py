"""CP-SSD: steady-state detection by comparing the means of segments between change points."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from steady.model import FloatArray
from steady.number_checks import check_between, check_whole, to_unit_scale
from steady.papers.change_points import GaussianCost, best_counts, elbow, likely_segmentations, pelt
from steady.stats.samples import IntArray
from steady.steadystate.detection import SteadyState, as_series, trivial_result

_CLEAR = 6.0  # number of standard errors beyond which no bootstrap is needed
_FIRST = 1000  # number of resamples that is nearly always sufficient
_ROWS = 500  # resamples drawn at once


class ResampledMeans:
    """Means of resamples of a segment, drawn on demand.

    Parameters
    ----------
    segment : ndarray of float64, shape (n,)
        Values of the segment.
    seed : sequence of int
        Seed of the draws. The first means do not depend on the number of means requested.
    """

    def __init__(self, segment: FloatArray, seed: tuple[int, int]) -> None:
        self._segment, self._random = segment, np.random.default_rng(seed)
        self._means = np.empty(0)

    def first(self, count: int) -> FloatArray:
        """Return the first means, shape (count,)."""
        drawn = [self._means]
        for _ in range(len(self._means), count, _ROWS):
            size = (_ROWS, len(self._segment))
            picks = self._random.integers(len(self._segment), size=size, dtype=np.int32)
            drawn.append(self._segment[picks].mean(axis=1))
        self._means = np.concatenate(drawn)
        return self._means[:count]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of a segment's mean with the last one's.

    Parameters
    ----------
    min_change : float
        Minimum relative change: means differ if the interval of last / segment lies completely
        outside 1 ± `min_change`.
    confidence : float
        Confidence level of that percentile-bootstrap interval.
    resamples, seed : int
        Options of the bootstrap, which is used only if the standard errors of the means are not
        conclusive.
    """

    min_change: float = 0.05
    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole(1, resamples=self.resamples)
        check_whole(0, seed=self.seed)
        check_between(0, 1, min_change=self.min_change, confidence=self.confidence)

    def by_standard_errors(self, last: FloatArray, segment: FloatArray) -> bool | None:
        """Return whether the means differ by their standard errors; None if inconclusive."""
        distances = []
        for bound in (1 - self.min_change, 1 + self.min_change):
            error = np.hypot(_standard_error(last), bound * _standard_error(segment))
            distance = float(np.mean(last) - bound * np.mean(segment))
            distances.append(distance / error if error > 0 else np.copysign(np.inf, distance))
        beyond = max(-distances[0], distances[1])
        return None if 0 < beyond <= _CLEAR else beyond > 0

    def by_bootstrap(self, last: ResampledMeans, segment: FloatArray) -> bool:
        """Return whether the means differ by the bootstrap interval."""
        other = self.resampled(segment, 1)
        count = min(_FIRST, self.resamples)
        early = self._clear(last.first(count) / other.first(count))
        if early is not None:
            return early
        ratios = last.first(self.resamples) / other.first(self.resamples)
        tail = (1 - self.confidence) / 2
        low, high = np.quantile(ratios, [tail, 1 - tail])
        return bool(high <= 1 - self.min_change or low >= 1 + self.min_change)

    def resampled(self, segment: FloatArray, stream: int) -> ResampledMeans:
        """Return resampled means of a segment; different streams are independent."""
        return ResampledMeans(segment, (self.seed, stream))

    def _clear(self, ratios: FloatArray) -> bool | None:
        """Return the result if more resamples would not change it, otherwise None.

        The interval is outside of a bound if at most a fraction `tail` of the ratios is on the
        other side. The number of such ratios in a sample deviates by six standard deviations or
        more with a probability of 1e-9.
        """
        tail = (1 - self.confidence) / 2
        inside = min(
            int(np.count_nonzero(ratios > 1 - self.min_change)),
            int(np.count_nonzero(ratios < 1 + self.min_change)),
        )
        expected = tail * len(ratios)
        chance = _CLEAR * np.sqrt(expected * (1 - tail))
        if inside > expected + chance:
            return False
        return True if inside == 0 and expected >= 20 else None


def _standard_error(segment: FloatArray) -> float:
    return float(np.std(segment) / np.sqrt(len(segment)))


NAME = "cp-ssd"

LEAST_PENALTY = 4.0
DEFAULT_PENALTY = 15.0
"""Minimum and default penalty, in units of log n; the default is used if the number of change
points has no elbow."""

_PERCENTILES = (0.01, 0.5, 0.99)


def cp_ssd(
    values: npt.ArrayLike,
    *,
    outlier_window: int = 200,
    outlier_factor: float = 3.0,
    unfiltered: int = 20,
    steady_share: float = 1 / 6,
    **comparison: Any,
) -> SteadyState:
    """Detect the steady state of one fork with CP-SSD.

    Outliers are removed, and change points in mean and variance split the series into segments.
    From the end backwards, each segment is compared with the last one. The steady state starts
    after the first segment, in this order, with a different mean.

    Parameters
    ----------
    values : array-like, shape (n,)
        Time per operation of each iteration, in any unit, warm-up first. NaN at the end marks
        iterations that did not run. Never modified.
    outlier_window, outlier_factor : int, float
        Number of iterations in a window, and limit: an iteration is an outlier if, in any window
        that contains it, its distance from the median exceeds `outlier_factor` times the distance
        between the 1st and 99th percentiles.
    unfiltered : int
        Number of iterations at the start that are never outliers. The authors use
        ceil(200 / ln(1 + invocations)) with the mean number of invocations in an iteration.
    steady_share : float
        Minimum length of the steady state, as a fraction of the series.
    **comparison
        Options of `Comparison`, which decides whether the means of two segments differ.

    Returns
    -------
    SteadyState
        The result; ``warmup_end`` is the last change point before the steady state, and
        ``intervals`` are the segments, with probability 1 from the start of the steady state on and
        0 before.

    Raises
    ------
    InputError
        If `values` is not one series of finite numbers, or an option is out of range.

    Notes
    -----
    The penalty of a change point is the elbow of the number of change points as a function of the
    penalty (from 4 log n up), or 15 log n if there is no elbow. At an elbow, two numbers of change
    points are equally good; the authors' code chooses by rounding errors, and this implementation
    always chooses the smaller one.

    References
    ----------
    L. Traini, V. Cortellessa, D. Di Pompeo, M. Tucci, *Towards effective assessment of steady
    state performance in Java software: Are we there yet?*, Empirical Software Engineering 28:13,
    2023, with the details of their replication package (SEALABQualityGroup/steady-state); after
    E. Barrett et al., *Virtual machine warmup blows hot and cold*, 2017.
    """
    series = as_series(values)
    check_whole(1, outlier_window=outlier_window)
    check_whole(0, unfiltered=unfiltered)
    check_between(0, 1, steady_share=steady_share)
    check_between(0, np.inf, outlier_factor=outlier_factor)
    compare = Comparison(**comparison)
    early = trivial_result(series, NAME)
    if early is not None:
        return early
    # Means of 0 have no ratio, so they are treated as equal.
    with np.errstate(under="ignore", divide="ignore", invalid="ignore"):
        scaled = to_unit_scale(series)
        skip = min(unfiltered, len(series) // 15)
        window = min(outlier_window, len(series) - skip)
        kept = inliers(scaled, skip, window, outlier_factor)
        starts = kept[_change_points(scaled[kept]) - 1] + 1
        steady_part = _walk(scaled, starts, compare)
    latest = max(1, len(series) - int(np.ceil(len(series) * steady_share)))
    return _result(steady_part, [0, *starts.tolist()], latest)


def _change_points(series: FloatArray) -> IntArray:
    """Return the starts of the segments after the first one."""
    if len(series) == 0 or np.min(series) == np.max(series):
        return np.array([], dtype=np.int64)
    cost = GaussianCost(series)
    unit = np.log(len(series))
    most = len(pelt(cost, LEAST_PENALTY * unit))
    if most == 0:
        return np.array([], dtype=np.int64)
    segmentations = likely_segmentations(cost, most, LEAST_PENALTY * unit)
    penalties, counts = best_counts(segmentations.costs, LEAST_PENALTY * unit)
    position = elbow(penalties, counts)
    if position is None:
        position = int(np.searchsorted(penalties, DEFAULT_PENALTY * unit, side="right")) - 1
    return segmentations.change_points(int(counts[position]))


def _walk(series: FloatArray, starts: IntArray, compare: Comparison) -> int:
    """Return the start of the trailing segments with the same mean as the last one."""
    *segments, last = np.split(series, starts)
    drawn = compare.resampled(last, 0)
    for place, segment in zip(starts[::-1].tolist(), segments[::-1], strict=True):
        differs = compare.by_standard_errors(last, segment)
        if differs is None:
            differs = compare.by_bootstrap(drawn, segment)
        if differs:
            return int(place)
    return 0


def _result(start: int, starts: list[int], latest: int) -> SteadyState:
    if start >= latest:
        reason = (
            f"the level still changes at iteration {start} (counted from 0); the steady state must "
            f"start before iteration {latest}"
        )
        return SteadyState(None, NAME, start - 1, tuple((place, 0.0) for place in starts), reason)
    intervals = tuple((place, float(place >= start)) for place in starts)
    reason = (
        f"steady from iteration {start} (counted from 0) on: "
        f"{sum(place >= start for place in starts)} segments with equal means"
    )
    return SteadyState(start, NAME, start - 1 if start else None, intervals, reason)


def inliers(series: FloatArray, skip: int, window: int, factor: float) -> IntArray:
    """Return the positions of the values that are not outliers.

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
    skip : int
        Number of values at the start that are never outliers, because they are warm-up.
    window : int
        Number of values in a window; skip + window <= n.
    factor : float
        Limit of an outlier's distance from the median of any window that contains it, as a multiple
        of the distance between that window's 1st and 99th percentiles.

    Returns
    -------
    ndarray of int64, shape (inliers,)
    """
    judged = series[skip:]
    ordered = np.sort(sliding_window_view(judged, window), axis=1)
    low, middle, high = (_quantile(ordered, share) for share in _PERCENTILES)
    reach = factor * (high - low)
    # A value is in up to `window` windows, and must be within the limits of all.
    edge = np.full(window - 1, np.inf)
    most = np.concatenate([edge, middle + reach, edge])
    least = np.concatenate([-edge, middle - reach, -edge])
    stays = judged <= sliding_window_view(most, window).min(axis=1)
    stays &= judged >= sliding_window_view(least, window).max(axis=1)
    return np.concatenate([np.arange(skip), skip + np.flatnonzero(stays)])


def _quantile(ordered: FloatArray, share: float) -> FloatArray:
    position = (ordered.shape[1] - 1) * share
    below = int(position)
    above = min(below + 1, ordered.shape[1] - 1)
    step = ordered[:, above] - ordered[:, below]
    return np.asarray(ordered[:, below] + step * (position - below), dtype=np.float64)
