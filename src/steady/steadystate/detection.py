"""Input and result of steady-state detectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import FloatArray
from steady.number_checks import real_numbers

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

MINIMUM_ITERATIONS = 10
"""Minimum length of a series; shorter ones are too short for a warm-up and a steady part."""


@dataclass(frozen=True, slots=True)
class SteadyState:
    """The steady state of one fork's series, with the evidence for it.

    Parameters
    ----------
    start : int or None
        First steady iteration, 0-based; None if the series never becomes steady or is too short.
    method : str
        Registered name of the detector.
    warmup_end : int or None
        Last iteration of the warm-up, 0-based; None if the method found no step down or does not
        search for one.
    intervals : tuple of (int, float)
        Start and steady-state probability of each interval, in order; the last one extends to the
        end of the series. Empty for methods without intervals.
    reason : str
        Reason for the start, or for its absence, in one line.

    Examples
    --------
    >>> import steady
    >>> state = steady.detect([9.0] * 5 + [1.0, 1.1] * 20)
    >>> state.start, state.method
    (5, 'kb-kssd')
    """

    start: int | None
    method: str
    warmup_end: int | None = None
    intervals: tuple[tuple[int, float], ...] = ()
    reason: str = ""

    @property
    def steady(self) -> bool:
        """Whether the series becomes steady."""
        return self.start is not None

    def _repr_html_(self) -> str:
        from steady.tables import html_table

        known = self.reason or ("never steady" if self.start is None else f"start {self.start}")
        intervals = [(str(begin), f"{probability:.3g}") for begin, probability in self.intervals]
        header = ("interval from iteration", "probability of a steady state")
        return html_table(f"{self.method}: {known}", header, intervals, len(intervals))

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame of one row; it needs the extra ``tables``.

        Its columns are ``method``, ``steady``, ``start``, ``warmup_end`` and ``reason``; None
        becomes NaN. Use ``pandas.concat`` to combine several data frames.

        Raises
        ------
        MissingToolError
            If pandas is not installed.
        """
        from steady.tables import frame_of_rows

        kinds = {"method": str, "steady": bool, "start": float, "warmup_end": float, "reason": str}
        return frame_of_rows([{name: getattr(self, name) for name in kinds}], kinds)

    def plot(self, values: npt.ArrayLike, *, ax: Axes | None = None) -> Axes:
        """Draw the fork's series with its warm-up; it needs the extra ``plot``.

        Parameters
        ----------
        values : array-like, shape (n,)
            The analyzed series, which this object does not store.
        ax : Axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        InputError
            If `values` is not one series of finite numbers.
        MissingToolError
            If matplotlib is not installed.
        """
        from steady.plots.fork_lines import ForkLines, draw_forks

        series = as_series(values)[np.newaxis]
        return draw_forks(ForkLines(series, self.reason or self.method, starts=(self.start,)), ax)


def as_series(values: npt.ArrayLike) -> FloatArray:
    """Return `values` as the float64 series of one fork, without missing iterations at its end.

    Parameters
    ----------
    values : array-like, shape (n,)
        One value per iteration; NaN at the end marks iterations that did not run.

    Returns
    -------
    ndarray of float64, shape (m,)
        Series of length m <= n. It may share memory with `values`, so do not modify it.

    Raises
    ------
    InputError
        If `values` is not one series of finite real numbers.
    """
    series = real_numbers(values, "the values cannot be read as numbers")
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


def trivial_result(series: FloatArray, method: str) -> SteadyState | None:
    """Return the result for a series that is too short or constant, otherwise None."""
    if len(series) < MINIMUM_ITERATIONS:
        few = f"too few iterations: {len(series)}, but {MINIMUM_ITERATIONS} are needed"
        return never_steady(method, few)
    if np.min(series) == np.max(series):
        return SteadyState(0, method, None, ((0, 1.0),), "steady: all iterations are equal")
    return None


def never_steady(method: str, reason: str) -> SteadyState:
    """Return the result for a series without a steady state, or one that is too short."""
    return SteadyState(None, method, reason=reason)


def steady_from(start: int, method: str, why: str) -> SteadyState:
    """Return the result of a method that detects only the start."""
    reason = f"steady from iteration {start} (counted from 0) on: {why}"
    if start == 0:
        return SteadyState(0, method, None, ((0, 1.0),), reason)
    return SteadyState(start, method, start - 1, ((0, 0.0), (start, 1.0)), reason)
