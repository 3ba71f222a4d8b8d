"""The numbers that JMH derives from measurements, computed in the same way.

Sums run from left to right and percentiles interpolate as in JMH, so that the results are equal to
the last bit. Only the quantile of Student's t differs: JMH finds it by bisection, to 1e-9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import stdtrit

from steady.model import FloatArray
from steady.stats.samples import IntArray

CONFIDENCE = 0.999
RANKS = (0.0, 50.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999, 99.9999, 100.0)


class Statistics(Protocol):
    """Measurements of one benchmark, of all its forks together."""

    @property
    def n(self) -> int:
        """How many."""
        ...

    @property
    def mean(self) -> float:
        """Arithmetic mean; NaN if there are none."""
        ...

    @property
    def variance(self) -> float:
        """Of the sample; NaN for fewer than two."""
        ...

    def percentile(self, rank: float) -> float:
        """Return the value below which `rank` per cent lie."""
        ...


def mean_error(statistics: Statistics) -> float:
    """Return half the width of the 99.9 % confidence interval; NaN for two values or fewer.

    Source: ``org.openjdk.jmh.util.AbstractStatistics.getMeanErrorAt``.
    """
    if statistics.n <= 2:
        return float("nan")
    quantile = stdtrit(statistics.n - 1, 1 - (1 - CONFIDENCE) / 2)
    return float(quantile * np.sqrt(statistics.variance) / np.sqrt(statistics.n))


@dataclass(frozen=True, slots=True, eq=False)
class ListStatistics:
    """Single values (``org.openjdk.jmh.util.ListStatistics``).

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        In the order in which they were measured.
    """

    values: FloatArray

    @property
    def n(self) -> int:
        """How many."""
        return len(self.values)

    @property
    def mean(self) -> float:
        """Arithmetic mean; NaN if there are none."""
        return _sum(self.values) / self.n if self.n else float("nan")

    @property
    def variance(self) -> float:
        """Of the sample; NaN for fewer than two."""
        return _sum((self.values - self.mean) ** 2) / (self.n - 1) if self.n > 1 else float("nan")

    def percentile(self, rank: float) -> float:
        """Return the value below which `rank` per cent lie.

        Source: commons-math's ``Percentile`` with its type ``LEGACY``, which leaves out NaN.
        """
        ordered = np.sort(self.values[~np.isnan(self.values)])
        if not ordered.size or (rank == 0.0 and ordered.size < self.n):
            return float("nan")
        position = rank / 100 * (ordered.size + 1)
        below = int(np.floor(position))
        if below < 1 or below >= ordered.size:
            return float(ordered[0 if below < 1 else -1])
        low, high = ordered[below - 1 : below + 1]
        return float(low + (position - below) * (high - low))


@dataclass(frozen=True, slots=True, eq=False)
class MultisetStatistics:
    """Values with their counts (``org.openjdk.jmh.util.MultisetStatistics``).

    Parameters
    ----------
    values : ndarray of float64, shape (m,)
        Different from each other, in ascending order.
    counts : ndarray of int64, shape (m,)
        How often each was measured.
    """

    values: FloatArray
    counts: IntArray

    @classmethod
    def of(cls, histograms: Sequence[Sequence[tuple[float, int]]]) -> MultisetStatistics:
        """Add up histograms, [[value, count], ...] each."""
        pairs = [pair for histogram in histograms for pair in histogram]
        values, places = np.unique(
            np.array([value for value, _ in pairs], dtype=np.float64), return_inverse=True
        )
        counts = np.zeros(len(values), dtype=np.int64)
        np.add.at(counts, places, np.array([count for _, count in pairs], dtype=np.int64))
        return cls(values, counts)

    @property
    def n(self) -> int:
        """How many."""
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        """Arithmetic mean; NaN if there are none."""
        return _sum(self.values * self.counts) / self.n if self.n else float("nan")

    @property
    def variance(self) -> float:
        """Of the sample; NaN for fewer than two."""
        if self.n < 2:
            return float("nan")
        return _sum((self.values - self.mean) ** 2 * self.counts) / (self.n - 1)

    def percentile(self, rank: float) -> float:
        """Return the value below which `rank` per cent lie."""
        if not self.n:
            return float("nan")
        position = rank * (self.n + 1) / 100
        below = np.floor(position)
        reached = np.cumsum(self.counts)
        places = np.searchsorted(reached, [below, below + 1])
        low, high = self.values[np.minimum(places, len(self.values) - 1)]
        return float(low + (high - low) * (position - below))


def _sum(values: FloatArray) -> float:
    """Add from left to right, as Java's loops do."""
    return float(np.cumsum(values)[-1]) if values.size else 0.0
