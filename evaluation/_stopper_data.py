"""Training data of the learned stoppers: labelled windows, and folds of benchmarks.

As in Traini et al. 2024 (section 4 and their code): windows of 100 iterations, stable if they begin
after CP-SSD's last change point; five folds of benchmarks inside each project.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evaluation._jmh_steady import read_rows, read_series
from steady.model import FloatArray
from steady.papers.stopping import WINDOW, Float32Array, normalised

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

FOLDS = 5
PER_CLASS = 50
"""Number of windows of each class per fork."""

LAST_WINDOW = 3000 - WINDOW
RANDOM_STATE = 42
VALIDATION = 0.25
"""Fraction of the training benchmarks in the validation set, for threshold and early stopping."""

THRESHOLD_WINDOWS = 7
"""Number of windows per validation fork for tuning the threshold; the authors use all 2901."""


def window_starts(start: int) -> tuple[IntArray, BoolArray]:
    """Return the 100 windows of a fork that becomes steady, and whether they are stable.

    Parameters
    ----------
    start : int
        Last change point according to CP-SSD.
    """
    unstable = _spread(0, start, PER_CLASS)
    stable = _spread(start + 1, LAST_WINDOW, 2 * PER_CLASS - len(unstable))
    if len(stable) < PER_CLASS:
        unstable = _spread(0, start, 2 * PER_CLASS - len(stable))
    starts = np.concatenate([unstable, stable])
    return starts, starts > start


def _spread(first: int, last: int, count: int) -> IntArray:
    return np.unique(np.linspace(first, last, count).astype(np.int64))


@dataclass(frozen=True, eq=False)
class Forks:
    """All forks of all benchmarks, the benchmarks in the order of their names.

    Parameters
    ----------
    benchmarks, projects : ndarray of str, shape (benchmarks,)
        Names.
    values : ndarray of float64, shape (benchmarks, 10, 3000)
        Seconds per invocation.
    starts : ndarray of int, shape (benchmarks, 10)
        CP-SSD's last change point; -1: never steady.
    """

    benchmarks: npt.NDArray[np.str_]
    projects: npt.NDArray[np.str_]
    values: FloatArray
    starts: IntArray

    @classmethod
    def read(cls, folder: Path) -> Forks:
        """Read them from the folder of the jmh-steady data."""
        series = sorted(read_series(folder), key=lambda one: one[0])
        names = [name for name, _ in series]
        known = {
            (row["benchmark"], int(row["fork"])): int(row["cp_ssd_start"])
            for row in read_rows(folder, "cpssd")
        }
        values = np.stack([forks for _, forks in series])
        starts = [[known[name, fork] for fork in range(values.shape[1])] for name in names]
        projects = np.array([name.split("#")[0] for name in names])
        return cls(np.array(names), projects, values, np.array(starts))

    @cached_property
    def folds(self) -> IntArray:
        """The fold of each benchmark; every project is split among all five."""
        folds = np.empty(len(self.benchmarks), dtype=np.int64)
        for project in np.unique(self.projects):
            own = np.flatnonzero(self.projects == project)
            folds[own] = _shuffled_folds(len(own))
        return folds

    @cached_property
    def project_folds(self) -> IntArray:
        """The fold of each benchmark if projects are not split."""
        projects, project_of = np.unique(self.projects, return_inverse=True)
        return _shuffled_folds(len(projects))[project_of]

    def validation(self, training: BoolArray) -> BoolArray:
        """Choose a quarter of the training benchmarks, in proportion from every project."""
        chosen = np.zeros(len(training), dtype=np.bool_)
        members = np.flatnonzero(training)
        chosen[members[_stratified(self.projects[members])]] = True
        return chosen

    def labelled(self, benchmark: int) -> tuple[Float32Array, BoolArray]:
        """Return the windows of a benchmark's steady forks, 100 each, and whether stable."""
        forks = np.flatnonzero(self.starts[benchmark] >= 0)
        chosen = [window_starts(start) for start in self.starts[benchmark, forks].tolist()]
        if not chosen:
            return np.empty((0, WINDOW), dtype=np.float32), np.empty(0, dtype=np.bool_)
        windows = [
            self.windows(benchmark, fork, starts)
            for fork, (starts, _) in zip(forks.tolist(), chosen, strict=True)
        ]
        return np.concatenate(windows), np.concatenate([stable for _, stable in chosen])

    def at_random(self, benchmark: int, count: int, seed: int) -> tuple[Float32Array, BoolArray]:
        """Return `count` windows of each fork, including forks that are never steady.

        Forks that are never steady have no stable windows.
        """
        random = np.random.default_rng([seed, benchmark])
        forks = self.starts.shape[1]
        starts = random.integers(0, LAST_WINDOW + 1, (forks, count))
        windows = [self.windows(benchmark, fork, starts[fork]) for fork in range(forks)]
        last = self.starts[benchmark][:, np.newaxis]
        return np.concatenate(windows), ((starts > last) & (last >= 0)).ravel()

    def windows(self, benchmark: int, fork: int, starts: IntArray) -> Float32Array:
        """Return the windows of a fork that begin at these iterations, in the models' format."""
        every = np.lib.stride_tricks.sliding_window_view(self.values[benchmark, fork], WINDOW)
        return normalised(every[starts])


def _shuffled_folds(count: int) -> IntArray:
    """Assign items to folds like scikit-learn's ``KFold(5, shuffle=True, random_state=42)``."""
    order = np.arange(count)
    np.random.RandomState(RANDOM_STATE).shuffle(order)
    folds = np.empty(count, dtype=np.int64)
    for fold, part in enumerate(np.array_split(order, FOLDS)):
        folds[part] = fold
    return folds


def _stratified(classes: npt.NDArray[np.str_]) -> IntArray:
    """Split like scikit-learn's ``train_test_split(stratify=classes, random_state=42)``."""
    random = np.random.RandomState(RANDOM_STATE)
    _, class_of, sizes = np.unique(classes, return_inverse=True, return_counts=True)
    chosen = int(np.ceil(VALIDATION * len(classes)))
    kept = _shares(sizes, len(classes) - chosen, random)
    taken = _shares(sizes - kept, chosen, random)
    members = np.split(np.argsort(class_of, kind="mergesort"), np.cumsum(sizes)[:-1])
    parts = []
    for own, keep, take in zip(members, kept.tolist(), taken.tolist(), strict=True):
        parts.append(own[random.permutation(len(own))][keep : keep + take])
    return np.concatenate(parts)


def _shares(sizes: IntArray, count: int, random: np.random.RandomState) -> IntArray:
    """Distribute `count` draws in proportion to the sizes, by the largest remainder method.

    Ties are broken at random.
    """
    exact = sizes / sizes.sum() * count
    shares = np.floor(exact)
    left = int(count - shares.sum())
    for remainder in np.unique(exact - shares)[::-1]:
        if left == 0:
            break
        (equal,) = np.nonzero(exact - np.floor(exact) == remainder)
        add = min(len(equal), left)
        shares[random.choice(equal, size=add, replace=False)] += 1
        left -= add
    return np.asarray(shares, dtype=np.int64)
