"""The forks that a similarity method takes, and its answer: which of them differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import FloatArray
from steady.number_checks import real_numbers, to_unit_scale

MINIMUM_ITERATIONS = 10
"""Forks with fewer iterations are not compared, because they always look different."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """Whether the forks of one benchmark agree, and which of them differ.

    Parameters
    ----------
    similar : bool
        Whether the method calls the forks similar as a whole.
    method : str
        Registered name of the method.
    measures : mapping of str to float
        The method's measures, each the mean over all pairs of forks; 0 is perfect similarity.
    odd_forks : tuple of int
        0-based forks that differ from the majority of the others, in order. Empty if none does, or
        if no majority agrees. One fork of many may differ even if the forks are similar as a whole.
    reason : str
        What decided, in one line.

    Examples
    --------
    >>> import numpy as np
    >>> import steady
    >>> forks = 1 + 0.01 * np.random.default_rng(1).standard_normal((5, 60))
    >>> agreement = steady.similarity(forks)
    >>> agreement.similar, agreement.odd_forks
    (True, ())
    """

    similar: bool
    method: str
    measures: Mapping[str, float]
    odd_forks: tuple[int, ...] = ()
    reason: str = ""


def as_forks(forks: npt.ArrayLike) -> FloatArray:
    """Return `forks` as float64 series of one length, in unit scale.

    Forks of different lengths are cut to the shortest one, so that every pair is compared over
    the same iterations.

    Parameters
    ----------
    forks : array-like, shape (forks, iterations)
        NaN at the end of a row marks iterations that this fork did not run.

    Returns
    -------
    ndarray of float64, shape (forks, m)
        A new array, m the length of the shortest fork.

    Raises
    ------
    InputError
        If there are fewer than 2 forks, fewer than 10 iterations in one of them, or values that
        are not finite numbers.
    """
    array = real_numbers(forks, "the forks cannot be read as rows of numbers of one length")
    if array.ndim != 2 or len(array) < 2:
        raise InputError(
            "at least 2 forks, one row each, are needed to tell whether forks are similar; "
            f"the values have shape {array.shape}"
        )
    positions = np.arange(1, array.shape[1] + 1)
    lengths = np.max(np.where(np.isnan(array), 0, positions), axis=1, initial=0)
    shortest = int(np.argmin(lengths))
    if lengths[shortest] < MINIMUM_ITERATIONS:
        raise InputError(
            f"fork {shortest} (counted from 0) has {lengths[shortest]} iterations; forks are "
            f"compared from {MINIMUM_ITERATIONS} iterations on: leave it out, or measure more"
        )
    _check_finite(array, lengths)
    return to_unit_scale(array[:, : lengths[shortest]])


def _check_finite(array: FloatArray, lengths: npt.NDArray[np.int_]) -> None:
    for fork, length in enumerate(lengths):
        for iteration in np.flatnonzero(~np.isfinite(array[fork, :length]))[:1]:
            raise InputError(
                f"iteration {iteration} of fork {fork} (both counted from 0) is "
                f"{array[fork, iteration]}; every iteration must be a finite number, and only "
                "missing iterations at the end of a fork may be NaN"
            )
