"""Pictures of all benchmarks: which forks the report has room for, and what is marked there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from steady.model import Benchmark, Identity, Suite
from steady.optimize.planner import data_digest
from steady.optimize.suite_plan import BenchmarkPlan, Plan
from steady.report.detector_starts import (
    MOST_ITERATIONS,
    NOBODY,
    Asked,
    DetectorStarts,
    asked,
    detector_of,
    every_detector,
    used_detector,
)
from steady.report.names import words_for
from steady.report.series_axes import SeriesAxes
from steady.report.side_picture import Side, draw_side, draw_spans
from steady.report.stability_map import StabilityMap, draw_map, stability_map
from steady.text.numbers import count, listed

MOST_POINTS_PER_FORK = 280
FEWEST_POINTS_PER_FORK = 40
MOST_POINTS = 72_000
"""Points of all lines of one report, about five bytes each. Benchmarks for which none are left
are drawn as what their forks span."""

MOST_CHARACTERS = 3_000_000
"""Of all pictures. Benchmarks for which none are left are not drawn, and counted."""

SERIES_LEGEND = (
    "Shaded: warm-up. Dashed frame and thick line below: the iterations that are measured. Arrows: "
    "values outside the axis."
)
"""What the signs in the lines of forks mean."""

DETECTOR_LEGEND = (
    "Marks below a full run: where a detector sees a fork become steady; the dot and bold type "
    "name the detector that the plan was made with."
)
"""What the signs in the lanes below them mean."""

MAP_LEGEND = (
    "The map tells how wide the 99 % interval of the median would be with fewer forks or "
    "iterations, in percent of the median; its frame is the plan."
)
"""What the signs in the map of stability mean."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One picture, and the sentence below it."""

    caption: str
    drawing: Markup


@dataclass(frozen=True, slots=True)
class BenchmarkPicture:
    """All that is drawn of one benchmark.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    summary : str
        What there is to see.
    figures : tuple of Figure
        The full run, base and head, as far as they are there, and the map.
    """

    identity: Identity
    summary: str
    figures: tuple[Figure, ...]

    @property
    def size(self) -> int:
        """Characters of its drawings."""
        return sum(len(figure.drawing) for figure in self.figures)


@dataclass(frozen=True, eq=False)
class Drawn:
    """The pictures of a report.

    Parameters
    ----------
    pictures : tuple of BenchmarkPicture
        The most important first.
    left : int
        Benchmarks whose forks were left out, because the page has no room for them.
    asked : Asked
        Which detectors were asked about which benchmarks, beside the one of the plan.
    """

    pictures: tuple[BenchmarkPicture, ...]
    left: int = 0
    asked: Asked = NOBODY

    @property
    def has_full(self) -> bool:
        """Whether the full run is drawn."""
        return any("full run" in picture.summary for picture in self.pictures)


@dataclass(frozen=True, eq=False)
class _Run:
    """The benchmarks of a suite that have forks; the plan where it was made from this suite."""

    kind: str
    benchmarks: Mapping[Identity, Benchmark]
    plan: Plan | None

    @classmethod
    def of(cls, kind: str, suite: Suite, plan: Plan | None) -> _Run:
        benchmarks = {b.identity: b for b in suite.benchmarks if b.forks.size}
        planned = plan is not None and data_digest(suite) == plan.data_digest
        return cls(kind, benchmarks, plan if planned else None)

    def entry(self, identity: Identity) -> BenchmarkPlan | None:
        """Return what the plan made of a benchmark of this run."""
        return None if self.plan is None else self.plan.get(identity)


def draw_forks(
    order: Iterable[Identity],
    sides: Sequence[tuple[str, Suite | None]],
    plan: Plan | None,
    *,
    detectors: bool = False,
    most_iterations: int = MOST_ITERATIONS,
    most_characters: int = MOST_CHARACTERS,
) -> Drawn:
    """Draw the forks of as many benchmarks as the report has room for.

    Parameters
    ----------
    order : iterable of Identity
        Benchmarks, the most important first.
    sides : sequence of (str, Suite or None)
        ``full``, ``base`` and ``head``, and their measurements.
    plan : Plan, optional
        Its steady states are marked in the suite that it was made from, told by its digest.
    detectors : bool
        Whether every detector's start is marked, too, as far as there is time.
    most_iterations : int
        How many iterations every detector looks at.
    most_characters : int
        Of all pictures.
    """
    runs = [_Run.of(kind, suite, plan) for kind, suite in sides if suite is not None]
    chosen = [identity for identity in order if any(identity in run.benchmarks for run in runs)]
    others = _asked(chosen, runs, most_iterations) if detectors else NOBODY
    forks = sum(len(b.forks) for identity in chosen for _, b in _present(identity, runs))
    most = MOST_POINTS // max(forks, 1)
    most = min(max(most, FEWEST_POINTS_PER_FORK), MOST_POINTS_PER_FORK)
    pictures: list[BenchmarkPicture] = []
    points = characters = 0
    for identity in chosen:
        points += most * sum(len(b.forks) for _, b in _present(identity, runs))
        fine = most if points <= MOST_POINTS else None
        picture = _draw(identity, runs, fine, others.names.get(identity))
        characters += picture.size
        if characters > most_characters:
            break
        pictures.append(picture)
    return Drawn(tuple(pictures), len(chosen) - len(pictures), others)


