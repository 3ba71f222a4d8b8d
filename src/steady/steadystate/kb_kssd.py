"""KB-KSSD: kernel-based Kelly's steady-state detection."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.number_checks import check_positive, check_whole, to_unit_scale
from steady.steadystate._kelly import LEAST_VALUES, Intervals, steady_intervals
from steady.steadystate._outliers import replace_outliers
from steady.steadystate._step import find_step
from steady.steadystate._validation import MINIMUM_ITERATIONS, as_series, unjudged
from steady.steadystate.result import SteadyState

NAME = "kb-kssd"

PUBLISHED_KERNEL = 15
"""Half the length of the short kernel, for series at least ten times as long."""


def kb_kssd(
    values: npt.ArrayLike,
    *,
    outlier_window: int = 100,
    percentiles: tuple[float, float] = (2.0, 98.0),
    kernel: int | None = None,
    step_window: int = 70,
    probability_window: int = 500,
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
    With 150 iterations or more, the windows are the published ones, and on the 5860 series of
    3000 iterations of the jmh-steady data every result equals that of the authors' code. Two
    cases that their code leaves to rounding or to chance are decided here: a constant series is
    steady, and fewer than 3 iterations after the step have probability 0.

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
