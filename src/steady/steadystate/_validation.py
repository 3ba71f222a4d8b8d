"""What every detector asks of its input, kept apart from the methods."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import FloatArray
from steady.steadystate.result import SteadyState

MINIMUM_ITERATIONS = 10
"""No detector judges a shorter series: it leaves no warm-up and steady part to tell apart."""


def as_series(values: npt.ArrayLike) -> FloatArray:
    """Return `values` as the float64 series of one fork, without missing iterations at its end.

    Parameters
    ----------
    values : array-like, shape (n,)
        One value an iteration; NaN at the end marks iterations that did not run.

    Returns
    -------
    ndarray of float64, shape (m,)
        With m <= n. It may share memory with `values`: for reading only.

    Raises
    ------
    InputError
        If `values` is not one series of finite real numbers.
    """
    series = _as_numbers(values)
    if series.ndim != 1:
        raise InputError(
            f"one series of one fork was expected, but the values have shape {series.shape}; "
            "give the forks one by one"
        )
    finite = np.isfinite(series)
    if finite.all():
        return series
    present = np.flatnonzero(~np.isnan(series))
    length = int(present[-1]) + 1 if len(present) else 0
    for iteration in np.flatnonzero(~finite[:length])[:1]:
        raise InputError(
            f"iteration {iteration} (counted from 0) is {series[iteration]}; every iteration must "
            "be a finite number, and only missing iterations at the end may be NaN"
        )
    return series[:length]


def unjudged(series: FloatArray, method: str) -> SteadyState | None:
    """Return the answer that needs no method: the series is too short, or constant."""
    if len(series) < MINIMUM_ITERATIONS:
        reason = f"too few iterations to judge: {len(series)}, it takes {MINIMUM_ITERATIONS}"
        return SteadyState(None, method, reason=reason)
    if np.min(series) == np.max(series):
        return SteadyState(0, method, None, ((0, 1.0),), "steady: all iterations are equal")
    return None


def to_unit_scale(series: FloatArray) -> FloatArray:
    """Scale by the power of two that brings the greatest magnitude into [0.5, 1).

    A power of two changes no rounding, so a scale-free method gives the same result to the last
    bit, while squares of values near 1e-200 or 1e200 neither vanish nor overflow.
    """
    exponent = int(np.frexp(np.max(np.abs(series)))[1])
    return np.asarray(np.ldexp(series, -exponent), dtype=np.float64)


def _as_numbers(values: npt.ArrayLike) -> FloatArray:
    try:
        array = np.asarray(values)
        if array.dtype.kind in "biufO":
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"the values cannot be read as numbers: {error}") from None
    raise InputError(f"the values must be real numbers, but their type is {array.dtype}")
