"""Rows of different lengths as one array, and nested JSON arrays as one; null means NaN.

With one long row among many short ones, a file of a few megabytes could need an array that does
not fit in memory, so that padding is limited.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from steady.model import FloatArray
from steady.readers.fields import Field

FREE_CELLS = 2**12
MOST_CELLS_A_VALUE = 32


def sprawls(cells: int, values: int) -> bool:
    """Tell whether an array of `cells` is too large for the number of `values` in it.

    This never happens for up to `MOST_CELLS_A_VALUE` rows.

    >>> sprawls(30 * 3000, 20 * 3000)
    False
    >>> sprawls(10_000 * 10_000, 20_000)
    True
    """
    return cells > max(FREE_CELLS, MOST_CELLS_A_VALUE * values)


def stacked_shape(parts: Sequence[FloatArray], axes: int) -> tuple[int, ...]:
    """Return the shape that `stacked` will give."""
    inner = (max((part.shape[axis] for part in parts), default=0) for axis in range(axes - 1))
    return len(parts), *inner


def stacked(parts: Sequence[FloatArray], axes: int = 2) -> FloatArray:
    """Stack arrays of different shapes, read-only, with NaN after those that are too short.

    Parameters
    ----------
    parts : sequence of ndarray of float64
        With one axis less than the result.
    axes : int
        How many axes the result has.
    """
    if parts and all(part.shape == parts[0].shape for part in parts):
        whole = np.array(parts)
    else:
        whole = np.full(stacked_shape(parts, axes), np.nan)
        for place, part in zip(whole, parts, strict=True):
            place[tuple(slice(size) for size in part.shape)] = part
    whole.flags.writeable = False  # so that a benchmark takes it as it is
    return whole


_KINDS = frozenset({int, float, type(None)})


def read_nested(field: Field, axes: int) -> FloatArray:
    """Read nested lists of numbers and nulls, `axes` deep.

    A list that is shorter than its neighbours is padded: the rest is missing.

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
        raise field.error("holds no measurement; leave the benchmark out, or name it in 'failures'")
    place = missing_before_present(array)
    if place is not None:
        raise field.error(
            f"a missing repetition at {list(place)} stands before one that is there; "
            "put what is missing at the end of its level"
        )
    array.flags.writeable = False  # so that the benchmark takes it as it is
    return array


def missing_before_present(array: FloatArray) -> tuple[int, ...] | None:
    """Return the index of the first missing repetition that is not at the end of its level."""
    missing = np.isnan(array)
    for axis in range(array.ndim):
        # A repetition of this level is missing if everything in it is missing.
        gone = np.asarray(missing.all(axis=tuple(range(axis + 1, array.ndim))))
        early = gone[..., :-1] & ~gone[..., 1:]
        if early.any():
            return tuple(int(i) for i in np.argwhere(early)[0])
    return None


def write_nested(array: FloatArray) -> list[object]:
    """Return nested lists with null instead of NaN."""
    if array.ndim > 1:
        return [write_nested(part) for part in array]
    return [None if value != value else value for value in array.tolist()]


def _read(field: Field, axes: int) -> FloatArray:
    if axes == 1:
        return _innermost(field)
    parts = [_read(item, axes - 1) for item in field.items()]
    values = sum(int(np.count_nonzero(~np.isnan(part))) for part in parts)
    if sprawls(math.prod(stacked_shape(parts, axes)), values):
        raise field.error("holds lists of too different lengths; measure each level alike")
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
            "least zero, and null where it is missing"
        )
    return row
