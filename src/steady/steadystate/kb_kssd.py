"""KB-KSSD: kernel-based Kelly's steady-state detection."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import FloatArray
from steady.number_checks import check_positive, check_whole, to_unit_scale
from steady.stats.samples import BoolArray, IntArray
from steady.steadystate.detection import MINIMUM_ITERATIONS, SteadyState, as_series, trivial_result


def replace_outliers(
    series: FloatArray, window: int, percentiles: tuple[float, float]
) -> FloatArray:
    """Return the series with outliers replaced by the median of their segment.

    The first value is unchanged; the rest is split into segments of about `window` values. A value
    strictly outside the segment's percentiles is replaced by the segment's median. High outliers
    are replaced before low ones, each from left to right, and each replacement updates the median.

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
        Finite values, n >= 2.
    window : int
        Minimum length of a segment; segments have nearly equal lengths, so they may be longer.
    percentiles : (float, float)
        Lower and upper percentile, on either side of 50, with linear interpolation.

    Returns
    -------
    ndarray of float64, shape (n,)
        A new array.
    """
    layout = _layout(len(series) - 1, window, percentiles)
    rows = np.empty((layout.parts, layout.width))
    first, rest = layout.longer * layout.width, layout.width - layout.padding
    rows[: layout.longer] = series[1 : 1 + first].reshape(-1, layout.width)
    rows[layout.longer :, :rest] = series[1 + first :].reshape(-1, rest)
    # Padding is larger than all values, so it is sorted last; it is never treated as an outlier.
    rows[layout.longer :, rest:] = np.inf
    _replace_in_rows(rows, layout)
    result = np.empty_like(series)
    result[0] = series[0]
    result[1 : 1 + first] = rows[: layout.longer].ravel()
    result[1 + first :] = rows[layout.longer :, :rest].ravel()
    return result


@dataclass(frozen=True, slots=True)
class _Layout:
    """The split of a series into segments, one per row; it depends on the length only.

    Parameters
    ----------
    parts, width : int
        Rows and columns.
    longer : int
        Number of leading segments that fill their row.
    padding : int
        Unused columns of the other rows: 1, or 0 if all segments are equally long.
    places : ndarray of int64, shape (6, parts)
        Indices into the flattened sorted rows: of the values below the lower and the upper
        percentile, the values above them, and the two middle values.
    weights : ndarray of float64, shape (2, parts)
        Interpolation weights of the percentiles between the values below and above them, from 0 to
        1.
    """

    parts: int
    width: int
    longer: int
    padding: int
    places: IntArray
    weights: FloatArray


@lru_cache(maxsize=64)
def _layout(count: int, window: int, percentiles: tuple[float, float]) -> _Layout:
    """Split `count` values like numpy.array_split: the first segments have one more value."""
    parts = max(1, count // window)
    length, longer = divmod(count, parts)
    padding = 1 if longer else 0
    sizes = np.full(parts, length)
    sizes[:longer] += 1
    exact = np.array([percent / 100 for percent in percentiles])[:, np.newaxis] * (sizes - 1)
    before = exact.astype(np.int64)
    middle = np.stack([(sizes - 1) // 2, sizes // 2])
    places = np.concatenate([before, np.minimum(before + 1, sizes - 1), middle])
    width = length + padding
    return _Layout(parts, width, longer, padding, places + np.arange(parts) * width, exact - before)


def _replace_in_rows(rows: FloatArray, layout: _Layout) -> None:
    """Replace the outliers of each row, in place."""
    ordered = np.sort(rows, axis=1).ravel()[layout.places]
    low, high = _percentiles(ordered[:2], ordered[2:4], layout.weights)
    lower, upper = ordered[4:]
    above = rows > high[:, np.newaxis]
    above[layout.longer :, layout.width - layout.padding :] = False
    below = rows < low[:, np.newaxis]
    # The median lies between these two values, and outliers lie outside. If the median replaces a
    # high outlier, it becomes the upper middle value; for a low outlier, the lower one. So the rows
    # need no further sorting.
    upper = _replace(rows, above, lower, upper)
    _replace(rows, below, upper, lower)


def _percentiles(left: FloatArray, right: FloatArray, weights: FloatArray) -> FloatArray:
    """Interpolate from the nearer neighbour, as NumPy does."""
    step = right - left
    return np.where(weights < 0.5, left + step * weights, right - step * (1 - weights))


def _replace(
    rows: FloatArray, outliers: BoolArray, staying: FloatArray, middle: FloatArray
) -> FloatArray:
    """Replace each row's outliers from left to right, in place.

    Parameters
    ----------
    rows : ndarray of float64, shape (rows, n)
        Values, modified in place.
    outliers : ndarray of bool, shape (rows, n)
        Mask of the values to replace.
    staying, middle : ndarray of float64, shape (rows,)
        The two middle values of each row; every replacement becomes the new `middle`.

    Returns
    -------
    ndarray of float64, shape (rows,)
        The new `middle`.
    """
    places = np.flatnonzero(outliers)
    row = places // rows.shape[1]
    counts = np.bincount(row, minlength=len(rows))
    medians = np.empty((int(counts.max()) + 1, len(rows)))
    medians[0] = middle
    for before, after in pairwise(medians):
        np.divide(staying + before, 2, out=after)
    rank = np.arange(1, len(row) + 1) - np.searchsorted(row, row)
    rows.reshape(-1)[places] = medians[rank, row]
    return np.asarray(medians[counts, np.arange(len(rows))])


def find_step(series: FloatArray, kernel: int, window: int) -> int | None:
    """Return the last iteration before the step down, or None if there is no step.

    The centred series is convolved with two kernels of 1s followed by -1s, one as long as the
    series and one of length ``2 * kernel``. The minimum of each convolution is a candidate step;
    medians around the two candidates decide between them.

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
        Series without outliers, n >= 2 * kernel.
    kernel : int
        Half the length of the short kernel.
    window : int
        Number of iterations on each side of the later step whose medians determine its height.

    Returns
    -------
    int or None
        0-based index of the last iteration of the warm-up.
    """
    centred = series - np.mean(series)
    sums = np.concatenate(([0.0], np.cumsum(centred)))
    large = _large_kernel_step(sums)
    small = _small_kernel_step(centred, sums, kernel)
    if large is None or abs(large - small) <= 1:
        return small if _is_significant(centred, small) else None
    earlier, later = sorted((small, large))
    if earlier == 0:
        return later
    if not _prefers_later(centred, earlier, later, window):
        return earlier if _is_significant(centred, earlier) else None
    return later if _is_significant(centred, later) else earlier


def _large_kernel_step(sums: FloatArray) -> int | None:
    """Return the position of the long kernel's minimum, or None if it is at either end.

    The values sum to zero, so the minimum is at the maximum of the cumulative sum.
    """
    step = int(np.argmax(sums)) - 1
    return step if 0 <= step < len(sums) - 2 else None


def _small_kernel_step(centred: FloatArray, sums: FloatArray, kernel: int) -> int:
    """Return the position of the short kernel's minimum."""
    fall = sums[: -2 * kernel] - 2 * sums[kernel:-kernel] + sums[2 * kernel :]
    # Two results of the reference implementation are ties that its rounding decides. So if rounding
    # could affect the result here, the convolution is computed explicitly.
    rounding = 8 * np.finfo(np.float64).eps * len(sums) * np.max(np.abs(sums))
    near = np.flatnonzero(fall <= fall.min() + rounding)
    first, last = int(near[0]), int(near[-1])
    if first < last:
        # Correlating with the reversed kernel takes half the time of a convolution.
        turned = np.concatenate((-np.ones(kernel), np.ones(kernel)))
        part = centred[first : last + 2 * kernel]
        first += int(np.argmin(np.correlate(part, turned, mode="valid")))
    return first + kernel - 1


