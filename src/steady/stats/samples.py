"""Inputs of stability metrics: batches of samples, and bootstrap options."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import FloatArray

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples of different sizes in one matrix, for vectorized metrics.

    Parameters
    ----------
    values : ndarray of float64, shape (samples, size of the largest)
        One sample in each row, in the order of measurement, padded with +inf.
    sizes : ndarray of int64, shape (samples,)
        Number of values in each sample, at least 1.
    """

    values: FloatArray
    sizes: IntArray
    memo: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)
    """Cache of intermediate results that several metrics share."""

    @classmethod
    def of(cls, values: npt.ArrayLike) -> Samples:
        """Return a single sample: flatten the values, and drop missing ones (NaN).

        Raises
        ------
        InputError
            If no value remains, or one is infinite.
        """
        flat = finite(values).ravel()
        flat = flat[~np.isnan(flat)]
        if flat.size == 0:
            raise InputError("a sample has no values: expected at least one measurement")
        return cls(flat[np.newaxis], np.array([flat.size]))

    @cached_property
    def inside(self) -> BoolArray:
        """Mask of values, False for padding; same shape as `values`."""
        columns = np.arange(self.values.shape[1])
        return np.asarray(columns < self.sizes[:, np.newaxis], dtype=np.bool_)

    @cached_property
    def ascending(self) -> FloatArray:
        """The values with each row sorted."""
        return np.sort(self.values, axis=1)

    @cached_property
    def means(self) -> FloatArray:
        """Arithmetic means, shape (samples,)."""
        return np.asarray(self.ascending[:, 0] + self._mean_excess, dtype=np.float64)

    @cached_property
    def deviations(self) -> FloatArray:
        """Ascending differences from the mean, 0 in the padding; same shape as `values`."""
        return np.where(self.inside, self._excess - self._mean_excess[:, np.newaxis], 0.0)

    @cached_property
    def _excess(self) -> FloatArray:
        # For a constant sample, sums of these differences are exactly 0, unlike sums of values.
        return np.where(self.inside, self.ascending - self.ascending[:, :1], 0.0)

    @cached_property
    def _mean_excess(self) -> FloatArray:
        return np.asarray(self._excess.sum(axis=1) / self.sizes, dtype=np.float64)

    @cached_property
    def standard_deviations(self) -> FloatArray:
        """Population standard deviations (ddof=0), shape (samples,)."""
        squares = np.einsum("ij,ij->i", self.deviations, self.deviations)
        return np.asarray(np.sqrt(squares / self.sizes), dtype=np.float64)

    @cached_property
    def medians(self) -> FloatArray:
        """Medians, shape (samples,)."""
        return middle(self.ascending, self.sizes)

    @cached_property
    def range(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest values, each of shape (samples,)."""
        return self.ascending[:, 0], self.ascending[np.arange(self.sizes.size), self.sizes - 1]

    def around_median(self, rows: IntArray, size: int) -> FloatArray:
        """Return ascending values minus the median of samples of one size, shape (rows, size).

        Most results are small, so differences of their squares are accurate despite outliers.
        """
        return np.asarray(self.ascending[rows, :size] - self.medians[rows, np.newaxis])

    def by_size(self, rows: IntArray | None = None) -> Iterator[tuple[int, IntArray]]:
        """Yield each sample size among `rows` (default: all) with its rows."""
        rows = np.arange(self.sizes.size) if rows is None else rows
        rows = rows[np.argsort(self.sizes[rows], kind="stable")]
        sizes, starts = np.unique(self.sizes[rows], return_index=True)
        yield from zip(sizes.tolist(), np.split(rows, starts)[1:], strict=True)


def middle(ascending: FloatArray, sizes: IntArray) -> FloatArray:
    """Return the medians of sorted rows; for an even number, the mean of the two middle values."""
    rows = np.arange(sizes.size)
    return (ascending[rows, (sizes - 1) // 2] + ascending[rows, sizes // 2]) / 2


def finite(values: npt.ArrayLike) -> FloatArray:
    """Return values as float64; raise an error if one is infinite or not numeric."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError("measurements must be numbers in a rectangular array") from error
    if np.isinf(array).any():
        raise InputError(
            "a measurement is infinite: expected finite numbers, and NaN for a missing one"
        )
    return array


def relative_spread(spread: FloatArray, location: FloatArray, sizes: IntArray) -> FloatArray:
    """Divide measures of spread by the absolute value of measures of location.

    The result is infinite (never stable) for a single value and for a location of 0.
    """
    defined = (sizes > 1) & (location != 0)
    return np.where(defined, spread / np.where(defined, np.abs(location), 1.0), np.inf)


def row_medians(table: FloatArray) -> FloatArray:
    """Return the median of each row, ignoring NaN.

    The result equals that of `numpy.nanmedian` to the last bit; small tables take a tenth of the
    time.

    Parameters
    ----------
    table : ndarray of float64, shape (rows, columns)
        Table with at least one value in each row.

    Returns
    -------
    ndarray of float64, shape (rows,)
    """
    ordered = np.sort(table, axis=1)  # NaN last
    return middle(ordered, np.count_nonzero(~np.isnan(ordered), axis=1))


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Options of bootstrap intervals.

    Parameters
    ----------
    confidence : float
        Confidence level, between 0 and 1.
    resamples : int
        Number of resamples, for metrics that use random resampling.
    seed : int
        Seed of the random resampling.

    Raises
    ------
    InputError
        If an option is out of range.
    """

    confidence: float = 0.99
    resamples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise InputError(f"a confidence of {self.confidence}: expected a value between 0 and 1")
        if self.resamples < 1:
            raise InputError(f"{self.resamples} resamples: expected at least 1")
        if self.seed < 0:
            raise InputError(f"a seed of {self.seed}: expected 0 or a positive whole number")

    @property
    def tail(self) -> float:
        """The probability outside of the interval on each side."""
        return (1 - self.confidence) / 2


class BootstrapOptions(TypedDict, total=False):
    """Keyword arguments of `Bootstrap`, for functions that forward them."""

    confidence: float
    resamples: int
    seed: int


StabilityMetric = Callable[[Samples, Bootstrap], FloatArray]
"""A measure of relative variability: one value for each sample, infinite if undefined."""


_MULTIPLICATIONS = 2**18  # OpenBLAS uses threads above this number


def matrix_product(
    left: FloatArray, right: npt.NDArray[np.floating | np.unsignedinteger]
) -> FloatArray:
    """Multiply two matrices in blocks, so that the linear algebra library starts no threads.

    For small matrices on a busy machine, such as a shared runner, synchronizing threads took 70
    times as long as the multiplication.

    Parameters
    ----------
    left : ndarray, shape (m, k)
    right : ndarray, shape (k, n)

    Returns
    -------
    ndarray, shape (m, n)
    """
    result = np.empty((len(left), right.shape[1]))
    width = max(1, _MULTIPLICATIONS // max(1, left.size))
    for start in range(0, right.shape[1], width):
        columns = slice(start, start + width)
        result[:, columns] = left @ right[:, columns].astype(np.float64)
    return result
