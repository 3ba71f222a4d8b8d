"""Pictures of a plan: the full run of a benchmark, its warm-up, and the stability of smaller runs.

The pictures of different benchmarks are independent, so they are drawn in parallel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from steady.errors import InputError
from steady.model import Benchmark, Identity, Suite
from steady.optimize.entries import measured_from
from steady.parallel import workers
from steady.plan.suite_plan import BenchmarkPlan, Plan
from steady.report.fork_marks import RECOMMENDED, detector_of
from steady.report.fork_pictures import (
    FEWEST_POINTS_PER_FORK,
    Figure,
    full_side,
    points_of_each,
)
from steady.report.names import words_for
from steady.report.side_picture import SeriesAxes, Side, draw_side
from steady.report.stability_map import StabilityMap, draw_map, error_map, metric_map
from steady.stats.samples import Bootstrap
from steady.steadystate import METHODS, detect

Starts = tuple[int | None, ...]

_BAND = ". Band: range of the forks, without odd ones"

_LEAST = 3_000
"""Approximate minimum number of characters of a picture; no more are started than could fit."""


@dataclass(frozen=True, slots=True)
class PlanPicture:
    """The pictures of one benchmark, and its warm-up by the recommended detector.

    Parameters
    ----------
    figures : tuple of Figure
        Picture of the forks, and the stability map if there is one.
    recommended : tuple of int or None
        Starts from the recommended detector; empty if they are not drawn.
    """

    figures: tuple[Figure, ...]
    recommended: Starts

    @property
    def size(self) -> int:
        """Number of characters of the figures."""
        return sum(len(figure.drawing) for figure in self.figures)


def draw_plan(
    plan: Plan,
    suite: Suite,
    order: Sequence[BenchmarkPlan],
    *,
    most_characters: int,
    jobs: int | None,
) -> dict[Identity, PlanPicture]:
    """Draw as many benchmarks as fit on the page.

    Parameters
    ----------
    plan : Plan
        The plan.
    suite : Suite
        The full run from which the plan was made.
    order : sequence of BenchmarkPlan
        Entries of the plan, most important first.
    most_characters : int
        Maximum number of characters of all figures.
    jobs : int, optional
        Number of processes; None for one per processor.

    Returns
    -------
    dict of Identity to PlanPicture
        Pictures in the order of `order`, up to the first that does not fit.
    """
    known = [
        (suite[entry.identity], entry)
        for entry in order
        if entry.identity in suite and suite[entry.identity].forks.size
    ]
    fitting = known[: most_characters // _LEAST]
    most = points_of_each(sum(len(benchmark.forks) for benchmark, _ in fitting))
    drawn: dict[Identity, PlanPicture] = {}
    left = most_characters
    with workers(jobs) as processes:
        work = partial(_picture, plan.strategy, dict(plan.options), most)
        pictures = processes.map(work, fitting)
        for (benchmark, _), picture in zip(fitting, pictures, strict=True):
            left -= picture.size
            if left >= 0:
                drawn[benchmark.identity] = picture
    return drawn


def is_recommended(name: str) -> bool:
    """Return whether a detector is the recommended one, under any of its names."""
    return name in METHODS and METHODS[name].held == METHODS[RECOMMENDED].held


def _picture(
    strategy: str,
    options: Mapping[str, Any],
    most: int,
    work: tuple[Benchmark, BenchmarkPlan],
) -> PlanPicture:
    """Draw one benchmark."""
    benchmark, entry = work
    recommended: Starts = ()
    detector = detector_of(entry, options)
    if entry.starts and not is_recommended(detector):
        recommended = recommended_starts(benchmark)
    side = full_side(benchmark, entry, detector, recommended)
    axes = replace(SeriesAxes.of([side.settled]), length=side.table.shape[1])
    banded = most == FEWEST_POINTS_PER_FORK
    drawing = draw_side(side, axes, most, banded=banded)
    figures = [Figure(f"{side.caption}{_BAND if banded else ''}", drawing)]
    beginning = None if banded else beginning_of(side)
    if beginning is not None:
        drawing = draw_side(beginning, SeriesAxes.of([beginning.table]), most)
        iterations = f"iterations 1 to {beginning.table.shape[1]:,}"
        figures.append(Figure(f"The beginning of the same forks, {iterations}", drawing))
    stability = stability_of(strategy, options, benchmark, entry)
    if stability is not None:
        caption = words_for(benchmark.identity)(stability.caption)
        figures.append(Figure(caption, draw_map(stability)))
    return PlanPicture(tuple(figures), recommended)


def beginning_of(side: Side) -> Side | None:
    """Return the first iterations of a full run, twice as many as its last mark requires.

    Returns
    -------
    Side or None
        None if that is the whole run, or if there are no marks.
    """
    marks = side.marks
    if marks is None:
        return None
    ends = (*marks.starts, *marks.recommended, *(side.window or ()))
    last = 2 * max((end for end in ends if end is not None), default=0)
    if not 0 < last < side.table.shape[1]:
        return None
    cut = side.benchmark.measurements[..., :last]
    warmup = min(side.benchmark.warmup, last)
    return replace(side, benchmark=side.benchmark.with_measurements(cut, warmup=warmup))


def recommended_starts(benchmark: Benchmark) -> Starts:
    """Return the starts from the recommended detector; empty if a fork is too short for it."""
    try:
        return tuple(detect(fork, RECOMMENDED).start for fork in benchmark.fork_times)
    except InputError:
        return ()


def stability_of(
    strategy: str, options: Mapping[str, Any], benchmark: Benchmark, entry: BenchmarkPlan
) -> StabilityMap | None:
    """Return the map of the strategy's criterion, or else of the predicted error.

    ``uoptime`` has a metric and a threshold. ``error-budget`` has the predicted error and a budget,
    unless it has a time budget. ``detect`` uses differences between two versions, which a single
    run does not contain, so its map shows the predicted error without a threshold.
    """
    series = benchmark.fork_times
    chosen = measured_from(entry, benchmark), entry.iterations, entry.forks
    try:
        if strategy == "uoptime":
            bootstrap = Bootstrap(options["confidence"], options["resamples"], options["seed"])
            metric, threshold = options["metric"], options["threshold"]
            return metric_map(series, chosen, threshold, metric, bootstrap)
        budget = options.get("budget") if options.get("time_budget") is None else None
        return error_map(series, chosen, budget if strategy == "error-budget" else None)
    except (InputError, KeyError, TypeError):  # a plan from a file may lack an option
        return None


def unshown(plan: Plan, suite: Suite, drawn: Mapping[Identity, PlanPicture]) -> Iterator[str]:
    """Return a sentence with the number of benchmarks without a picture, and the reason."""
    missing = [entry.identity for entry in plan.benchmarks if entry.identity not in drawn]
    absent = sum(one not in suite or not suite[one].forks.size for one in missing)
    if absent:
        yield f"{absent:,} without a picture: their full run is not among these results"
    if len(missing) > absent:
        yield f"{len(missing) - absent:,} without a picture: the page would be too large"
