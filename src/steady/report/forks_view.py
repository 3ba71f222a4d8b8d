"""Every fork drawn: which series the report shows, and what is marked in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from steady.model import Benchmark, FloatArray, Identity, Suite
from steady.optimize.plan import Plan
from steady.optimize.planner import data_digest
from steady.report.drawing import SeriesAxes
from steady.report.scaling import readable_unit
from steady.text.numbers import value

MOST_POINTS_PER_FORK = 200
FEWEST_POINTS_PER_FORK = 40
MOST_POINTS = 300_000
"""Points of all series of one report, about seven bytes each."""


@dataclass(frozen=True, slots=True)
class ForkPicture:
    """One fork.

    Parameters
    ----------
    title : str
        ``base 1``: the side and the fork, counted from 1.
    kind : str
        ``full``, ``base`` or ``head``.
    points : str
        SVG list of points.
    warmup : float, optional
        Where the warm-up that the harness ran ends.
    start : float, optional
        Where the steady state begins.
    remark : str
        ``never steady``, ``stands apart``, or nothing.
    """

    title: str
    kind: str
    points: str
    warmup: float | None = None
    start: float | None = None
    remark: str = ""


@dataclass(frozen=True, slots=True)
class BenchmarkPicture:
    """All forks of one benchmark on the same axes.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    low, high : str
        Values at the edges, the upper one with its unit.
    sides : tuple of tuple of ForkPicture
        The forks of the full run, of base, and of head, as far as they are there.
    """

    identity: Identity
    low: str
    high: str
    sides: tuple[tuple[ForkPicture, ...], ...]


@dataclass(frozen=True, slots=True)
class _Side:
    """The benchmarks of a suite that have forks; the plan where it was made from this suite."""

    kind: str
    benchmarks: Mapping[Identity, Benchmark]
    plan: Plan | None


def draw_forks(
    order: Iterable[Identity], sides: Sequence[tuple[str, Suite | None]], plan: Plan | None
) -> tuple[list[BenchmarkPicture], int]:
    """Draw the forks of as many benchmarks as the report has room for.

    Parameters
    ----------
    order : iterable of Identity
        Benchmarks, the most important first.
    sides : sequence of (str, Suite or None)
        Names and measurements.
    plan : Plan, optional
        Its steady states are marked in the suite that it was made from, told by its digest.

    Returns
    -------
    pictures : list of BenchmarkPicture
        In that order; benchmarks without any fork are left out.
    left : int
        How many benchmarks with forks there was no room for.
    """
    known = [_side(kind, suite, plan) for kind, suite in sides if suite is not None]
    drawn = [identity for identity in order if any(identity in s.benchmarks for s in known)]
    forks = [sum(len(b.forks) for _, b in _present(identity, known)) for identity in drawn]
    most = MOST_POINTS // max(sum(forks), 1)
    most = min(max(most, FEWEST_POINTS_PER_FORK), MOST_POINTS_PER_FORK)
    room = int(np.searchsorted(np.cumsum(forks), MOST_POINTS // most, side="right"))
    pictures = [_draw(identity, known, most) for identity in drawn[:room]]
    return pictures, len(drawn) - room


def _side(kind: str, suite: Suite, plan: Plan | None) -> _Side:
    benchmarks = {b.identity: b for b in suite.benchmarks if b.forks.size}
    planned = plan is not None and data_digest(suite) == plan.data_digest
    return _Side(kind, benchmarks, plan if planned else None)


def _present(identity: Identity, sides: Sequence[_Side]) -> list[tuple[_Side, Benchmark]]:
    return [(side, side.benchmarks[identity]) for side in sides if identity in side.benchmarks]


def _draw(identity: Identity, sides: Sequence[_Side], most: int) -> BenchmarkPicture:
    present = _present(identity, sides)
    axes = SeriesAxes.of([benchmark.forks for _, benchmark in present])
    pictures = tuple(tuple(_forks(benchmark, side, axes, most)) for side, benchmark in present)
    factor, unit = readable_unit(present[0][1].unit, axes.high)
    low, high = value(factor * axes.low), f"{value(factor * axes.high)} {unit}"
    return BenchmarkPicture(identity, low, high, pictures)


def _forks(benchmark: Benchmark, side: _Side, axes: SeriesAxes, most: int) -> Iterator[ForkPicture]:
    plan = side.plan
    entry = plan[benchmark.identity] if plan and benchmark.identity in plan else None
    starts = entry.starts if entry else ()
    odd = entry.odd_forks if entry else ()
    series: FloatArray
    for index, series in enumerate(benchmark.forks):
        known = index < len(starts)
        start = starts[index] if known else None
        remarks = ["never steady"] if known and start is None else []
        remarks += ["stands apart"] if index in odd else []
        yield ForkPicture(
            title=f"{side.kind} {index + 1}",
            kind=side.kind,
            points=axes.points(series, most),
            warmup=axes.x(benchmark.warmup) if benchmark.warmup else None,
            start=None if start is None else axes.x(start),
            remark=", ".join(remarks),
        )
