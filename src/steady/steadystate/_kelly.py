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
    """Cut the series after the warm-up into windows and join those of equal probability.

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
        Without outliers.
    warmup_end : int or None
        Last iteration of the warm-up; this iteration and all before it have probability 0.
    window : int
        Iterations in a window, at least 3; a rest of fewer than 3 joins the last window.
    t_crit : float
        A steady value is at most this many standard deviations from the mean.

    Returns
    -------
    tuple of (int, float)
        Start and probability of each interval. Fewer than 3 iterations after the warm-up form
        an interval of probability 0.
    """
    first = 0 if warmup_end is None else warmup_end + 1
    windows = max(1, (len(series) - first + window - LEAST_VALUES) // window)
    last = first + (windows - 1) * window
    full = series[first:last].reshape(windows - 1, window)
    probabilities = [*_probabilities(full, t_crit), steady_probability(series[last:], t_crit)]
    intervals = [] if warmup_end is None else [(0, 0.0)]
    for start, probability in zip(range(first, last + 1, window), probabilities, strict=True):
        if not intervals or intervals[-1][1] != probability:
            intervals.append((start, probability))
    return tuple(intervals)


def steady_probability(values: FloatArray, t_crit: float) -> float:
    """Return the share of a window's values within `t_crit` standard deviations of its mean.

    The drift is the mean of the differences. It is removed before the mean and the standard
    deviation are computed, but not from the values that are compared with them (KB-KSSD,
    equations 3 to 7).
    """
    if len(values) < LEAST_VALUES:
        return 0.0
    return _probabilities(values[np.newaxis], t_crit)[0]


def _probabilities(windows: FloatArray, t_crit: float) -> list[float]:
    """Return the probability of each window; windows are rows of one size."""
    n = windows.shape[1]
    drift = (windows[:, -1:] - windows[:, :1]) / (n - 1)
    work = drift * np.arange(1, n + 1)  # reused, because new arrays take longer
    np.subtract(windows, work, out=work)
    mean = np.add.reduce(work, axis=1, keepdims=True) / n
    work -= mean
    work *= work
    deviation = np.sqrt(np.add.reduce(work, axis=1, keepdims=True) / (n - 2))
    np.abs(np.subtract(windows, mean, out=work), out=work)
    steady = np.count_nonzero(work <= t_crit * deviation, axis=1)
    return [int(count) / n for count in steady]
