"""Evaluation of execution configurations on held-out forks of the jmh-steady data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from evaluation._jmh_steady import ITERATION_SECONDS, joined, read_rows, read_series
from steady.harness.known_facts import until_an_operation_ends
from steady.model import FloatArray
from steady.stats.samples import IntArray

PRIOR, LATER = slice(0, 5), slice(5, 10)
FORKS = 5


@dataclass(frozen=True, eq=False)
class Subject:
    """One benchmark, with forks for planning and held-out forks.

    Parameters
    ----------
    name : str
        Name in the data.
    prior : ndarray, shape (5, iterations)
        Times of the forks for planning: 0 to 4, or 5 to 9 if the halves are exchanged.
    prior_seconds : ndarray, shape (5, iterations)
        Durations of their iterations.
    later, later_seconds : ndarray, shape (5, iterations)
        The same for the held-out forks.
    truth : float
        Mean of all steady measurements of the later forks.
    other_truth : float
        Mean of all steady measurements of the prior forks.
    """

    name: str
    prior: FloatArray
    prior_seconds: FloatArray
    later: FloatArray
    later_seconds: FloatArray
    truth: float
    other_truth: float

    @property
    def project(self) -> str:
        """The project that the benchmark belongs to."""
        return self.name.split("#")[0]

    def turned(self) -> Subject:
        """Return a copy with the halves exchanged: forks 5 to 9 for planning, 0 to 4 held out."""
        seen = (self.later, self.later_seconds)
        unseen = (self.prior, self.prior_seconds)
        return Subject(self.name, *seen, *unseen, self.other_truth, self.truth)

    def shortened(self, size: int, iterations: int) -> Subject:
        """Return its first `size * iterations` iterations, with every `size` merged into one."""

        def cut(values: FloatArray) -> FloatArray:
            return joined(values[:, : size * iterations], size)

        def added(seconds: FloatArray) -> FloatArray:
            parts = seconds[:, : size * iterations].reshape(len(seconds), iterations, size)
            return np.asarray(parts.sum(axis=2), dtype=np.float64)

        return Subject(
            self.name,
            cut(self.prior),
            added(self.prior_seconds),
            cut(self.later),
            added(self.later_seconds),
            self.truth,
            self.other_truth,
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of one configuration of one benchmark on the held-out forks.

    Parameters
    ----------
    deviation, other_deviation : float
        Relative deviation from either truth: mean over all choices of forks.
    seconds : float
        Seconds of warm-up and measurement of all its forks, without start-up.
    forks : int
        Forks.
    """

    deviation: float
    other_deviation: float
    seconds: float
    forks: int


def read_subjects(folder: Path) -> list[Subject]:
    """Read the benchmarks with a known truth: a steady fork, by CP-SSD, in either half."""
    return list(_subjects(folder))


def _subjects(folder: Path) -> Iterator[Subject]:
    starts = {
        (row["benchmark"], int(row["fork"])): int(row["cp_ssd_start"])
        for row in read_rows(folder, "cpssd")
    }
    for name, series in read_series(folder):
        own = [starts[name, fork] for fork in range(len(series))]
        truths = [_steady_mean(series[half], own[half]) for half in (PRIOR, LATER)]
        if None not in truths:
            seconds = until_an_operation_ends(ITERATION_SECONDS, series, 1)
            halves = (series[PRIOR], seconds[PRIOR], series[LATER], seconds[LATER])
            yield Subject(name, *halves, truths[1] or 0.0, truths[0] or 0.0)


def _steady_mean(forks: FloatArray, starts: Sequence[int]) -> float | None:
    """Return the mean of the steady measurements, after the last change point."""
    steady = [fork[start + 1 :] for fork, start in zip(forks, starts, strict=True) if start >= 0]
    return float(np.concatenate(steady).mean()) if steady else None


def outcome(subject: Subject, starts: IntArray, stops: IntArray, forks: int) -> Outcome:
    """Judge windows of the later forks.

    Parameters
    ----------
    subject : Subject
        The benchmark.
    starts, stops : ndarray of int, shape (5,)
        First measurement iteration of each fork, and the one after the last.
    forks : int
        Number of forks; the result is the mean over all choices of this number out of five.
    """
    windows = zip(subject.later, starts, stops, strict=True)
    results = np.array([fork[start:stop].mean() for fork, start, stop in windows])
    subsets = np.array(list(combinations(range(FORKS), forks)))
    means = results[subsets].mean(axis=1)
    pairs = zip(subject.later_seconds, stops, strict=True)
    seconds = np.mean([fork[:stop].sum() for fork, stop in pairs])
    return Outcome(
        float(np.abs(means / subject.truth - 1.0).mean()),
        float(np.abs(means / subject.other_truth - 1.0).mean()),
        float(seconds * forks),
        forks,
    )
