"""The map that tells how stable a benchmark would be with fewer forks or iterations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from steady.model import Benchmark, FloatArray
from steady.optimize.suite_plan import BenchmarkPlan
from steady.report.svg import element, number, together
from steady.stats.configurations import stability_of_configurations
from steady.text.numbers import NO_BREAK

METRIC = "rciw3"
"""Width of the interval of the median, as a share of the median."""

MAP_WIDTH = 360

_MOST_FORKS, _MOST_ITERATIONS = 6, 8  # rows and columns
_LEFT, _ROW, _TOP = 44, 20, 18
_SHADES = (0.01, 0.03, 0.1, 0.3)  # upper limits of the metric, one shade darker each


@dataclass(frozen=True, eq=False)
class StabilityMap:
    """The stability metric of smaller configurations.

    Parameters
    ----------
    forks, iterations : tuple of int
        What its rows and columns stand for.
    values : ndarray of float64, shape (forks, iterations)
        As a fraction; infinite where there are too few values.
    chosen : tuple of (int, int), optional
        Forks and iterations of the plan, where they are a row and a column.
    """

    forks: tuple[int, ...]
    iterations: tuple[int, ...]
    values: FloatArray
    chosen: tuple[int, int] | None


def stability_map(benchmark: Benchmark, entry: BenchmarkPlan) -> StabilityMap | None:
    """Measure what the first forks and iterations after the plan's warm-up are worth.

    Returns
    -------
    StabilityMap or None
        None where too little is left after the warm-up, or a value is not a finite number.
    """
    series = benchmark.forks[:, entry.warmup :]
    series = series[:, np.isfinite(series).all(axis=0)]
    rows, columns = series.shape
    if columns < 2 or rows < 1 or not np.isfinite(series).all():
        return None
    forks = counts(rows, entry.forks, _MOST_FORKS)
    iterations = counts(columns, entry.iterations, _MOST_ITERATIONS)
    grid = [(f, i) for f in forks for i in iterations]
    values = stability_of_configurations(series, grid, (METRIC,))[METRIC]
    chosen = (entry.forks, entry.iterations)
    known = chosen[0] in forks and chosen[1] in iterations
    table = np.asarray(values).reshape(len(forks), len(iterations))
    return StabilityMap(forks, iterations, table, chosen if known else None)


def counts(most: int, chosen: int, wanted: int) -> tuple[int, ...]:
    """Return up to `wanted` numbers from 1 to `most`, evenly by their ratio, with the chosen one.

    >>> counts(60, 5, 6)
    (1, 2, 5, 12, 26, 60)
    """
    if most <= wanted:
        return tuple(range(1, most + 1))
    steps = np.geomspace(1, most, wanted)
    known = set(np.round(steps).astype(int).tolist())
    if chosen <= most and chosen not in known:
        known.discard(min(known - {1, most} or {0}, key=lambda n: abs(np.log(max(n, 1) / chosen))))
        known.add(chosen)
    return tuple(sorted(known))


def draw_map(stability: StabilityMap) -> Markup:
    """Draw the map: a row for each number of forks, from few to many, and the chosen point."""
    rows, columns = stability.values.shape
    width = (MAP_WIDTH - _LEFT) / columns
    height = _TOP + rows * _ROW + 16
    shades: dict[int, str] = {}
    texts = []
    for (row, column), value in np.ndenumerate(stability.values):
        x, y = _LEFT + column * width, _TOP + row * _ROW
        cell = f"M{number(x)} {number(y)}h{number(width)}v{_ROW}h{number(-width)}z"
        shades[_shade(value)] = shades.get(_shade(value), "") + cell
        texts.append(_text(_written(float(value)), x + width / 2, y + 14))
    cells = [
        element("path", class_=f"shade shade-{shade}", d=path)
        for shade, path in sorted(shades.items())
    ]
    label = "stability by forks and iterations"
    return element(
        "svg",
        *cells,
        element("g", *texts, class_="values"),
        _chosen(stability, width),
        _labels(stability, width),
        class_="map",
        viewBox=f"0 0 {MAP_WIDTH} {height}",
        role="img",
        aria_label=f"{label}, {_summary(stability)}" if stability.chosen else label,
    )


def _summary(stability: StabilityMap) -> str:
    if stability.chosen is None:
        return ""
    forks, iterations = stability.chosen
    value = _at(stability)
    return f"{forks} × {iterations}, as planned: {_written(value)}{NO_BREAK}%"


def _at(stability: StabilityMap) -> float:
    forks, iterations = stability.chosen or (0, 0)
    row, column = stability.forks.index(forks), stability.iterations.index(iterations)
    return float(stability.values[row, column])


def _chosen(stability: StabilityMap, width: float) -> Markup:
    """Draw a frame around the configuration of the plan."""
    if stability.chosen is None:
        return Markup("")
    column = stability.iterations.index(stability.chosen[1])
    row = stability.forks.index(stability.chosen[0])
    frame = element(
        "rect",
        element("title", f"the plan: {_summary(stability)}"),
        class_="chosen",
        x=_LEFT + column * width + 1,
        y=_TOP + row * _ROW + 1.0,
        width=width - 2,
        height=_ROW - 2.0,
    )
    return together([frame])


def _labels(stability: StabilityMap, width: float) -> Markup:
    across = [
        _text(str(count), _LEFT + (column + 0.5) * width, _TOP - 5)
        for column, count in enumerate(stability.iterations)
    ]
    down = [
        element("text", str(count), x=_LEFT - 6.0, y=_TOP + row * _ROW + 14.0, text_anchor="end")
        for row, count in enumerate(stability.forks)
    ]
    bottom = _TOP + len(stability.forks) * _ROW + 12
    title = element(
        "text",
        "rows: forks; columns: iterations; values in %",
        x=float(MAP_WIDTH),
        y=float(bottom),
        text_anchor="end",
    )
    return element("g", *across, *down, title, class_="labels")


def _text(text: str, x: float, y: float) -> Markup:
    return element("text", text, x=x, y=y, text_anchor="middle")


def _shade(value: float) -> int:
    """Return the shade of a value: 0 is the least stable."""
    return sum(value <= limit for limit in _SHADES)


def _written(value: float) -> str:
    if not np.isfinite(value):
        return "–"
    return f"{100 * value:.2g}" if value < 0.095 else f"{100 * value:.0f}"