def _prefers_later(centred: FloatArray, earlier: int, later: int, window: int) -> bool:
    """Return whether the values between the steps are clearly above those after the later step."""
    before = _median(centred[max(0, later - window) : later + 1])
    after = _median(centred[later + 1 : later + 1 + window])
    between = _median(centred[earlier + 1 : later])
    return bool(between > 2 * abs(before - after) + _median(centred[later + 1 :]))


def _is_significant(centred: FloatArray, step: int) -> bool:
    """Return whether the step in the median is at least half of the centred series' median."""
    fall = _median(centred[:step]) - _median(centred[step:])
    return bool(fall >= abs(_median(centred) / 2))


def _median(values: FloatArray) -> float:
    """Return the median of finite values; NaN if there are none.

    Faster than `numpy.median`, whose check for NaN takes longer than the median itself.
    """
    if len(values) == 0:
        return np.nan
    half = len(values) // 2
    parted = np.partition(values, half)
    upper = float(parted[half])
    return upper if len(values) % 2 else (float(parted[:half].max()) + upper) / 2


NAME = "kb-kssd"

PUBLISHED_KERNEL = 15
"""Half the length of the short kernel, for series at least ten times as long."""

PUBLISHED_WINDOW = 500
"""Number of iterations in a probability window, the longest of the published windows."""

