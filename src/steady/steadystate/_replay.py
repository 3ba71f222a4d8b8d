"""A detector made of an online stop: the series is replayed to it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steady.inputs import to_unit_scale
from steady.steadystate._validation import as_series, unjudged
from steady.steadystate.online import Stop
from steady.steadystate.result import SteadyState


def replay(
    values: npt.ArrayLike, stop: Stop, method: str, criterion: str, *, scaled: bool = True
) -> SteadyState:
    """Feed `stop` until it says that the warm-up is over, and report what it found.

    Parameters
    ----------
    values : array-like, shape (n,)
        As users give it.
    stop : Stop
        A fresh one.
    method : str
        Name for the result.
    criterion : str
        What is met from the start on, for the reason: ``"the slope is under ..."``.
    scaled : bool
        Whether values of any magnitude may be scaled; not where an option has their unit.
    """
    series = as_series(values)
    early = unjudged(series, method)
    if early is not None:
        return early
    with np.errstate(under="ignore"):
        for value in (to_unit_scale(series) if scaled else series).tolist():
            if stop.feed(value):
                break
    start = stop.start
    if start is None or start >= len(series):
        return SteadyState(None, method, reason=f"not steady within the series: never {criterion}")
    intervals = ((0, 0.0), (start, 1.0)) if start else ((0, 1.0),)
    return SteadyState(
        start,
        method,
        start - 1 if start else None,
        intervals,
        f"steady from iteration {start} (counted from 0) on: {criterion}",
    )
