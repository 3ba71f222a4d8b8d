"""The stability of smaller runs of a benchmark, by forks and iterations, and by warm-up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from markupsafe import Markup

from steady.model import FloatArray
from steady.optimize.error_model import predicted_errors
from steady.optimize.warm_up import shortest_fork
from steady.report.markup import element, number
from steady.stats.configurations import stability_of_configurations
from steady.stats.samples import Bootstrap
from steady.text.numbers import NO_BREAK, share

MAP_WIDTH = 364

_MOST_FORKS, _MOST_ITERATIONS, _MOST_WARMUPS = 5, 7, 7  # rows and columns
_LEFT, _ROW, _TOP, _GAP = 52, 17, 16, 22
_SHADES = (0.5, 1.0, 2.0, 4.0)  # upper limits as multiples of the threshold, in ascending order
_USUAL = 0.03  # used in place of the threshold if a strategy has none
_MOST_VALUES = 1_000
"""Maximum values in a configuration of a metric's map, unless four times the plan's are more;
larger ones would take seconds for some metrics."""

Configuration = tuple[int, int, int]
"""Warm-up, iterations and forks; the warm-up in recorded iterations."""


@dataclass(frozen=True, eq=False)
class StabilityMap:
    """Map of a stability measure over smaller runs.

    Parameters
    ----------
    measure : str
                Name of the measure.
    threshold : float, optional
        Largest acceptable value; None if the strategy has none.
    chosen : tuple of int
        Warm-up, iterations and forks of the plan.
    forks, iterations : tuple of int
        Numbers of forks and iterations of the rows and columns of `values`.
    values : ndarray of float64, shape (forks, iterations)
        Measure with the plan's warm-up, as fractions; infinite if there are too few values.
    warmups : tuple of int
        Numbers of warm-up iterations of `by_warmup`.
    by_warmup : ndarray of float64, shape (warmups,)
        Measure with the plan's iterations and forks.
    """

    measure: str
    threshold: float | None
    chosen: Configuration
    forks: tuple[int, ...]
    iterations: tuple[int, ...]
    values: FloatArray
    warmups: tuple[int, ...]
    by_warmup: FloatArray

    @property
    def caption(self) -> str:
        """Return the description of the map."""
        warmup, iterations, forks = self.chosen
        limit = "no threshold; the darker, the less stable"
        if self.threshold is not None:
            limit = f"blue within the threshold of {share(self.threshold)}, brown above it"
        runs = f"{forks:,} × ({warmup:,} + {iterations:,})"
        return (
            f"{self.measure} of smaller runs, in %: {limit}. Above, rows: forks, columns: "
            f"iterations after the plan's warm-up. Below: warm-up before the plan's forks and "
            f"iterations. Framed: the plan, {runs}"
        )


def error_map(
    series: FloatArray, chosen: Configuration, threshold: float | None
) -> StabilityMap | None:
    """Return the map of predicted errors; forks can exceed the measured number.

    Parameters
    ----------
    series : ndarray of float64, shape (forks, iterations)
        Times of the full run.
    chosen : tuple of int
        Warm-up, iterations and forks of the plan.
    threshold : float, optional
        The error budget, as a fraction.

    Returns
    -------
    StabilityMap or None
        None with fewer than two forks, or if a result is 0.
    """

    def measure(rows: Sequence[Configuration]) -> FloatArray:
        table = np.array(rows, dtype=np.int64)
        counts, places = np.unique(table[:, 2], return_inverse=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = predicted_errors(series, table[:, :2], counts)
        return errors[np.arange(len(table)), places]

    if len(series) < 2:
        return None
    return _map("Predicted error", threshold, series, chosen, chosen[2], measure, np.inf)


def metric_map(
    series: FloatArray,
    chosen: Configuration,
    threshold: float,
    metric: str,
    bootstrap: Bootstrap,
) -> StabilityMap | None:
    """Return the map of a stability metric, as computed by strategy ``uoptime``.

    Parameters
    ----------
    series, chosen
        As for `error_map`.
    threshold : float
        Largest value of the metric that counts as stable.
    metric : str
        A name in `steady.stats.METRICS`.
    bootstrap : Bootstrap
        Bootstrap for metrics based on a confidence interval.

    Returns
    -------
    StabilityMap or None
        None if no iterations remain after the warm-up. Runs with very many values are omitted.
    """

    def measure(rows: Sequence[Configuration]) -> FloatArray:
        found = np.empty(len(rows))
        table = np.array(rows, dtype=np.int64)
        warmups = table[:, 0]
        for warmup in np.unique(warmups):
            here = np.flatnonzero(warmups == warmup)
            grid = table[here][:, :0:-1]
            part = series[: grid[:, 0].max(), warmup : warmup + grid[:, 1].max()]
            found[here] = stability_of_configurations(part, grid, (metric,), bootstrap)[metric]
        return found

    most = max(_MOST_VALUES, 4 * chosen[1] * chosen[2])
    return _map(metric, threshold, series, chosen, len(series), measure, most)


def _map(
    name: str,
    threshold: float | None,
    series: FloatArray,
    chosen: Configuration,
    forks: int,
    measure: Callable[[Sequence[Configuration]], FloatArray],
    most: float,
) -> StabilityMap | None:
    """Choose the configurations and compute their measure; `most` limits the values of each."""
    warmup, iterations, planned = chosen
    shortest = shortest_fork(series)
    longest = min(shortest - warmup, max(most / max(planned, 1), iterations))
    whole = shortest and np.isfinite(series[:, :shortest]).all()
    if not whole or longest < max(iterations, 2) or planned > max(forks, len(series)):
        return None
    rows = counts(max(forks, len(series)), planned, _MOST_FORKS)
    columns = counts(int(longest), iterations, _MOST_ITERATIONS)
    rows = tuple(f for f in rows if f <= planned or f * columns[-1] <= 2 * most)
    latest = shortest - iterations
    before = (0, *counts(latest, warmup, _MOST_WARMUPS - 1)) if latest else (0,)
    grid = [(warmup, i, f) for f in rows for i in columns]
    grid += [(start, iterations, planned) for start in before]
    values = np.asarray(measure(grid), dtype=np.float64)
    values[np.isnan(values)] = np.inf
    if not np.isfinite(values).any():
        return None
    table, line = values[: -len(before)], values[-len(before) :]
    shape = len(rows), len(columns)
    return StabilityMap(name, threshold, chosen, rows, columns, table.reshape(shape), before, line)


def counts(most: int, chosen: int, wanted: int) -> tuple[int, ...]:
    """Return up to `wanted` numbers from 1 to `most`, geometrically spaced, including `chosen`.

    >>> counts(60, 5, 6)
    (1, 2, 5, 12, 26, 60)
    """
    if most <= wanted:
        return tuple(range(1, most + 1))
    known = set(np.round(np.geomspace(1, most, wanted)).astype(int).tolist())
    if 1 <= chosen <= most and chosen not in known:
        known.discard(min(known - {1, most}, key=lambda n: abs(np.log(n / chosen))))
        known.add(chosen)
    return tuple(sorted(known))


def draw_map(stability: StabilityMap) -> Markup:
    """Draw the map: a row for each number of forks, and below a row for the warm-ups."""
    rows = len(stability.forks)
    line = _TOP + rows * _ROW + _GAP
    warmup, iterations, forks = stability.chosen
    at = stability.forks.index(forks), stability.iterations.index(iterations)
    table = _Table(_TOP, stability.values, stability.threshold)
    before = _Table(line, stability.by_warmup[np.newaxis], stability.threshold)
    value = written(float(stability.values[at]))
    planned = f"{forks:,} × ({warmup:,} + {iterations:,}), as planned: {value}{NO_BREAK}%"
    return element(
        "svg",
        *table.cells(),
        *before.cells(),
        element("g", *table.texts(), *before.texts(), class_="values"),
        element(
            "g",
            *table.across(stability.iterations),
            *before.across(stability.warmups),
            text_anchor="middle",
        ),
        _left([*map(str, stability.forks), "warm-up"], line),
        element(
            "g",
            element("title", planned),
            element("path", class_="chosen", d=table.frame(*at)),
            element("path", class_="chosen", d=before.frame(0, stability.warmups.index(warmup))),
        ),
        class_="map",
        viewBox=f"0 0 {MAP_WIDTH} {line + _ROW + 2}",
        role="img",
        aria_label=f"{stability.measure} by forks, iterations and warm-up; {planned}",
    )


@dataclass(frozen=True, eq=False)
class _Table:
    """Cells of equal size below `top`, each shaded and labelled with one value."""

    top: float
    values: FloatArray
    threshold: float | None

    @property
    def width(self) -> float:
        columns: int = self.values.shape[1]
        return (MAP_WIDTH - _LEFT - 2) / columns

    def cells(self) -> Iterator[Markup]:
        """Draw the cells, one path for each shade, with adjacent cells of equal shade merged."""
        shades: dict[int, str] = {}
        for row, line in enumerate(self.values.tolist()):
            of_row = enumerate(shade_of(value, self.threshold) for value in line)
            for shade, run in groupby(of_row, key=lambda one: one[1]):
                columns = [column for column, _ in run]
                shades[shade] = shades.get(shade, "") + self.frame(row, columns[0], len(columns))
        for shade, path in sorted(shades.items()):
            kind = "usual" if self.threshold is None else "shade"
            yield element("path", class_=f"{kind}-{shade}", d=path)

    def frame(self, row: int, column: int, cells: int = 1) -> str:
        """Return the path around one or more cells of a row."""
        x, y = _LEFT + column * self.width, self.top + row * _ROW
        width = cells * self.width
        return f"M{number(x)} {number(y)}h{number(width)}v{_ROW}h{number(-width)}z"

    def texts(self) -> Iterator[Markup]:
        """Draw the values."""
        for (row, column), value in np.ndenumerate(self.values):
            x, y = _LEFT + (column + 0.5) * self.width, self.top + row * _ROW + 12.0
            yield element("text", written(float(value)), x=x, y=y)

    def across(self, numbers: Sequence[int]) -> Iterator[Markup]:
        """Draw the column labels, above the cells."""
        for column, one in enumerate(numbers):
            x = _LEFT + (column + 0.5) * self.width
            yield element("text", f"{one:,}", x=x, y=self.top - 4.0)


def _left(names: Sequence[str], line: float) -> Markup:
    """Draw the row labels; the last row is that of the warm-ups."""
    tops = [*(_TOP + row * _ROW for row in range(len(names) - 1)), line]
    texts = (
        element("text", name, x=_LEFT - 5.0, y=top + 12.0)
        for name, top in zip(names, tops, strict=True)
    )
    return element("g", *texts, text_anchor="end")


def shade_of(value: float, threshold: float | None) -> int:
    """Return the shade of a value: 0 and 1 are within the threshold, 4 is four times above it."""
    limit = _USUAL if threshold is None else threshold
    return sum(value > limit * times for times in _SHADES)


def written(value: float) -> str:
    """Format a value in percent, short enough for a cell.

    >>> written(0.00123), written(0.0345), written(0.345), written(20.0), written(float("inf"))
    ('0.12', '3.5', '34', '>999', '–')
    """
    if not np.isfinite(value):
        return "–"
    digits = 2 if value < 0.00995 else 1 if value < 0.0995 else 0
    return f"{100 * value:.{digits}f}" if value < 9.995 else ">999"
