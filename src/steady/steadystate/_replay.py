"""A detector made from an online stop, which gets the series iteration by iteration."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steady.number_checks import to_unit_scale
from steady.steadystate._validation import as_series, unjudged
from steady.steadystate.online import Stop
from steady.steadystate.result import SteadyState


def replay(
    values: npt.ArrayLike, stop: Stop, method: str, criterion: str, *, scaled: bool = True
) -> SteadyState:
    """Feed `stop` until it says that the warm-up is over, and return its answer.

    Parameters
    ----------
    values : array-like, shape (n,)
        The user's values.
    stop : Stop
        A new stop.
    method : str
        Name for the result.
    criterion : str
        The condition that holds from the start on, for the reason: ``"the slope is under ..."``.
    scaled : bool
        Whether the values may be scaled; false if an option has their unit.
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
