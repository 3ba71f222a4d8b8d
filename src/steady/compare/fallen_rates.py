"""Rates beside the main result that fell by half: they are named, though nothing judges them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from steady.model import Benchmark, Identity, Metric, as_times
from steady.text.numbers import count, value

HALVED = 0.5
"""A rate that falls to this part, or further, is named even if it is not compared."""

_BY_ITSELF = 1.5
"""By so much it must have fallen further than time alone explains: ``MB/s`` follow from it."""

_OF_ALLOCATION = "MB/sec"
"""The unit of JMH's ``gc.alloc.rate``, of which less is better."""


@dataclass(frozen=True, slots=True)
class FallenRate:
    """A rate of one benchmark that is at most half of what it was.

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


def fallen_rates(base: Benchmark, head: Benchmark) -> Iterator[FallenRate]:
    """Yield the rates of a benchmark that fell by half or more by themselves, in every value."""
    for name in [one for one in head.metrics if one in base.metrics]:
        ours, theirs = base.metrics[name], head.metrics[name]
        if ours.unit != theirs.unit or ours.direction != "higher" or ours.unit == _OF_ALLOCATION:
            continue
        with np.errstate(all="ignore"):
            before, after = _middle(ours), _middle(theirs)
            slower = _middle_time(head) / _middle_time(base)
            fell = np.nanmax(theirs.values) < np.nanmin(ours.values) and after <= HALVED * before
        if fell and before >= _BY_ITSELF * after * slower:
            yield FallenRate((head.identity, name), before, after)


def rate_remarks(fallen: Sequence[FallenRate]) -> Iterator[str]:
    """Yield a sentence for each metric that fell."""
    for name in dict.fromkeys(one.key[1] for one in fallen):
        first, *others = (one for one in fallen if one.key[1] == name)
        more = f", and {count(len(others), 'other')} did" if others else ""
        yield (
            f"{name} of {first.key[0].label} fell from {value(first.before)} to "
            f"{value(first.after)}{more}; name it under `thresholds` in the settings to compare it"
        )


def _middle(metric: Metric) -> float:
    known = metric.values[np.isfinite(metric.values)]
    return float(np.median(known)) if known.size else np.nan


def _middle_time(benchmark: Benchmark) -> float:
    times = as_times(benchmark.measured, benchmark.direction)
    known = times[np.isfinite(times)]
    return float(np.median(known)) if known.size else np.nan
