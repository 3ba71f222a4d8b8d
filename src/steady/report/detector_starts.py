"""Where every detector of the steady state sees the forks of a full run become steady."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from steady.errors import InputError
from steady.model import Benchmark, FloatArray, Identity
from steady.optimize.plan import BenchmarkPlan, Plan
from steady.steadystate import METHODS, detect

MOST_ITERATIONS = 4_000
"""Iterations that every detector looks at in one report: all of them together take a hundred
times as long as the one that the plan uses."""


@dataclass(frozen=True, slots=True)
class DetectorStarts:
    """What one detector says of all forks of a benchmark.

    Parameters
    ----------
    detector : str
        Its registered name.
    starts : tuple of int or None
        Per fork, the first steady iteration; None: never steady.
    used : bool
        Whether the plan was made with it.
    """

    detector: str
    starts: tuple[int | None, ...]
    used: bool

    @property
    def never(self) -> int:
        """Forks that never become steady."""
        return self.starts.count(None)


def used_detector(plan: Plan, entry: BenchmarkPlan) -> list[DetectorStarts]:
    """Return what the plan says of a benchmark; empty if it says nothing."""
    name = plan.options.get("detector")
    if not entry.starts:
        return []
    return [DetectorStarts(name if isinstance(name, str) else "the plan", entry.starts, True)]


def every_detector(used: DetectorStarts, benchmark: Benchmark) -> list[DetectorStarts]:
    """Return what all detectors say of a benchmark, in the order of their registration.

    A detector that is registered under two names is asked once.
    """
    known: dict[object, str] = {}
    for entry in METHODS.values():
        known.setdefault(entry.value, entry.name)
    names = [used.detector] if used.detector not in known.values() else []
    series = benchmark.fork_times
    return [
        used
        if name == used.detector
        else DetectorStarts(name, tuple(_start(fork, name) for fork in series), False)
        for name in (*names, *known.values())
    ]


def with_room(benchmarks: Iterable[Benchmark], most: int) -> Iterator[Identity]:
    """Choose the benchmarks that every detector looks at: the first ones of `most` iterations."""
    iterations = 0
    for benchmark in benchmarks:
        iterations += benchmark.forks.size
        if iterations > most:
            return
        yield benchmark.identity


def _start(fork: FloatArray, method: str) -> int | None:
    try:
        return detect(fork, method).start
    except InputError:  # the series holds what this detector cannot judge
        return None
