"""Full runs of a library's benchmarks on a quiet machine, for cross-validation of plans.

Two interleaved runs of five forks each were recorded on one machine. A plan is made from one run
and judged on the other, and vice versa.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from steady.files import read_json, write_bytes
from steady.model import Benchmark, FloatArray, Identity, Suite
from steady.optimize import BenchmarkPlan, Plan, optimize
from steady.optimize.analysis import Progress
from steady.readers import load

HALVES = ("forks-1-5", "forks-6-10")
"""The names of the two runs."""

FACTS = "library.json"
PACKED = ".json.gz"


class About(Struct, frozen=True, forbid_unknown_fields=True):
    """The library, and the environment of the measurements.

    Parameters
    ----------
    name, version, commit, license : str
        The library.
    java, jmh : str
        Versions of Java and JMH.
    processor, clock : str
        Processor model and clock source of the machine, as reported by the kernel.
    started, ended : str
        Start of the first fork and end of the last one, in UTC.
    """

    name: str
    version: str
    commit: str
    license: str
    java: str
    jmh: str
    processor: str
    clock: str
    started: str
    ended: str


@dataclass(frozen=True)
class Library:
    """The recorded files; their README explains how they were made.

    Parameters
    ----------
    folder : Path
        Folder with the files.
    """

    folder: Path

    @property
    def packed(self) -> tuple[Path, Path]:
        """JMH's JSON of both runs."""
        first, second = (self.folder / f"{name}{PACKED}" for name in HALVES)
        return first, second

    @property
    def control(self) -> Path:
        """JMH's JSON of one benchmark before the first fork and after the last one."""
        return self.folder / f"control{PACKED}"

    @cached_property
    def about(self) -> About:
        """The recorded library."""
        path = self.folder / FACTS
        return read_json(path, About, what="the recorded library", remedy="record again")

    @cached_property
    def halves(self) -> tuple[Suite, Suite]:
        """The suites of both runs."""
        first, second = map(load, self.packed)
        return first, second

    def unpack(self, target: Path) -> tuple[Path, Path]:
        """Write JMH's JSON of both runs uncompressed, for use with all commands.

        Parameters
        ----------
        target : Path
            Output folder.
        """
        first, second = (
            write_bytes(target / path.stem, gzip.decompress(path.read_bytes()))
            for path in self.packed
        )
        return first, second


@dataclass(frozen=True, slots=True)
class Judged:
    """Errors of one planned benchmark's result on held-out forks.

    A result is the median over forks of the median of each fork's planned iterations. The errors
    are relative to the steady state of a run, which is computed in the same way from the second
    half of all iterations.

    Parameters
    ----------
    entry : BenchmarkPlan
        Plan of the benchmark.
    error : float
        Distance from the steady state of the run that the plan was made from, as a fraction. Users
        see this error when they compare the planned run with the full one.
    same_forks : float
        Distance from the steady state of the same forks: the error due to the short warm-up and the
        few iterations.
    full_run : float
        Distance between the steady states of both runs: the error of the full run, due to
        run-to-run variation.
    """

    entry: BenchmarkPlan
    error: float
    same_forks: float
    full_run: float


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Plans from both runs, each judged on the other run.

    Parameters
    ----------
    plans : tuple of Plan
        Plans from the first and the second run.
    judged : tuple of (tuple of Judged)
        Errors of these plans, in the order of the benchmarks.
    """

    plans: tuple[Plan, Plan]
    judged: tuple[tuple[Judged, ...], tuple[Judged, ...]]

    @classmethod
    def of(
        cls,
        halves: tuple[Suite, Suite],
        strategy: str = "error-budget",
        *,
        progress: Progress | None = None,
        **options: Any,
    ) -> HeldOut:
        """Plan from each run, and judge on the other.

        Parameters
        ----------
        halves : tuple of Suite
            Two runs of the same benchmarks.
        strategy, progress, **options
            As in `steady.optimize`.
        """
        one, other = (optimize(half, strategy, progress=progress, **options) for half in halves)
        ways = (judge(one, *halves), judge(other, *reversed(halves)))
        return cls((one, other), ways)

    def expected_error(self, identity: Identity) -> float:
        """Return the mean of both plans' expected errors; NaN if one is unknown."""
        errors = [plan[identity].expected_error for plan in self.plans]
        return float(np.mean([np.nan if error is None else error for error in errors]))

    def error(self, identity: Identity) -> float:
        """Return the mean of both plans' true errors."""
        return float(np.mean([one.error for one in self._of(identity)]))

    def full_run(self, identity: Identity) -> float:
        """Return the mean of both plans' `Judged.full_run`."""
        return float(np.mean([one.full_run for one in self._of(identity)]))

    def _of(self, identity: Identity) -> list[Judged]:
        return [one for way in self.judged for one in way if one.entry.identity == identity]


def judge(plan: Plan, seen: Suite, unseen: Suite) -> tuple[Judged, ...]:
    """Return the errors of the planned results on a held-out run.

    Parameters
    ----------
    plan : Plan
        Plan made from `seen`.
    seen, unseen : Suite
        Two runs of the same benchmarks, with warm-up included in the iterations.
    """
    return tuple(
        _judged(entry, seen[entry.identity], unseen[entry.identity]) for entry in plan.benchmarks
    )


def _judged(entry: BenchmarkPlan, seen: Benchmark, unseen: Benchmark) -> Judged:
    end = entry.warmup + entry.iterations
    result = level(unseen.fork_times[: entry.forks, entry.warmup : end])
    truth, own = (steady_level(one) for one in (seen, unseen))
    errors = (abs(one - 1.0) for one in (result / truth, result / own, own / truth))
    return Judged(entry, *errors)


def steady_level(benchmark: Benchmark) -> float:
    """Return the level of the second half of all iterations, in the benchmark's unit of time."""
    times = benchmark.fork_times
    return level(times[:, times.shape[1] // 2 :])


def level(times: FloatArray) -> float:
    """Return the median over forks of the medians of their iterations."""
    return float(np.median(np.median(times, axis=1)))


def distances(halves: Sequence[Suite]) -> dict[Identity, FloatArray]:
    """Return the distances between the forks of each benchmark.

    Returns
    -------
    dict of Identity to ndarray, shape (forks,)
        The relative distance of each fork's steady level from the median of all forks' levels; a
        steady level is the median of the second half of a fork's iterations.
    """
    found = {}
    for identity in halves[0]:
        times = np.concatenate([half[identity].fork_times for half in halves])
        levels = np.median(times[:, times.shape[1] // 2 :], axis=1)
        found[identity] = np.abs(levels / np.median(levels) - 1.0)
    return found
