"""Counts of binary classifications compared with the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Calls:
    """Counts of correct and wrong classifications.

    Parameters
    ----------
    true_positives, false_positives, false_negatives, true_negatives : int
        Counts.
    """

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    @classmethod
    def of(cls, called: BoolArray, truth: BoolArray) -> Calls:
        """Count classifications by the truth."""
        pairs = (called & truth, called & ~truth, ~called & truth, ~called & ~truth)
        return cls(*(int(np.count_nonzero(pair)) for pair in pairs))

    @property
    def total(self) -> int:
        """Number of classifications."""
        positives = self.true_positives + self.false_positives
        return positives + self.false_negatives + self.true_negatives

    @property
    def agreements(self) -> int:
        """Number of correct classifications."""
        return self.true_positives + self.true_negatives

    @property
    def sensitivity(self) -> float:
        """Fraction of the positives that are classified correctly."""
        return _share(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def specificity(self) -> float:
        """Fraction of the negatives that are classified correctly."""
        return _share(self.true_negatives, self.true_negatives + self.false_positives)

    @property
    def balanced_accuracy(self) -> float:
        """Mean of sensitivity and specificity."""
        return (self.sensitivity + self.specificity) / 2

    @property
    def correlation(self) -> float:
        """Matthews' correlation coefficient; 0 if all classifications are the same."""
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
