"""KB-KSSD with many settings at once; shared steps are computed once.

The results are those of `steady.steadystate.kb_kssd`, for series of 150 iterations or more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.number_checks import to_unit_scale
from steady.steadystate.kb_kssd import PUBLISHED_KERNEL, find_step, replace_outliers

IntArray = npt.NDArray[np.int64]
UNSTEADY = -1
PERCENTILES = (2.0, 98.0)
LEAST_VALUES = 3


@dataclass(frozen=True)
class Settings:
    """The five parameters that Beseda et al. (2025) vary, one setting per row.

    Parameters
    ----------
    outlier_window, step_window, probability_window : ndarray of int64, shape (settings,)
        Iterations.
    t_crit, probability : ndarray of float64, shape (settings,)
        Thresholds.
    """

    outlier_window: IntArray
    step_window: IntArray
    probability_window: IntArray
    t_crit: FloatArray
    probability: FloatArray

    def __len__(self) -> int:
        return len(self.t_crit)


def steady_starts(series: FloatArray, settings: Settings) -> IntArray:
    """Return the first steady iteration of a series for each setting, -1 if not steady.

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
        One fork, not constant.
    settings : Settings
        In any order.
    """
    starts = np.full(len(settings), UNSTEADY, dtype=np.int64)
    scaled = to_unit_scale(series)
    for outlier_window in np.unique(settings.outlier_window).tolist():
        rows = np.flatnonzero(settings.outlier_window == outlier_window)
        smoothed = replace_outliers(scaled, outlier_window, PERCENTILES)
        ends = _warmup_ends(smoothed, settings.step_window[rows])
        for first in np.unique(ends).tolist():
            same = rows[ends == first]
            for window in np.unique(settings.probability_window[same]).tolist():
                chosen = same[settings.probability_window[same] == window]
                limits = settings.t_crit[chosen], settings.probability[chosen]
                starts[chosen] = _starts_behind(smoothed, first, window, *limits)
    return starts


def _warmup_ends(smoothed: FloatArray, step_windows: IntArray) -> IntArray:
    """Return the first iteration after the warm-up for each step window."""
    firsts = np.empty_like(step_windows)
    for window in np.unique(step_windows).tolist():
        end = find_step(smoothed, PUBLISHED_KERNEL, window)
        firsts[step_windows == window] = 0 if end is None else end + 1
    return firsts


def _starts_behind(
    smoothed: FloatArray, first: int, window: int, t_crit: FloatArray, probability: FloatArray
) -> IntArray:
    """Return the start of the first window from which on all probabilities are sufficient."""
    values = smoothed[first:]
    windows = max(1, (len(values) + window - LEAST_VALUES) // window)
    if len(values) < LEAST_VALUES:
        return np.full(len(t_crit), UNSTEADY, dtype=np.int64)
    borders = np.arange(windows) * window
    parts = np.split(values, borders[1:])
    means, deviations = np.array([_mean_and_deviation(part) for part in parts]).T
    sizes = np.array([len(part) for part in parts])
    distances = np.abs(values - np.repeat(means, sizes))
    limits = t_crit[:, np.newaxis] * np.repeat(deviations, sizes)
    shares = np.add.reduceat(distances <= limits, borders, axis=1, dtype=np.int64) / sizes
    enough = shares >= probability[:, np.newaxis]
    behind = np.logical_and.accumulate(enough[:, ::-1], axis=1).sum(axis=1)
    found = first + (windows - behind) * window
    return np.where(behind > 0, found, UNSTEADY).astype(np.int64)


def _mean_and_deviation(values: FloatArray) -> tuple[float, float]:
    """Return the mean and the standard deviation of a detrended window."""
    n = len(values)
    drift = (values[-1] - values[0]) / (n - 1)
    levelled = values - drift * np.arange(1, n + 1)
    mean = np.mean(levelled)
    return float(mean), float(np.sqrt(np.sum((levelled - mean) ** 2) / (n - 2)))
