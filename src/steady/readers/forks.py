"""Measurements as nested JSON lists, with null for a missing repetition."""

import math

import numpy as np

from steady.harness.fields import Field
from steady.harness.suite_builder import is_too_sparse, stacked, stacked_shape
from steady.model import Benchmark, FloatArray, Metric

_KINDS = frozenset({int, float, type(None)})


def read_nested(field: Field, axes: int) -> FloatArray:
    """Read nested lists of numbers and nulls, `axes` deep.

    Shorter lists are padded with missing values.

    Returns
    -------
    ndarray of float64, shape (n1, ..., n_axes)

    Raises
    ------
    InputError
        If the depth differs from `axes`, a value is not a number of at least zero, a missing
        repetition comes before one that exists, or there are no measurements.
    """
    array = _read(field, axes)
    if array.size == 0 or np.isnan(array).all():
        raise field.error("has no measurement; leave the benchmark out, or name it in 'failures'")
    place = missing_before_present(array)
    if place is not None:
        raise field.error(
            f"a missing repetition at {list(place)} precedes a present one; put missing "
            "repetitions at the end of their level"
        )
    array.flags.writeable = False  # the benchmark then takes it without a copy
    return array


def missing_before_present(array: FloatArray) -> tuple[int, ...] | None:
    """Return the index of the first missing repetition before a present one."""
    missing = np.isnan(array)
    for axis in range(array.ndim):
        # A repetition of this level is missing if everything in it is missing.
        gone = np.asarray(missing.all(axis=tuple(range(axis + 1, array.ndim))))
        early = gone[..., :-1] & ~gone[..., 1:]
        if early.any():
            return tuple(int(i) for i in np.argwhere(early)[0])
    return None


def write_nested(array: FloatArray) -> list[object]:
    """Return nested lists with null for NaN."""
    if array.ndim > 1:
        return [write_nested(part) for part in array]
    return [None if value != value else value for value in array.tolist()]


def _read(field: Field, axes: int) -> FloatArray:
    if axes == 1:
        return _innermost(field)
    parts = [_read(item, axes - 1) for item in field.items()]
    values = sum(int(np.count_nonzero(~np.isnan(part))) for part in parts)
    if is_too_sparse(math.prod(stacked_shape(parts, axes)), values):
        raise field.error(
            "contains lists whose lengths differ too much; use the same number of repetitions for "
            "each item of a level"
        )
    return stacked(parts, axes)


def _innermost(field: Field) -> FloatArray:
    values = field.array()
    if not _KINDS.issuperset(map(type, values)):
        wrong = next(item for item in field.items() if type(item.value) not in _KINDS)
        raise wrong.wrong("a number or null, as deep as there are levels")
    try:
        row = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    except OverflowError:
        raise field.error("holds a number too large to be a measurement") from None
    given = np.array([value is not None for value in values], dtype=bool)
    bad = np.flatnonzero(given & ~(np.isfinite(row) & (row >= 0)))
    if bad.size:
        raise field.error(
            f"value {bad[0] + 1} is {row[bad[0]]:g}; a measurement is a finite number of at "
            "least zero, or null if missing"
        )
    return row


def appended(first: Benchmark, second: Benchmark) -> dict[str, Metric]:
    """Concatenate the metrics of two runs of a benchmark on the outermost level.

    A metric that one run lacks is NaN there. A metric with different units in the two runs is
    omitted.
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
