"""The fastest quarter of a fork: the mean of it is one value for the fork."""

from __future__ import annotations

import numpy as np

from steady.model import FloatArray
from steady.model.units import direction_of

FASTEST_SHARE = 0.25
"""Of the iterations, rounded up: one of 1 to 4, two of 5 to 8, five of 20."""


def fastest_first(table: FloatArray, unit: str) -> FloatArray:
    """Sort each row so that the best iterations come first; missing ones go to the end."""
    sign = 1.0 if direction_of(unit) == "lower" else -1.0
    return np.asarray(sign * np.sort(sign * table, axis=1))


def fastest_quarter(table: FloatArray, unit: str) -> FloatArray:
    """Return the mean of the fastest quarter of each row.

    Disturbances make a benchmark slower, never faster, so the fast iterations of two forks are
    more alike than their medians. A slowdown of everything that a benchmark does moves them just
    as much. A slowdown that strikes only now and then does not move them; see
    ``docs/methods-compare.md``.

    Parameters
    ----------
    table : ndarray of float64, shape (forks, iterations)
        NaN where a fork has fewer iterations; every fork has at least one value.
    unit : str
        It says which way is fast.

    Returns
    -------
    ndarray of float64, shape (forks,)
        One value a fork.

    References
    ----------
    Chen and Revels: "Robust benchmarking in noisy environments", arXiv 1608.04295, 2016,
    sections II to IV, for noise that only delays; they take the minimum.
    """
    ascending = fastest_first(table, unit)
    sizes = fastest_count(np.isfinite(table).sum(axis=1))
    taken = np.arange(table.shape[1]) < sizes[:, np.newaxis]
    return np.asarray(np.where(taken, ascending, 0.0).sum(axis=1) / sizes)


def fastest_count(iterations: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> FloatArray:
    """Return how many iterations make the fastest quarter."""
    return np.asarray(np.ceil(FASTEST_SHARE * iterations))
