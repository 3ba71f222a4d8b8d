"""Rates beside the main result that dropped by half: a remark names them without a test."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from steady.model import Benchmark, Identity, Metric, as_times
from steady.text.numbers import count, value

HALVED = 0.5
"""Largest ratio of a rate to its base that is named."""

_BEYOND_TIME = 1.5
"""Factor by which a rate must drop further than time explains, since ``MB/s`` follow from it."""

_OF_ALLOCATION = "MB/sec"
"""The unit of JMH's ``gc.alloc.rate``, a rate that is better if lower."""


@dataclass(frozen=True, slots=True)
class RateDrop:
    """A rate of one benchmark that dropped by half or more.

    Parameters
    ----------
    key : tuple of (Identity, str)
        The benchmark, and the metric's name.
    before, after : float
        The medians in base and in head.
    """

    key: tuple[Identity, str]
    before: float
    after: float


def rate_drops(base: Benchmark, head: Benchmark) -> Iterator[RateDrop]:
    """Yield the rates whose values all dropped, by half or more, and further than time explains."""
    for name in [one for one in head.metrics if one in base.metrics]:
        ours, theirs = base.metrics[name], head.metrics[name]
        if ours.unit != theirs.unit or ours.direction != "higher" or ours.unit == _OF_ALLOCATION:
            continue
        with np.errstate(all="ignore"):
            before, after = _median(ours), _median(theirs)
            slower = _median_time(head) / _median_time(base)
            fell = np.nanmax(theirs.values) < np.nanmin(ours.values) and after <= HALVED * before
        if fell and before >= _BEYOND_TIME * after * slower:
            yield RateDrop((head.identity, name), before, after)


def rate_remarks(drops: Sequence[RateDrop]) -> Iterator[str]:
    """Yield a remark for each metric that dropped."""
    for name in dict.fromkeys(one.key[1] for one in drops):
        first, *others = (one for one in drops if one.key[1] == name)
        more = f", and {count(len(others), 'other')} did" if others else ""
        yield (
            f"{name} of {first.key[0].label} fell from {value(first.before)} to "
            f"{value(first.after)}{more}; name it under `thresholds` in the settings to compare it"
        )


def _median(metric: Metric) -> float:
    known = metric.values[np.isfinite(metric.values)]
    return float(np.median(known)) if known.size else np.nan


def _median_time(benchmark: Benchmark) -> float:
    times = as_times(benchmark.measured, benchmark.direction)
    known = times[np.isfinite(times)]
    return float(np.median(known)) if known.size else np.nan
