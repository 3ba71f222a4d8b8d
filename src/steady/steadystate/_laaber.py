"""What Laaber's three criteria have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from steady.model import FloatArray
from steady.steadystate.online import BatchStop

OUTLIER_FACTOR = 10.0

WARM_UP_HISTORY = 5
"""Latest iterations whose results must be close to each other."""

FORK_HISTORY = 2
"""Latest forks, likewise."""


class Criterion(ABC):
    """Says after each repetition whether one more still changes the picture of all of them."""

    @abstractmethod
    def add(self, values: FloatArray) -> bool:
        """Take the next repetition's values; return whether all of them together are stable."""


class CriterionStop(BatchStop):
    """Online stop by a criterion: the warm-up ends behind the first stable iteration.

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
    """Drop values more than ten times as far from 0 as the median, or less than a tenth."""
    middle = abs(float(np.median(values)))
    size = np.abs(values)
    return values[(size <= middle * OUTLIER_FACTOR) & (size >= middle / OUTLIER_FACTOR)]


def settled(results: list[float], history: int, threshold: float) -> bool:
    """Say whether the latest result is within `threshold` of the others of the history."""
    if len(results) < history:
        return False
    latest = np.array(results[-history:])
    return bool(np.isfinite(latest).all() and np.abs(latest - latest[-1]).max() < threshold)