Intervals = tuple[tuple[int, float], ...]

LEAST_VALUES = 3
"""Minimum length of a window; its standard deviation has n - 2 degrees of freedom."""


def kb_kssd(
    values: npt.ArrayLike,
    *,
    outlier_window: int = 100,
    percentiles: tuple[float, float] = (2.0, 98.0),
    kernel: int | None = None,
    step_window: int = 70,
    probability_window: int = PUBLISHED_WINDOW,
    t_crit: float = 4.0,
    probability: float = 0.95,
) -> SteadyState:
    """Detect the steady state of one fork with KB-KSSD.

    Outliers are replaced by medians, two kernels locate the step down that ends the warm-up, and
    Kelly's method estimates the probability that each later window is steady. The steady state
    starts with the first window from which on every window has at least `probability`.

    Parameters
    ----------
    values : array-like, shape (n,)
        Time per operation of each iteration, in any unit, warm-up first: lower is better, because
        times fall during a warm-up. Invert throughput first (``Benchmark.times``). NaN at the end
        marks iterations that did not run. Never modified.
    outlier_window : int
        Number of iterations in a segment for outlier replacement.
    percentiles : (float, float)
        A value strictly outside these percentiles of its segment is an outlier; they must lie on
        either side of 50.
    kernel : int, optional
        Half the length of the short kernel. By default the published 15, or a tenth of a
        shorter series, but at least 2.
    step_window : int
        Number of iterations on each side of a step whose medians determine its height.
    probability_window : int
        Number of iterations in a probability window, at least 3.
    t_crit : float
        Maximum distance of a steady iteration from its window's mean, in standard deviations.
    probability : float
        Minimum fraction of steady iterations in a steady window.

    Returns
    -------
    SteadyState
        ``start`` is None if the last window is not steady, or if there are fewer than 10
        iterations; a constant series is steady from 0.

    Raises
    ------
    InputError
        If `values` is not one series of finite numbers, or an option is out of range.

    Notes
    -----
    The kernel has the published length for at least 150 iterations, and all windows for at least
    500. For the 5860 series of 3000 iterations in the jmh-steady data, every result equals that of
    the authors' code. Two cases depend on rounding or chance in their code and are defined here: a
    constant series is steady, and fewer than 3 iterations after the step have probability 0.

    A shorter series is a single segment for outliers and a single probability window. A short
    kernel of 15 cannot find a step before the 15th iteration, so only the kernel shrinks with the
    series; ``docs/methods.md`` shows the effect on the results.

    References
    ----------
    M. Beseda, V. Cortellessa, D. Di Pompeo, L. Traini, M. Tucci, *A kernel-based approach for
    accurate steady-state detection in performance time series*, 2025, sections 3.1 to 3.3 and
    4.1 (parameters).
    """
    series = as_series(values)
    if kernel is None:
        kernel = min(PUBLISHED_KERNEL, max(2, len(series) // 10))
    check_whole(1, outlier_window=outlier_window, kernel=kernel, step_window=step_window)
    check_whole(LEAST_VALUES, probability_window=probability_window)
    _check_thresholds(percentiles, t_crit, probability)
    if MINIMUM_ITERATIONS <= len(series) < 2 * kernel:
        raise InputError(f"a kernel of 2 x {kernel} iterations is longer than the series")
    answer = trivial_result(series, NAME)
    if answer is not None:
        return answer
    with np.errstate(under="ignore"):
        smoothed = replace_outliers(to_unit_scale(series), outlier_window, percentiles)
        warmup_end = find_step(smoothed, kernel, step_window)
        intervals = steady_intervals(smoothed, warmup_end, probability_window, t_crit)
    start = _first_steady(intervals, probability)
    return SteadyState(start, NAME, warmup_end, intervals, _reason(start, intervals, probability))


def _check_thresholds(percentiles: tuple[float, float], t_crit: float, probability: float) -> None:
    low, high = percentiles
    if not 0 <= low <= 50 <= high <= 100:
        raise InputError(f"percentiles must lie on either side of 50, but are {percentiles!r}")
    check_positive(t_crit=t_crit)
    if not 0 < probability <= 1:
        raise InputError(f"probability must lie above 0 and not above 1, but is {probability!r}")


def _first_steady(intervals: Intervals, probability: float) -> int | None:
    """Return the start of the first interval from which on all probabilities are sufficient."""
    start = None
    for interval_start, interval_probability in reversed(intervals):
        if interval_probability < probability:
            break
        start = interval_start
    return start


def _reason(start: int | None, intervals: Intervals, probability: float) -> str:
    if start is None:
        last_start, last_probability = intervals[-1]
        return (
            f"not steady at the end: probability {last_probability:.3f} from iteration "
            f"{last_start} (counted from 0) on, but {probability:g} is required"
        )
    least = min(p for interval_start, p in intervals if interval_start >= start)
    return f"steady from iteration {start} (counted from 0) on: probability at least {least:.3f}"


def steady_intervals(
    series: FloatArray, warmup_end: int | None, window: int, t_crit: float
) -> Intervals:
    """Split the series after the warm-up into windows, and join those of equal probability.

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
        Series without outliers.
    warmup_end : int or None
        Last iteration of the warm-up; this iteration and all before it have probability 0.
    window : int
        Number of iterations in a window, at least 3; a remainder of fewer than 3 is added to the
        last window.
    t_crit : float
        Maximum distance of a steady value from the mean, in standard deviations.

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
    """Return the fraction of a window's values within `t_crit` standard deviations of its mean.

    The drift is the mean of the successive differences. Mean and standard deviation are computed
    after removing the drift, but compared with the original values (KB-KSSD, equations 3 to 7).
    """
    if len(values) < LEAST_VALUES:
        return 0.0
    return _probabilities(values[np.newaxis], t_crit)[0]


def _probabilities(windows: FloatArray, t_crit: float) -> list[float]:
    """Return the probability of each window; windows are rows of one size."""
    n = windows.shape[1]
    drift = (windows[:, -1:] - windows[:, :1]) / (n - 1)
    work = drift * np.arange(1, n + 1)  # reused to avoid allocating new arrays
    np.subtract(windows, work, out=work)
    mean = np.add.reduce(work, axis=1, keepdims=True) / n
    work -= mean
    work *= work
    deviation = np.sqrt(np.add.reduce(work, axis=1, keepdims=True) / (n - 2))
    np.abs(np.subtract(windows, mean, out=work), out=work)
    steady = np.count_nonzero(work <= t_crit * deviation, axis=1)
    return [int(count) / n for count in steady]
