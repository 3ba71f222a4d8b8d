"""Onset, second stage: where people would say that the steady state starts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.papers.onset_evidence import FEATURES, PARTS

LAST_START = 5 * PARTS // 6
"""Last part that can be a start: after it, too little is left to call steady."""

NEAR = 5
"""A start that is off by at most this many parts is as good as the right one."""

MISS = 20.0
"""What a start that is farther off costs in addition to its distance, in parts."""

MODEL_FILE = "onset.json"


@dataclass(frozen=True, slots=True)
class Trees:
    """Boosted trees of two questions each; their sum is the log-odds of the start.

    Parameters
    ----------
    base : float
        Log-odds before any tree.
    columns : ndarray of int, shape (trees, 3)
        Column of each question: the first, the second after a no, the second after a yes.
    thresholds : ndarray of float64, shape (trees, 3)
        The question is whether the column lies above its threshold.
    leaves : ndarray of float64, shape (trees, 4)
        The log-odds to add after no-no, no-yes, yes-no, yes-yes.
    """

    base: float
    columns: npt.NDArray[np.intp]
    thresholds: FloatArray
    leaves: FloatArray

    def log_odds(self, evidence: FloatArray) -> FloatArray:
        """Return one number for each row of `evidence`, shape (rows, columns)."""
        above = evidence[:, self.columns] > self.thresholds
        leaf = np.where(above[:, :, 0], 2 + above[:, :, 2], above[:, :, 1])
        chosen = self.leaves[np.arange(len(self.leaves)), leaf]
        return np.asarray(self.base + np.sum(chosen, axis=1), dtype=np.float64)


def start_distribution(trees: Trees, evidence: FloatArray) -> FloatArray:
    """Return the probability that the steady state starts with each part, shape (PARTS,).

    The trees give the hazard: the probability that it starts here, given that it did not start
    earlier. The remaining probability at `LAST_START` is put there.
    """
    hazard = 1 / (1 + np.exp(-trees.log_odds(evidence[: LAST_START + 1])))
    hazard[-1] = 1
    waiting = np.concatenate(([1.0], np.cumprod(1 - hazard[:-1])))
    probability = np.zeros(PARTS)
    probability[: LAST_START + 1] = hazard * waiting
    return probability


def best_part(probability: FloatArray, miss: float = MISS) -> int:
    """Return the part with the least expected cost as the start; distance and misses cost."""
    parts = np.arange(PARTS)
    distance = np.abs(parts[:, np.newaxis] - parts)
    return int(np.argmin((distance + miss * (distance > NEAR)) @ probability))


def middle_of(part: int, iterations: int) -> int:
    """Return the iteration in the middle of a part."""
    return (2 * part + 1) * iterations // (2 * PARTS)


@cache
def stored_trees() -> Trees:
    """Read the trees that ``evaluation/train_recommended.py`` wrote."""
    file = resources.files("steady.papers").joinpath(MODEL_FILE)
    stored = json.loads(file.read_text(encoding="utf-8"))
    column = {name: number for number, name in enumerate(FEATURES)}
    trees = stored["trees"]
    return Trees(
        stored["base"],
        np.array([[column[name] for name in tree["columns"]] for tree in trees], dtype=np.intp),
        np.array([tree["thresholds"] for tree in trees], dtype=np.float64),
        np.array([tree["leaves"] for tree in trees], dtype=np.float64),
    )
