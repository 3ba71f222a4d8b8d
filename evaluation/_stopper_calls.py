"""Predictions of a learned stopper's fits for held-out benchmarks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

from evaluation._calls import Calls
from evaluation._stopper_data import FOLDS, BoolArray, Forks, IntArray
from steady.model import FloatArray
from steady.papers.stopping import LONGEST, Classifier


@dataclass(frozen=True, eq=False)
class Judged:
    """Predictions of one fit for its held-out fold.

    Parameters
    ----------
    stable : ndarray of bool, shape (windows,)
        True labels of the windows.
    scores : ndarray of float, shape (windows,)
        Scores of the windows.
    threshold : float
        Minimum score of a stable window, tuned on other benchmarks.
    stops : ndarray of int, shape (benchmarks, forks)
        Number of warm-up iterations of each fork in the fold; empty if not computed.
    """

    stable: BoolArray
    scores: FloatArray
    threshold: float
    stops: IntArray

    def calls(self, threshold: float | None = None) -> Calls:
        """Count the classifications by the tuned threshold, or by another one."""
        used = self.threshold if threshold is None else threshold
        return Calls.of(self.scores >= used, self.stable)

    @property
    def area(self) -> float:
        """Area under the ROC curve."""
        return area_under_curve(self.scores, self.stable)

    def save(self, file: Path) -> None:
        """Write the predictions to a file."""
        np.savez_compressed(
            file,
            stable=self.stable,
            scores=self.scores.astype(np.float32),
            threshold=np.array(self.threshold),
            stops=self.stops.astype(np.int16),
        )

    @classmethod
    def load(cls, file: Path) -> Judged:
        """Read predictions written by `save`."""
        with np.load(file) as stored:
            return cls(
                stored["stable"],
                stored["scores"].astype(np.float64),
                float(stored["threshold"]),
                stored["stops"].astype(np.int64),
            )


NO_STOPS = np.empty((0, 10), dtype=np.int64)


def read_folds(folder: Path, name: str) -> dict[int, Judged]:
    """Return the predictions of a model's fits, by held-out fold."""
    files = {fold: folder / f"{name}-{fold}.npz" for fold in range(FOLDS)}
    return {fold: Judged.load(file) for fold, file in files.items() if file.exists()}


def joined_stops(judged: Mapping[int, Judged], folds: IntArray) -> IntArray:
    """Return the end of each fork's warm-up, shape (benchmarks, forks).

    It is -1 if there is no fit for a benchmark's fold.
    """
    forks = next(iter(judged.values())).stops.shape[1]
    joined = np.full((len(folds), forks), -1)
    for fold, one in judged.items():
        joined[folds == fold] = one.stops
    return joined


def area_under_curve(scores: FloatArray, stable: BoolArray) -> float:
    """Return the probability that a stable window has a higher score than another one."""
    ranks = stats.rankdata(scores)
    positives = int(np.count_nonzero(stable))
    negatives = len(stable) - positives
    wins = ranks[stable].sum() - positives * (positives + 1) / 2
    return float(wins / (positives * negatives))


def youden_threshold(scores: FloatArray, stable: BoolArray) -> float:
    """Return the score with the largest sum of sensitivity and specificity; the highest of equals.

    Windows with at least this score are classified as stable.
    """
    order = np.argsort(-scores, kind="stable")
    ranked = stable[order]
    found = np.cumsum(ranked) / max(1, ranked.sum())
    alarms = np.cumsum(~ranked) / max(1, (~ranked).sum())
    last_of_its_score = np.append(np.diff(scores[order]) != 0, True)
    index = np.where(last_of_its_score, found - alarms, -np.inf)
    return float(scores[order[int(np.argmax(index))]])


def stops(forks: Forks, which: BoolArray, classifier: Classifier) -> IntArray:
    """Return the number of warm-up iterations of each fork of some benchmarks."""
    found = [[classifier.first_stable(fork) for fork in values] for values in forks.values[which]]
    return np.array([[LONGEST if one is None else one for one in row] for row in found])
