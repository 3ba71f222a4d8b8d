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
from steady.steadystate.detection import MINIMUM_ITERATIONS, SteadyState, as_series, unjudged


def replace_outliers(
    series: FloatArray, window: int, percentiles: tuple[float, float]
) -> FloatArray:
    """Return the series with outliers replaced by the median of their part.

    The first value stays as it is; the rest is cut into parts of about `window` values. A value
    strictly outside the part's percentiles is replaced by the part's median. High outliers are
    replaced before low ones, each from left to right, and each replacement updates the median.

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
        Finite values, n >= 2.
    window : int
        Values in a part; parts have nearly equal sizes, so they may hold more.
    percentiles : (float, float)
        Lower and upper percentile, on either side of 50, linear interpolation.

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
    # Padding is larger than every value, so that it sorts last; it is not an outlier.
    rows[layout.longer :, rest:] = np.inf
    _replace_in_rows(rows, layout)
    result = np.empty_like(series)
    result[0] = series[0]
    result[1 : 1 + first] = rows[: layout.longer].ravel()
    result[1 + first :] = rows[layout.longer :, :rest].ravel()
    return result


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a series is cut into parts, one in each row; the same for all series of one length.

    Parameters
    ----------
    parts, width : int
        Rows and columns.
    longer : int
        How many parts, the first ones, fill their row.
    padding : int
        Unused columns of the other rows: 1, or 0 if all parts are equally long.
    places : ndarray of int64, shape (6, parts)
        Positions in the sorted and joined rows: of the values below the lower and the upper
        percentile, of the values above them, and of the two middle values.
    weights : ndarray of float64, shape (2, parts)
        Where the percentiles lie between the values below and above them, from 0 to 1.
    """

    parts: int
    width: int
    longer: int
    padding: int
    places: IntArray
    weights: FloatArray


@lru_cache(maxsize=64)
def _layout(count: int, window: int, percentiles: tuple[float, float]) -> _Layout:
    """Cut `count` values by numpy.array_split's rule: the first parts hold one value more."""
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
    # The median lies between these two values, and outliers lie outside. When the median replaces
    # a high outlier, it becomes the upper of the two; for a low one, the lower. No sort is needed.
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
        Values; the outliers among them are changed.
    outliers : ndarray of bool, shape (rows, n)
        Which values to replace.
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
    """Find the last iteration before the step down; None if there is no step.

    The centred series is convolved with two kernels of 1s followed by -1s, one as long as the
    series and one of length ``2 * kernel``. The minimum of each convolution proposes a step, and
    medians around the two steps decide.

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
        Without outliers, n >= 2 * kernel.
    kernel : int
        Half the length of the short kernel.
    window : int
        Iterations on each side of the later step whose medians give its height.

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
    """Return where the long kernel has its minimum; None if that is at either end.

    The values sum to zero, so this is where the sum of all earlier values is largest.
    """
    step = int(np.argmax(sums)) - 1
    return step if 0 <= step < len(sums) - 2 else None


def _small_kernel_step(centred: FloatArray, sums: FloatArray, kernel: int) -> int:
    """Return where the short kernel has its minimum; it always has one."""
    fall = sums[: -2 * kernel] - 2 * sums[kernel:-kernel] + sums[2 * kernel :]
    # Two of the reference's results are ties that the rounding of its own sums decides. So if
    # rounding could change the result here, the convolution itself is computed.
    rounding = 8 * np.finfo(np.float64).eps * len(sums) * np.max(np.abs(sums))
    near = np.flatnonzero(fall <= fall.min() + rounding)
    first, last = int(near[0]), int(near[-1])
    if first < last:
        # The kernel is reversed first, which halves the time of a convolution.
        turned = np.concatenate((-np.ones(kernel), np.ones(kernel)))
        part = centred[first : last + 2 * kernel]
        first += int(np.argmin(np.correlate(part, turned, mode="valid")))
    return first + kernel - 1


def _prefers_later(centred: FloatArray, earlier: int, later: int, window: int) -> bool:
    """Tell whether the part between the steps lies clearly above what follows the later one."""
    before = _median(centred[max(0, later - window) : later + 1])
    after = _median(centred[later + 1 : later + 1 + window])
    between = _median(centred[earlier + 1 : later])
    return bool(between > 2 * abs(before - after) + _median(centred[later + 1 :]))


def _is_significant(centred: FloatArray, step: int) -> bool:
    """Tell whether the median falls at the step by at least half the centred series' median."""
    fall = _median(centred[:step]) - _median(centred[step:])
    return bool(fall >= abs(_median(centred) / 2))


def _median(values: FloatArray) -> float:
    """Return the median of finite values; NaN if there are none.

    `numpy.median` does the same, but its search for NaN takes longer than the median itself.
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
"""Iterations in a window that gets one probability; no other published window is longer."""

Intervals = tuple[tuple[int, float], ...]

LEAST_VALUES = 3
"""Values that a window needs: its standard deviation has n - 2 degrees of freedom."""


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
    """Find the steady state of one fork with KB-KSSD.

    Medians replace outliers, two kernels look for the step down that ends the warm-up, and Kelly's
    method gives the probability that each later window is steady. The steady state starts with
    the first window from which on every window has at least `probability`.

    Parameters
    ----------
    values : array-like, shape (n,)
        Time per operation of each iteration, in any unit, warm-up first: lower is better, because
        times fall during a warm-up. Invert throughput first (``Benchmark.times``). NaN at the end
        marks iterations that did not run. Never modified.
    outlier_window : int
        Iterations in a part whose outliers are replaced.
    percentiles : (float, float)
        A value strictly outside these percentiles of its part is an outlier; one is below 50 and
        the other above.
    kernel : int, optional
        Half the length of the short kernel. By default the published 15, or a tenth of a
        shorter series, but at least 2.
    step_window : int
        Iterations on each side of a step whose medians give its height.
    probability_window : int
        Iterations in a window that gets one probability, at least 3.
    t_crit : float
        A steady iteration is at most this many standard deviations from its window's mean.
    probability : float
        Share of steady iterations that a steady window needs.

    Returns
    -------
    SteadyState
        ``start`` is None if the last window is not steady, or if there are fewer than 10
        iterations; a constant series is steady from 0.

    Raises
    ------
    InputError
        If `values` is not one series of finite numbers, or an option is out of its range.

    Notes
    -----
    With 150 iterations or more, the kernel is the published one, and from 500 on all windows fit.
    On the 5860 series of 3000 iterations of the jmh-steady data every result equals that of the
    authors' code. Two cases that their code leaves to rounding or to chance are decided here: a
    constant series is steady, and fewer than 3 iterations after the step have probability 0.

    A shorter series is one part for outliers and one window for probabilities. A short kernel of
    15 would never find a step before the 15th iteration, so only the kernel shrinks with the
    series; ``docs/methods.md`` shows how this affects the results.

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
    answer = unjudged(series, NAME)
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
    """Return the start of the first interval from which on all have enough probability."""
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
            f"{last_start} (counted from 0) on, needed is {probability:g}"
        )
    least = min(p for interval_start, p in intervals if interval_start >= start)
    return f"steady from iteration {start} (counted from 0) on: probability at least {least:.3f}"


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