def _present(identity: Identity, runs: Sequence[_Run]) -> list[tuple[_Run, Benchmark]]:
    return [(run, run.benchmarks[identity]) for run in runs if identity in run.benchmarks]


def _asked(chosen: Iterable[Identity], runs: Sequence[_Run], most_iterations: int) -> Asked:
    """Choose the detectors that are asked about the run that the plan was made from."""
    plan = next((run.plan for run in runs if run.plan is not None), None)
    planned = [
        benchmark
        for identity in chosen
        for run, benchmark in _present(identity, runs)
        if run.entry(identity) is not None
    ]
    return NOBODY if plan is None else asked(planned, detector_of(plan), most_iterations)


def _draw(
    identity: Identity,
    runs: Sequence[_Run],
    most: int | None,
    others: Sequence[str] | None,
) -> BenchmarkPicture:
    sides = [_side(run, benchmark, others) for run, benchmark in _present(identity, runs)]
    drawn = _figures(sides, most) if most is not None else _spans(sides)
    figures = (*drawn, *_map(identity, runs))
    forks = [f"{count(len(side.table), 'fork')} of {_named(side)}" for side in sides]
    summary = words_for(identity)(listed(forks, len(forks)))
    return BenchmarkPicture(identity, summary, figures)


def _together(sides: Sequence[Side]) -> list[list[Side]]:
    """Gather the sides whose values share an axis: base and head."""
    full = [side for side in sides if side.kind == "full"]
    return [group for group in (full, [side for side in sides if side.kind != "full"]) if group]


def _figures(sides: Sequence[Side], most: int) -> Iterator[Figure]:
    """Draw each side, fork by fork."""
    for group in _together(sides):
        values = SeriesAxes.of([side.settled for side in group])
        for side in group:
            axes = SeriesAxes(side.table.shape[1], values.low, values.high)
            yield Figure(side.caption, draw_side(side, axes, most))


def _spans(sides: Sequence[Side]) -> Iterator[Figure]:
    """Draw what forks span, base and head in one picture."""
    for group in _together(sides):
        values = SeriesAxes.of([side.settled for side in group])
        length = max(side.table.shape[1] for side in group)
        axes = SeriesAxes(length, values.low, values.high)
        counted = "; ".join(side.counted for side in group)
        yield Figure(counted, draw_spans(group, axes))


def _named(side: Side) -> str:
    return "the full run" if side.kind == "full" else side.kind


def _side(run: _Run, benchmark: Benchmark, others: Sequence[str] | None) -> Side:
    entry, iterations = run.entry(benchmark.identity), benchmark.forks.shape[1]
    own = benchmark.warmup
    if entry is None:
        window = (own, iterations) if own < iterations else None
        return Side(run.kind, benchmark, own, window)
    return Side(
        run.kind,
        benchmark,
        max(entry.warmup, own),
        _window(entry, iterations),
        _starts(run, entry, benchmark, others),
        entry.odd_forks,
    )


def _window(entry: BenchmarkPlan, iterations: int) -> tuple[int, int] | None:
    """Return what the plan measures of a full run, if their iterations are of one length."""
    if entry.configuration.iteration_seconds != entry.full.iteration_seconds:
        return None
    last = min(entry.warmup + entry.iterations, iterations)
    return (entry.warmup, last) if entry.warmup < last else None


def _starts(
    run: _Run, entry: BenchmarkPlan, benchmark: Benchmark, others: Sequence[str] | None
) -> list[DetectorStarts]:
    used = used_detector(run.plan, entry) if run.plan is not None else []
    return used if not used or others is None else every_detector(used[0], benchmark, others)


def _map(identity: Identity, runs: Sequence[_Run]) -> Iterator[Figure]:
    for run in runs:
        entry = run.entry(identity)
        stability = None if entry is None else stability_map(run.benchmarks[identity], entry)
        if stability is not None:
            yield Figure(_map_caption(stability, entry), draw_map(stability))


def _map_caption(stability: StabilityMap, entry: BenchmarkPlan | None) -> str:
    caption = "Stability of smaller runs"
    if stability.chosen is not None or entry is None:
        return caption
    plan = f"{entry.forks:,} × {entry.iterations:,}"
    return f"{caption}; the plan, {plan}, is larger than the full run"
