"""Stability metrics and bootstrap confidence intervals of repeated measurements."""

import numpy.typing as npt

from steady.registry import OnRequest, Registered, Registry
from steady.stats.mean_bootstrap import mean_intervals
from steady.stats.median_bootstrap import median_intervals, rciw3
from steady.stats.samples import Bootstrap as Bootstrap
from steady.stats.samples import Samples as Samples
from steady.stats.samples import StabilityMetric as StabilityMetric

_PAPER = "Japke et al., µOpTime, TOSEM 2025, section 2"
_PROTOTYPE = "replication package of Japke et al., µOpTime, TOSEM 2025"


def _of_uoptime(name: str, summary: str, source: str = _PAPER) -> Registered[StabilityMetric]:
    place = f"steady.papers.stability_metrics:{name.replace('-', '_')}"
    return Registered(name, summary, source, OnRequest(place))


METRICS: Registry[StabilityMetric] = Registry(
    "stability metric",
    Registered("rciw3", "percentile-bootstrap interval of the median, by median", _PAPER, rciw3),
    _of_uoptime("cv", "standard deviation by mean"),
    _of_uoptime("rmad", "median absolute deviation by median"),
    _of_uoptime("rciw1", "percentile-bootstrap interval of the mean, by mean"),
    _of_uoptime("rciw2", "bootstrap-t interval of the mean, by mean"),
    _of_uoptime("rciw3-mean", "percentile-bootstrap interval of the mean, by median", _PROTOTYPE),
)
"""Stability metrics by name; a lower value is more stable."""


def stability(
    values: npt.ArrayLike,
    metric: str = "rciw3",
    *,
    confidence: float = 0.99,
    resamples: int = 10_000,
    seed: int = 0,
) -> float:
    """Compute a stability metric: the variability of measurements relative to their average.

    Parameters
    ----------
    values : array-like of float
        Measurements in one unit, of any shape; they are weighted equally, and NaN is dropped.
    metric : str
        A name in `METRICS`.
    confidence : float
        Confidence level of the interval; ignored by ``cv`` and ``rmad``.
    resamples, seed : int
        Number of resamples and seed, used only by ``rciw2`` for samples of more than 8 values. All
        other results are deterministic.

    Returns
    -------
    float
        The metric as a fraction: 0.01 is 1 %. Infinite for a single value and for an average of 0.

    Raises
    ------
    InputError
        If there are no values, a value is infinite, or an option is out of range.
    UnknownNameError
        If no metric has that name.

    Examples
    --------
    >>> import steady
    >>> round(steady.stability([10.0, 10.1, 9.9, 10.2], "cv"), 4)
    0.0111
    """
    measure = METRICS[metric].value
    return float(measure(Samples.of(values), Bootstrap(confidence, resamples, seed))[0])


def median_interval(values: npt.ArrayLike, *, confidence: float = 0.99) -> tuple[float, float]:
    """Percentile-bootstrap interval of the median, without resampling.

    Parameters
    ----------
    values : array-like of float
        Measurements in one unit, of any shape; they are weighted equally, and NaN is dropped.
    confidence : float
        Confidence level.

    Returns
    -------
    lower, upper : float
        Limits of the percentiles as the number of resamples tends to infinity. Both equal the value
        if there is only one.

    Raises
    ------
    InputError
        If there are no values, a value is infinite, or the confidence is outside (0, 1).

    Examples
    --------
    >>> import steady
    >>> steady.median_interval([10.0, 11.0, 12.0, 13.0, 30.0], confidence=0.95)
    (10.0, 30.0)
    """
    lower, upper = median_intervals(Samples.of(values), Bootstrap(confidence).confidence)
    return float(lower[0]), float(upper[0])


def mean_interval(values: npt.ArrayLike, *, confidence: float = 0.99) -> tuple[float, float]:
    """Percentile-bootstrap interval of the mean, without resampling.

    Parameters
    ----------
    values : array-like of float
        Measurements in one unit, of any shape; they are weighted equally, and NaN is dropped.
    confidence : float
        Confidence level.

    Returns
    -------
    lower, upper : float
        Limits of the percentiles as the number of resamples tends to infinity. They are exact for
        up to 8 values. For more values, the error is at most 0.1 % of the interval's width, or 2 %
        if the distribution is multimodal. Both equal the value if there is only one.

    Raises
    ------
    InputError
        If there are no values, a value is infinite, or the confidence is outside (0, 1).

    Examples
    --------
    >>> import steady
    >>> lower, upper = steady.mean_interval([10.0, 11.0, 12.0, 30.0], confidence=0.95)
    >>> f"{lower:.2f} to {upper:.2f}"
    '10.50 to 25.25'
    """
    lower, upper = mean_intervals(Samples.of(values), Bootstrap(confidence).confidence)
    return float(lower[0]), float(upper[0])
