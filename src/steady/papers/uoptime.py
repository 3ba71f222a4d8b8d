"""µOpTime: the cheapest stable configuration, and the strategy that chooses it.

Algorithm 1 of Japke et al., "µOpTime: Statically Reducing the Execution Time of Microbenchmark
Suites Using Stability Metrics" (TOSEM 2025); the strategy minimizes seconds instead of counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Unpack

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import FloatArray
from steady.optimize.strategy import MIN_FORKS, Choice, Material, counts, fork_counts
from steady.optimize.warm_up import shortest_fork
from steady.percent import SHARE
from steady.stats.configurations import (
    as_configurations,
    as_measurements,
    stability_of_configurations,
)
from steady.stats.samples import BoolArray, Bootstrap, BootstrapOptions, IntArray

Costs = npt.ArrayLike | Callable[[IntArray], npt.ArrayLike]
"""Costs of configurations in any unit: an array, or a function of their counts."""

_ROUNDING = 1e-9  # relative difference below which two costs are equal
_BATCH = 64  # number of configurations evaluated at once, cheapest first


@dataclass(frozen=True, slots=True)
class MinimalConfiguration:
    """The choice of Algorithm 1 for one benchmark.

    Parameters
    ----------
    levels : tuple of int
        Repetitions of each level, outermost first.
    stability : float
        Value of the stability metric for that configuration.
    reduced : bool
        Whether it is smaller than the full configuration.
    stable : bool
        Whether it meets the threshold. If none does, the full configuration is chosen.

    Examples
    --------
    >>> import numpy as np
    >>> import steady
    >>> steady_part = 100 + np.random.default_rng(1).standard_normal((5, 40))
    >>> minimal = steady.minimal_configuration(steady_part, "cv", threshold="5%")
    >>> minimal.levels, minimal.stable
    ((1, 3), True)
    """

    levels: tuple[int, ...]
    stability: float
    reduced: bool
    stable: bool


def configuration_grid(
    shape: Sequence[int],
    *,
    minimum_repetitions: int = 3,
    counted_levels: Sequence[int] | None = None,
) -> IntArray:
    """List all execution configurations up to the full one (Algorithm 1, lines 3, 7 and 8).

    Parameters
    ----------
    shape : sequence of int
        Repetitions of each level in the full configuration, outermost first.
    minimum_repetitions : int
        Minimum number of repetitions; smaller configurations are omitted.
    counted_levels : sequence of int, optional
        Levels, 0-based from the outermost, whose counts are multiplied to the number of
        repetitions. By default all, as in the paper; the prototype omits the level of seconds for
        Go.

    Returns
    -------
    ndarray of int64, shape (configurations, levels)
        Configurations in lexicographic order; the full configuration is last.

    Raises
    ------
    InputError
        If a level has no repetitions or a counted level does not exist.
    """
    if not shape or min(shape) < 1:
        raise InputError(
            f"a full configuration of {tuple(shape)}: expected levels of at least 1 repetition"
        )
    grid = np.indices(tuple(shape)).reshape(len(shape), -1).T.astype(np.int64) + 1
    return grid[_enough(grid, minimum_repetitions, counted_levels)]


def minimal_configuration(
    measurements: npt.ArrayLike,
    metric: str = "rciw3",
    threshold: float | str = 0.01,
    *,
    counted_levels: Sequence[int] | None = None,
    minimum_repetitions: int = 3,
    costs: Costs | None = None,
    candidates: npt.ArrayLike | None = None,
    strict: bool = False,
    **bootstrap: Unpack[BootstrapOptions],
) -> MinimalConfiguration:
    """Choose the cheapest stable configuration (µOpTime, Algorithm 1, lines 5 to 19).

    Parameters
    ----------
    measurements : array-like of float, shape (n1, ..., nl)
        Measurements of one benchmark in its full configuration, outermost level first; NaN if a
        repetition is missing.
    metric : str
        A name in `steady.stats.METRICS`.
    threshold : float or str
        Maximum value of the metric that counts as stable.
    counted_levels, minimum_repetitions
        See `configuration_grid`.
    costs : array-like or callable, optional
        Cost of each candidate, or a function from candidates, shape (configurations, levels), to
        costs. By default the product of the counts, as for repetitions of equal duration.
    candidates : array-like of int, shape (configurations, levels), optional
        Configurations to choose from; by default all up to the full one.
    strict : bool
        Whether the metric must be strictly below the threshold, as in the prototype.
    **bootstrap
        `confidence`, `resamples` and `seed`; see `steady.stats.stability`.

    Returns
    -------
    MinimalConfiguration
        The cheapest stable configuration; ties are resolved by stability, then by order. If none is
        stable, the full configuration.

    Raises
    ------
    InputError
        If measurements, candidates, costs or options are invalid.
    UnknownNameError
        If `metric` is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> import steady
    >>> steady_part = 100 + np.random.default_rng(1).standard_normal((5, 40))
    >>> minimal = steady.minimal_configuration(steady_part, "cv", threshold="5%")
    >>> minimal.levels
    (1, 3)
    """
    values = as_measurements(measurements)
    threshold = SHARE.of("threshold", threshold)
    rule = (minimum_repetitions, counted_levels)
    grid = (
        configuration_grid(
            values.shape, minimum_repetitions=minimum_repetitions, counted_levels=counted_levels
        )
        if candidates is None
        else as_configurations(candidates, values.shape)
    )
    prices = _costs(costs, grid)
    allowed = np.flatnonzero(_enough(grid, *rule))
    resampling = Bootstrap(**bootstrap)

    def measure(counts: IntArray) -> FloatArray:
        return stability_of_configurations(values, counts, (metric,), resampling)[metric]

    def meets(stability: FloatArray) -> BoolArray:
        return stability < threshold if strict else stability <= threshold

    full = np.array([values.shape], dtype=np.int64)
    chosen = _cheapest_stable(allowed, prices, lambda rows: measure(grid[rows]), meets)
    if chosen is not None:
        row, stability = chosen
        levels = tuple(grid[row].tolist())
        return MinimalConfiguration(levels, stability, levels != values.shape, True)
    remaining = measure(full)
    stable = bool(meets(remaining)[0] and _enough(full, *rule)[0])
    return MinimalConfiguration(values.shape, float(remaining[0]), False, stable)


def _cheapest_stable(
    allowed: IntArray,
    prices: FloatArray,
    measure: Callable[[IntArray], FloatArray],
    meets: Callable[[FloatArray], BoolArray],
) -> tuple[int, float] | None:
    """Evaluate configurations in order of cost until one is stable.

    Configurations that cost more than a stable one are not evaluated.
    """
    by_price = allowed[np.argsort(prices[allowed], kind="stable")]
    start = 0
    while start < by_price.size:
        dearest = prices[by_price[min(start + _BATCH, by_price.size) - 1]]
        stop = int(np.searchsorted(prices[by_price], dearest * (1 + _ROUNDING), side="right"))
        rows = np.sort(by_price[start:stop])
        stability = measure(rows)
        stable = meets(stability)
        if stable.any():
            cheapest = prices[rows][stable].min()
            tied = stable & (prices[rows] <= cheapest * (1 + _ROUNDING))
            best = stability[tied].min()
            first = int(np.argmax(tied & (stability == best)))
            return int(rows[first]), float(stability[first])
        start = stop
    return None


def _enough(
    grid: IntArray, minimum_repetitions: int, counted_levels: Sequence[int] | None
) -> BoolArray:
    levels = grid.shape[1]
    counted = list(range(levels) if counted_levels is None else counted_levels)
    if not counted or not all(0 <= level < levels for level in counted):
        raise InputError(
            f"counted levels {tuple(counted)}: expected at least one of 0 to {levels - 1}"
        )
    return np.asarray(grid[:, counted].prod(axis=1) >= minimum_repetitions, dtype=np.bool_)


def _costs(costs: Costs | None, grid: IntArray) -> FloatArray:
    if costs is None:
        return np.asarray(grid.prod(axis=1), dtype=np.float64)
    prices = np.asarray(costs(grid) if callable(costs) else costs, dtype=np.float64)
    if prices.shape != (len(grid),):
        raise InputError(f"costs of shape {prices.shape} for {len(grid)} configurations")
    if not (np.isfinite(prices) & (prices >= 0)).all():
        raise InputError("a cost is negative or infinite: expected finite costs of 0 or more")
    return prices


@dataclass(frozen=True, slots=True)
class UOptime:
    """The strategy ``uoptime``.

    Parameters
    ----------
    metric : str
        Registered stability metric.
    threshold : float
        Maximum value of the metric that counts as stable.
    confidence : float
        Confidence level of the metric's interval, if it has one.
    resamples, seed : int
        Options of the metric's bootstrap, if it has one.
    """

    metric: str = "rciw3"
    threshold: float = 0.01
    confidence: float = 0.99
    resamples: int = 10_000
    seed: int = 0

    min_forks: ClassVar[int] = MIN_FORKS
    interleaved: ClassVar[bool] = False

    def offer(self, _material: Material) -> None:
        """Do nothing, because this strategy needs no shared information."""

    def prepare(self, _offers: Sequence[None], _kept_seconds: float) -> UOptime:
        """Return the strategy itself, because benchmarks are independent of each other."""
        return self

    def choose(self, material: Material, _offer: None = None) -> Choice:
        """Choose the cheapest stable configuration."""
        steady = material.steady
        shortest = shortest_fork(steady)
        grid = np.array([(f, i) for f in fork_counts(material) for i in counts(shortest)])
        start = material.measured_from
        costs = grid[:, 0] * material.cost.fork_seconds(material.warmup, start, grid[:, 1])
        minimal = minimal_configuration(
            steady,
            metric=self.metric,
            threshold=self.threshold,
            candidates=grid,
            costs=costs,
            confidence=self.confidence,
            resamples=self.resamples,
            seed=self.seed,
        )
        forks, iterations = minimal.levels
        verb, sign = ("is", "≤") if minimal.stable else ("stays", ">")
        text = f"{self.metric} {verb} {minimal.stability:.2%} {sign} {self.threshold:.2%}"
        return Choice(material.warmup, iterations, forks, minimal.stable, text, minimal.stability)
