"""KB-KSSD, third stage: Kelly's probability of a steady state, window by window."""

from __future__ import annotations

import numpy as np

from steady.model import FloatArray

Intervals = tuple[tuple[int, float], ...]

LEAST_VALUES = 3
"""Values that a window needs: its standard deviation has n - 2 degrees of freedom."""


def steady_intervals(
    series: FloatArray, warmup_end: int | None, window: int, t_crit: float
) -> Intervals:
    """Cut the series behind the warm-up into windows and join those of equal probability.

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
        Without outliers.
    warmup_end : int or None
        Last iteration of the warm-up; it and all before it have probability 0.
    window : int
        Iterations in a window, at least 3; a rest of fewer than 3 joins the last window.
    t_crit : float
        Standard deviations that a steady value may lie from the mean.

    Returns
    -------
    tuple of (int, float)
        Start and probability of each interval. Fewer than 3 iterations behind the warm-up make
        an interval of probability 0.
    """
    first = 0 if warmup_end is None else warmup_end + 1
    windows = max(1, (len(series) - first + window - LEAST_VALUES) // window)
    starts = [first + number * window for number in range(windows)]
    ends = [*starts[1:], len(series)]
    intervals = [] if warmup_end is None else [(0, 0.0)]
    for start, end in zip(starts, ends, strict=True):
        probability = steady_probability(series[start:end], t_crit)
        if not intervals or intervals[-1][1] != probability:
            intervals.append((start, probability))
    return tuple(intervals)


def steady_probability(values: FloatArray, t_crit: float) -> float:
    """Share of a window's values that lie within `t_crit` standard deviations of its mean.

    The drift is the mean of the differences; mean and standard deviation are those of the values
    without it, while the values compared with them keep it (KB-KSSD, equations 3 to 7).
    """
    n = len(values)
    if n < LEAST_VALUES:
        return 0.0
    time = np.arange(1, n + 1)
    drift = (values[-1] - values[0]) / (n - 1)
    levelled = values - drift * time
    mean = np.mean(levelled)
    deviation = np.sqrt(np.sum((levelled - mean) ** 2) / (n - 2))
    return float(np.mean(np.abs(values - mean) <= t_crit * deviation))
