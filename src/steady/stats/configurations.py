"""Stability of smaller configurations of a benchmark, from existing measurements."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import FloatArray
from steady.stats import METRICS, Bootstrap
from steady.stats.samples import BoolArray, IntArray, Samples, finite

_DEFAULT = Bootstrap()

_CELLS = 2**19  # values in a matrix of samples: 4 MiB, and several times as much for temporaries


def stability_of_configurations(
    measurements: npt.ArrayLike,
    grid: npt.ArrayLike,
    metrics: Sequence[str] = ("rciw3",),
    bootstrap: Bootstrap = _DEFAULT,
) -> dict[str, FloatArray]:
    """Compute the stability of smaller configurations from existing measurements.

    Parameters
    ----------
    measurements : array-like of float, shape (n1, ..., nl)
        Measurements of one benchmark, outermost level first; NaN if a repetition is missing.
    grid : array-like of int, shape (configurations, levels)
        Numbers of repetitions on each level, at most those of the measurements.
    metrics : sequence of str
        Names in `steady.stats.METRICS`.
    bootstrap : Bootstrap
        Bootstrap options of metrics with an interval.

    Returns
    -------
    dict of str to ndarray of float64, shape (configurations,)
        Values by metric; infinite for configurations with fewer than two measurements.

    Raises
    ------
    InputError
        If measurements, grid or options are invalid.
    UnknownNameError
        If a name is not in `steady.stats.METRICS`.
    """
    values = as_measurements(measurements)
    counts = as_configurations(grid, values.shape)
    measures = {name: METRICS[name].value for name in metrics}
    results = {name: np.full(len(counts), np.inf) for name in metrics}
    for rows, samples in _prefix_blocks(values, counts):
        for name, measure in measures.items():
            results[name][rows] = measure(samples, bootstrap)
    return results


def as_measurements(measurements: npt.ArrayLike) -> FloatArray:
    """Return measurements as float64; raise an error if there are none."""
    values = finite(measurements)
    if values.ndim == 0 or np.isnan(values).all():
        raise InputError(
            "the measurements have no values: expected an array with one axis per level"
        )
    return values


def as_configurations(grid: npt.ArrayLike, shape: tuple[int, ...]) -> IntArray:
    """Return a configuration grid as int64; raise an error if it does not fit `shape`."""
    counts = np.asarray(grid)
    expected = f"expected rows of {len(shape)} whole numbers from 1 to {shape}"
    if counts.ndim != 2 or counts.shape[1] != len(shape) or counts.dtype.kind not in "iu":
        raise InputError(f"configurations of shape {counts.shape}, {counts.dtype}: {expected}")
    if (counts < 1).any() or (counts > np.array(shape)).any():
        raise InputError(f"a configuration exceeds the measurements: {expected}")
    return counts.astype(np.int64)


def _prefix_blocks(measurements: FloatArray, grid: IntArray) -> Iterator[tuple[IntArray, Samples]]:
    """Yield the samples that smaller configurations would have measured (µOpTime, section 3.1).

    A configuration's sample consists of the values whose index on each level is below the
    configuration's count.

    Parameters
    ----------
    measurements : ndarray of float64, shape (n1, ..., nl)
        Measurements, outermost level first; NaN for missing repetitions.
    grid : ndarray of int64, shape (configurations, levels)
        Numbers of repetitions on each level.

    Yields
    ------
    rows : ndarray of int64
        Row indices of a block of configurations in the grid. Configurations without values are
        omitted.
    samples : Samples
        Their samples.
    """
    positions = np.argwhere(~np.isnan(measurements))
    values = measurements[tuple(positions.T)]
    step = max(1, _CELLS // max(1, values.size))
    for start in range(0, len(grid), step):
        counts = grid[start : start + step]
        reachable = np.flatnonzero((positions < counts.max(axis=0)).all(axis=1))
        belongs = np.ones((len(counts), reachable.size), dtype=np.bool_)
        for level, position in enumerate(positions[reachable].T):
            belongs &= position < counts[:, level, np.newaxis]
        sizes = np.count_nonzero(belongs, axis=1)
        rows = np.flatnonzero(sizes)
        if rows.size:
            yield start + rows, _gather(values[reachable], belongs[rows], sizes[rows])


def _gather(values: FloatArray, belongs: BoolArray, sizes: IntArray) -> Samples:
    matrix = np.full((sizes.size, sizes.max()), np.inf)
    inside = np.arange(sizes.max()) < sizes[:, np.newaxis]
    matrix[inside] = np.broadcast_to(values, belongs.shape)[belongs]
    return Samples(matrix, sizes)
