"""Levels of the forks and rounds behind one change: a number for each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steady.compare import Change
from steady.compare.pair import Pair
from steady.compare.round_tables import round_tables
from steady.model import Benchmark, FloatArray, Identity, Suite
from steady.stats.samples import row_medians


@dataclass(frozen=True, eq=False)
class ForkLevels:
    """Forks and rounds on the scale of a change: as signed fractions of the base's result.

    Parameters
    ----------
    base, head : ndarray of float64, shape (forks,)
        How far the median of each fork is from the result of base.
    rounds : ndarray of float64, shape (rounds,)
        The change within each round, as the rule sees it; empty where no two forks ran together.
    """

    base: FloatArray
    head: FloatArray
    rounds: FloatArray

    @classmethod
    def of(cls, change: Change, base: Benchmark, head: Benchmark) -> ForkLevels | None:
        """Take them from the results; None where the result of base is not positive."""
        center = change.base.center
        if center <= 0:
            return None
        pair = Pair.of(base, head)
        tables = round_tables({0: pair}) if len(pair.rounds) else []
        rounds = tables[0].differences[0] if tables else np.empty(0)
        return cls(
            row_medians(pair.base) / center - 1,
            row_medians(pair.head) / center - 1,
            np.expm1(rounds),
        )

    @property
    def forks(self) -> FloatArray:
        """Those of both sides."""
        return np.concatenate([self.base, self.head])


def fork_levels(
    changes: tuple[Change, ...], base: Suite | None, head: Suite | None
) -> dict[Identity, ForkLevels]:
    """Return them for all changes of which both results are there."""
    levels = {}
    for change in changes if base is not None and head is not None else ():
        sides = _side(base, change), _side(head, change)
        if sides[0] is None or sides[1] is None:
            continue
        known = ForkLevels.of(change, sides[0], sides[1])
        if known is not None:
            levels[change.identity] = known
    return levels


def _side(suite: Suite | None, change: Change) -> Benchmark | None:
    """Return the result of one side, if it has values in the unit of the change."""
    benchmark = None if suite is None else suite.get(change.identity)
    if benchmark is None or benchmark.unit != change.unit:
        return None
    return benchmark if np.isfinite(benchmark.measured).any() else None
