"""What Laaber's three criteria have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from steady.model import FloatArray
from steady.steadystate.online import BatchStop

OUTLIER_FACTOR = 10.0

WARM_UP_HISTORY = 5
"""Number of latest iterations whose results must be close to each other."""

FORK_HISTORY = 2
"""Number of latest forks whose results must be close to each other."""


class Criterion(ABC):
    """Decides after each repetition whether it still changed the result over all of them."""

    @abstractmethod
    def add(self, values: FloatArray) -> bool:
        """Take the next repetition's values; return whether all of them together are stable."""


class CriterionStop(BatchStop):
    """Online stop by a criterion: the warm-up ends after the first stable iteration.

    Parameters
    ----------
    criterion : Criterion
        A fresh one.
    batch : int
        Values that make up one iteration of the criterion.
    """

    def __init__(self, criterion: Criterion, batch: int) -> None:
        super().__init__(batch)
        self._criterion = criterion

    def _judge_batch(self, batch: list[float]) -> int | None:
        return self.seen if self._criterion.add(np.array(batch)) else None


def inlying(values: FloatArray) -> FloatArray:
    """Drop values above ten times the median or below a tenth of it, all without their sign."""
    middle = abs(float(np.median(values)))
    size = np.abs(values)
    return values[(size <= middle * OUTLIER_FACTOR) & (size >= middle / OUTLIER_FACTOR)]


def settled(results: list[float], history: int, threshold: float) -> bool:
    """Tell whether the latest result is within `threshold` of the others of the history."""
    if len(results) < history:
        return False
    latest = np.array(results[-history:])
    return bool(np.isfinite(latest).all() and np.abs(latest - latest[-1]).max() < threshold)
