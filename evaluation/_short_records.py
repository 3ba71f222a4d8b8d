"""Short records of the labelled jmh-steady series, and the detectors' results on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evaluation._jmh_steady import ITERATION_SECONDS, joined, read_rows, read_series
from evaluation.train_recommended import CrossValidation, read_labelled
from steady.model import FloatArray
from steady.papers.onset import best_part, has_no_warmup, middle_of, onset, start_distribution
from steady.papers.onset_features import part_features, series_features
from steady.steadystate import BY_LENGTH, METHODS, detect

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

LEFT = 5
"""Minimum number of iterations after the start for a series to count as steady within a record: the
number that a plan measures."""

LEARNED = ("fcn", "oscnn", "rocket")
"""Stoppers that were trained on these forks, and need 100 iterations of 0.1 s."""

ONSET = "onset, fit to the other projects"


@dataclass(frozen=True, slots=True)
class Record:
    """The first iterations of a series, with `size` iterations of 0.1 s merged into one."""

    iterations: int
    size: int

    @property
    def title(self) -> str:
        """The record in words."""
        return f"{self.iterations} of {self.size * ITERATION_SECONDS:g} s"

    def of(self, values: FloatArray) -> FloatArray:
        """Return the record of series of 3000 iterations, in the last axis."""
        return joined(values[..., : self.size * self.iterations], self.size)

    def labels(self, starts: IntArray) -> IntArray:
        """Return labelled starts in iterations of the record, or its length if not steady.

        Parameters
        ----------
        starts : ndarray of int64
            In iterations of 0.1 s; -1: not steady.
        """
        own = -(-starts // self.size)
        within = (starts >= 0) & (own <= self.iterations - LEFT)
        return np.where(within, own, self.iterations)


RECORDS = (
    *(Record(iterations, 1) for iterations in (20, 30, 60, 150, 300, 600)),
    *(Record(iterations, 10) for iterations in (20, 30, 60, 150, 300)),
)


@dataclass(frozen=True, eq=False)
class Labelled:
    """The benchmarks with open labels.

    Parameters
    ----------
    names : tuple of str
        Benchmarks.
    projects : ndarray of str
        Their projects.
    starts : ndarray of int64
        Labelled start of fork 0, in iterations of 0.1 s; -1: not steady.
    forks : tuple of ndarray
        The ten forks of each, 3000 iterations.
    people : CrossValidation
        Fits of `onset` to all projects but one.
    """

    names: tuple[str, ...]
    projects: npt.NDArray[np.str_]
    starts: IntArray
    forks: tuple[FloatArray, ...]
    people: CrossValidation

    def by_others(self, index: int, series: FloatArray, *, everywhere: bool = False) -> int | None:
        """Return the start detected by `onset` when fitted to the other projects.

        With `everywhere`, unsteady series have a start too.
        """
        if np.min(series) == np.max(series):
            return 0
        whole, project = series_features(series), str(self.projects[index])
        if not everywhere and not self.people.calls_steady(project, series):
            return None
        if has_no_warmup(whole):
            return 0
        evidence = part_features(series, whole)
        distribution = start_distribution(self.people.trees[project], evidence)
        return middle_of(best_part(distribution), len(series))

    def found_in(self, index: int, series: FloatArray, method: str) -> int | None:
        """Return a detector's result for a series of one benchmark."""
        if method == ONSET:
            return self.by_others(index, series)
        return detect(series, method).start


def read(folder: Path) -> Labelled:
    """Read the benchmarks with open labels; `folder` is that of the jmh-steady data."""
    labels = {row["benchmark"]: row for row in read_rows(folder, "labels")}
    found = [
        (name, labels[name], forks)
        for name, forks in read_series(folder)
        if labels[name]["split"] == "open"
    ]
    names, rows, forks = zip(*found, strict=True)
    starts = [int(row["jagt_start"]) if row["steady"] == "1" else -1 for row in rows]
    projects = np.array([row["project"] for row in rows])
    return Labelled(
        names, projects, np.array(starts), forks, CrossValidation(read_labelled(folder))
    )


def methods() -> Sequence[str]:
    """Return the distinct registered detectors, and the cross-validated `onset`."""
    left_out = (BY_LENGTH, *LEARNED)
    own = [name for name in METHODS if METHODS[name].value is not onset and name not in left_out]
    return [*own, ONSET]


def found_by_all(data: Labelled, record: Record) -> Mapping[str, IntArray]:
    """Return the start detected in fork 0 by each detector, or the record's length if none."""
    return {
        method: np.array(list(_starts(data, record, method)), dtype=np.int64)
        for method in methods()
    }


def _starts(data: Labelled, record: Record, method: str) -> Iterator[int]:
    for index, forks in enumerate(data.forks):
        start = data.found_in(index, record.of(forks[0]), method)
        yield record.iterations if start is None else start


def crossed(labels: IntArray, projects: npt.NDArray[np.str_], which: BoolArray) -> IntArray:
    """Return for each series the median label of the other projects' series in `which`.

    The median is the constant with the least sum of distances.
    """
    constants = np.zeros_like(labels)
    for project in np.unique(projects):
        own = projects == project
        others = labels[~own & which]
        constants[own] = int(np.median(others)) if len(others) else 0
    return constants


DRAWS = 2000


def share_better(
    distance: npt.NDArray[np.float64] | IntArray,
    constant: npt.NDArray[np.float64] | IntArray,
    projects: npt.NDArray[np.str_],
) -> float:
    """Return the fraction of bootstrap samples in which the mean of `distance` is smaller."""
    _, own = np.unique(projects, return_inverse=True)
    gains = np.bincount(own, constant - distance)
    draws = np.random.default_rng(0).integers(0, len(gains), (DRAWS, len(gains)))
    return float(np.mean(gains[draws].sum(axis=1) > 0))
