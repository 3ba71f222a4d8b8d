"""Further results of a benchmark beside the main one, as the harnesses write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from steady.model import Benchmark, FloatArray, Metric
from steady.readers.padding import stacked

Further: TypeAlias = tuple[dict[str, Metric], tuple[str, ...]]
"""Metrics by name, and the names of what cannot be read as one."""


def metric_of(unit: str, rows: Sequence[FloatArray], like: Sequence[FloatArray]) -> Metric | None:
    """Make a metric of the values of single forks.

    A harness leaves out an iteration without a value, and does not say which one it was; so the
    missing ones stand at the end of their fork.

    Parameters
    ----------
    unit : str
        The harness's unit.
    rows : sequence of ndarray of float64
        One a fork; an empty one where a fork has no value.
    like : sequence of ndarray of float64
        What the same forks measured as the main result.

    Returns
    -------
    Metric, optional
        None if these are not values of the same iterations: there are more of them, one is
        negative, or none is a number.
    """
    if len(rows) != len(like) or any(r.size > own.size for r, own in zip(rows, like, strict=True)):
        return None
    widest = max((row.size for row in like), default=0)
    if all(row.size == widest for row in rows):
        values = np.array(rows)
    else:
        values = np.full((len(rows), widest), np.nan)
        for place, row in zip(values, rows, strict=True):
            place[: row.size] = row
    if not (values.size and values.min() >= 0 and values.max() < np.inf):  # nearly never
        values[np.isinf(values)] = np.nan
        if np.isnan(values).all() or (values < 0).any():
            return None
    values.flags.writeable = False  # so that the metric takes it as it is
    return Metric(unit, values)


def appended(first: Benchmark, second: Benchmark) -> dict[str, Metric]:
    """Return the metrics of two runs of a benchmark, one after the other on the outermost level.

    A run without a metric of the other has NaN there. A metric in two units is left out.
    """
    joined = {}
    for name in dict.fromkeys((*first.metrics, *second.metrics)):
        units = {run.metrics[name].unit for run in (first, second) if name in run.metrics}
        if len(units) == 1:
            rows = [row for run in (first, second) for row in _values(run, name)]
            joined[name] = Metric(units.pop(), stacked(rows, first.measurements.ndim))
    return joined


def _values(run: Benchmark, name: str) -> FloatArray:
    metric = run.metrics.get(name)
    return np.full(run.measured.shape, np.nan) if metric is None else metric.values
