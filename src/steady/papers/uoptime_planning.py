"""Strategy ``uoptime``: the least repetition of the steady part that is still stable.

Algorithm 1 of Japke et al., "µOpTime: Statically Reducing the Execution Time of Microbenchmark
Suites Using Stability Metrics" (TOSEM 2025), with seconds for cost in place of counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from steady.optimize.analysis import shortest_fork
from steady.optimize.strategy import MIN_FORKS, Choice, Material, counts, fork_counts
from steady.papers.cheapest_stable import minimal_configuration


@dataclass(frozen=True, slots=True)
class UOptime:
    """Strategy ``uoptime``.

    Parameters
    ----------
    metric : str
        Registered stability metric.
    threshold : float
        Largest value of the metric that still counts as stable.
    confidence : float
        Of the metric's interval, where it has one.
    resamples, seed : int
        Of the metric's bootstrap, where it has one.
    """

    metric: str = "rciw3"
    threshold: float = 0.01
    confidence: float = 0.99
    resamples: int = 10_000
    seed: int = 0

    min_forks: ClassVar[int] = MIN_FORKS
    in_turn: ClassVar[bool] = False

    def offer(self, _material: Material) -> None:
        """Return nothing: the material is all that is needed."""

    def prepare(self, _offers: Sequence[None], _kept_seconds: float) -> UOptime:
        """Return itself, because the choice for a benchmark does not depend on the others."""
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
