"""Pictures of the benchmarks' forks in a report of limited size, with marks from the plan."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from steady.model import Benchmark, Identity, Suite
from steady.optimize.entries import measured_from
from steady.optimize.planner import data_digest
from steady.plan.suite_plan import BenchmarkPlan, Plan
from steady.report.fork_marks import ForkMarks, detector_of
from steady.report.names import words_for
from steady.report.side_picture import SeriesAxes, Side, draw_side
from steady.text.numbers import count

MOST_POINTS_PER_FORK = 280
FEWEST_POINTS_PER_FORK = 40
POINTS = 72_000
"""Maximum points of all lines in a report, about five bytes each, unless lines get too few."""

MOST_CHARACTERS = 3_000_000
"""Maximum characters of all pictures. Benchmarks beyond it are not drawn, but counted."""

SERIES_LEGEND = (
    "Shaded: warm-up. Dashed frame and thick line below: measured iterations. Arrows: values "
    "outside the axis."
)
"""Legend of the fork lines."""

MARKS_LEGEND = (
    "Full run: the shade is darker if more forks are in their warm-up. Each fork has a lane below: "
    "a bar for its warm-up, and a line at its end by the plan's detector. A bar over the whole "
    "lane, in another color: never steady. Red line and triangle: odd fork. Long series: smallest "
    "and largest value of each section."
)
"""Legend of a full run."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture and its caption."""

    caption: str
    drawing: Markup


@dataclass(frozen=True, slots=True)
class BenchmarkPicture:
    """The pictures of one benchmark.

    Parameters
    ----------
    identity : Identity
        The benchmark.
    summary : str
        Summary of the pictures.
    figures : tuple of Figure
        Pictures of the full run, base and head, if available.
    """

    identity: Identity
    summary: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True, eq=False)
class Drawn:
    """The pictures of a report.

    Parameters
    ----------
    pictures : tuple of BenchmarkPicture
        Pictures of the benchmarks, most important first.
    left : int
        Number of benchmarks omitted because they do not fit on the page.
    """

    pictures: tuple[BenchmarkPicture, ...]
    left: int


def draw_forks(
    order: Iterable[Identity],
    runs: Sequence[tuple[str, Suite | None]],
    plan: Plan | None,
    *,
    most_characters: int = MOST_CHARACTERS,
) -> Drawn:
    """Draw the forks of as many benchmarks as fit into the report.

    Parameters
    ----------
    order : iterable of Identity
        Benchmarks, most important first.
    runs : sequence of (str, Suite or None)
        ``full``, ``base`` and ``head``, and their measurements.
    plan : Plan, optional
        Plan whose measured part is framed in the suite from which it was made, recognized by its
        digest.
    most_characters : int
        Maximum number of characters of all pictures.
    """
    sides: defaultdict[Identity, list[Side]] = defaultdict(list)
    for kind, suite in runs:
        if suite is not None:
            planned = plan is not None and data_digest(suite) == plan.data_digest
            for benchmark in suite.benchmarks:
                if benchmark.forks.size:
                    side = _side(kind, benchmark, plan if planned else None)
                    sides[benchmark.identity].append(side)
    chosen = [identity for identity in order if identity in sides]
    forks = {identity: sum(len(side.table) for side in sides[identity]) for identity in chosen}
    most = points_of_each(sum(forks.values()))
    pictures: list[BenchmarkPicture] = []
    characters = 0
    for identity in chosen:
        picture = _picture(identity, sides[identity], most)
        characters += sum(len(figure.drawing) for figure in picture.figures)
        if characters > most_characters:
            break
        pictures.append(picture)
    return Drawn(tuple(pictures), len(chosen) - len(pictures))


def points_of_each(forks: int) -> int:
    """Return the number of points of each line for a number of forks."""
    return min(max(POINTS // max(forks, 1), FEWEST_POINTS_PER_FORK), MOST_POINTS_PER_FORK)


def _picture(identity: Identity, sides: Sequence[Side], most: int) -> BenchmarkPicture:
    forks = (f"{count(len(side.table), 'fork')} of {side.kind}" for side in sides)
    summary = words_for(identity)(", ".join(forks)).replace("of full", "of the full run")
    return BenchmarkPicture(identity, summary, tuple(_figures(sides, most)))


def _figures(sides: Sequence[Side], most: int) -> Iterator[Figure]:
    """Draw the forks of each side. Base and head share the value axis."""
    full = [side for side in sides if side.kind == "full"]
    for group in filter(None, (full, [side for side in sides if side.kind != "full"])):
        axes = SeriesAxes.of([side.settled for side in group])
        for side in group:
            own = replace(axes, length=side.table.shape[1])
            yield Figure(side.caption, draw_side(side, own, most))


def _side(kind: str, benchmark: Benchmark, plan: Plan | None) -> Side:
    """Return a side, with marks if the plan was made from this run."""
    entry = None if plan is None else plan.get(benchmark.identity)
    if plan is None or entry is None:
        own, iterations = benchmark.warmup, benchmark.forks.shape[1]
        return Side(kind, benchmark, own, (own, iterations) if own < iterations else None)
    return full_side(benchmark, entry, detector_of(entry, plan.options))


def full_side(
    benchmark: Benchmark,
    entry: BenchmarkPlan,
    detector: str,
    recommended: tuple[int | None, ...] = (),
) -> Side:
    """Return a full run with marks from its plan.

    Parameters
    ----------
    benchmark : Benchmark
        The full run.
    entry : BenchmarkPlan
        The entry of the plan made from it.
    detector : str
        Detector of the plan's starts.
    recommended : tuple of int or None
        Starts from the recommended detector, if known.
    """
    forks, marks = len(benchmark.forks), None
    if len(entry.starts) == forks:
        odd = tuple(fork for fork in entry.odd_forks if fork < forks)
        marks = ForkMarks(detector, entry.starts, recommended, odd)
    warmup = max(measured_from(entry, benchmark), benchmark.warmup)
    return Side("full", benchmark, warmup, planned_window(entry, benchmark), marks)


def planned_window(entry: BenchmarkPlan, benchmark: Benchmark) -> tuple[int, int] | None:
    """Return the window of a full run that the plan measures, if iteration lengths are equal."""
    if entry.configuration.iteration_seconds != entry.full.iteration_seconds:
        return None
    start = measured_from(entry, benchmark)
    last = min(start + entry.iterations, benchmark.forks.shape[1])
    return (start, last) if start < last else None
