"""Yes-or-no calls counted against the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Calls:
    """Right and wrong calls.

    Parameters
    ----------
    true_positives, false_positives, false_negatives, true_negatives : int
        Their numbers.
    """

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    @classmethod
    def of(cls, called: BoolArray, truth: BoolArray) -> Calls:
        """Count calls against the truth."""
        pairs = (called & truth, called & ~truth, ~called & truth, ~called & ~truth)
        return cls(*(int(np.count_nonzero(pair)) for pair in pairs))

    @property
    def total(self) -> int:
        """All calls."""
        positives = self.true_positives + self.false_positives
        return positives + self.false_negatives + self.true_negatives

    @property
    def agreements(self) -> int:
        """Right calls."""
        return self.true_positives + self.true_negatives

    @property
    def sensitivity(self) -> float:
        """Share of the positives that are called so."""
        return _share(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def specificity(self) -> float:
        """Share of the negatives that are called so."""
        return _share(self.true_negatives, self.true_negatives + self.false_positives)

    @property
    def balanced_accuracy(self) -> float:
        """Mean of sensitivity and specificity."""
        return (self.sensitivity + self.specificity) / 2

    @property
    def correlation(self) -> float:
        """Matthews' correlation coefficient; 0 where everything is called alike."""
        called = self.true_positives + self.false_positives
        truly = self.true_positives + self.false_negatives
        product = called * (self.total - called) * truly * (self.total - truly)
        if product == 0:
            return 0.0
        right = self.true_positives * self.true_negatives
        wrong = self.false_positives * self.false_negatives
        return float((right - wrong) / np.sqrt(product))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
