"""The measurements of one benchmark in base and in head, side by side."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from steady.compare.alpha_spending import nominal_confidence
from steady.compare.fork_rows import (
    NO_ROUNDS,
    NO_TURNS,
    BoolArray,
    IntArray,
    by_fork,
    in_step,
    rounds_in_common,
)
from steady.compare.spread import Spread, earlier_spread
from steady.model import Benchmark, FloatArray

Key = TypeVar("Key")
Item = TypeVar("Item")

FORK = "fork"
"""Name of the level whose repetitions are JVMs."""


@dataclass(frozen=True, eq=False)
class Pair:
    """One benchmark's measurements side by side, warm-up left out.

    Parameters
    ----------
    unit : str
        Of both; benchmarks of one unit may learn from each other.
    base, head : ndarray of float64, shape (forks, iterations)
        NaN where a fork has fewer iterations; every fork has at least one value.
    rounds : ndarray of int, shape (rounds, 2)
        Rows of base and of head that ran close in time: one pair for each round of an interleaved
        run. Empty if the run was not interleaved, or does not say so.
    earlier : Spread
        Between forks within earlier runs; without degrees of freedom if there are none.
    alike : bool
        Whether one process is like another, so that the results of a single process can decide.
        This holds for Go. It does not hold for JMH, since a JVM compiles anew in each fork.
    turns : ndarray of bool, shape (rounds,)
        Whether the two forks of the round took turns, so that the k-th value of one ran right
        beside the k-th of the other. Empty if none did.
    looks : tuple of int
        Numbers of rounds at which the run decided whether more were needed; empty if it did not.
    """

    unit: str
    base: FloatArray
    head: FloatArray
    rounds: IntArray = field(default_factory=lambda: NO_ROUNDS)
    earlier: Spread = field(default_factory=Spread)
    alike: bool = False
    turns: BoolArray = field(default_factory=lambda: NO_TURNS)
    looks: tuple[int, ...] = ()

    @classmethod
    def of(cls, base: Benchmark, head: Benchmark, earlier: Iterable[Benchmark] = ()) -> Pair:
        """Set two results of one benchmark side by side, and learn from earlier ones of it.

        Nothing is learnt from earlier results in another unit or with values out of range.
        """
        rounds, turns = rounds_in_common(base, head)
        sides = in_step(base, head) if turns.any() else (fork_values(base), fork_values(head))
        known = earlier_spread(
            (fork_values(b) for b in earlier if b.unit == head.unit and b.in_range),
            head.unit,
            max(side.shape[1] for side in sides),
        )
        forked = any(level.name == FORK for side in (base, head) for level in side.levels)
        looks = base.looks or head.looks
        return cls(head.unit, *sides, rounds, known, alike=not forked, turns=turns, looks=looks)

    @property
    def results(self) -> tuple[int, int]:
        """How many values stand behind base, and behind head."""
        return int(np.isfinite(self.base).sum()), int(np.isfinite(self.head).sum())

    def nominal_confidence(self, confidence: float) -> float:
        """Return the level of the last look's own interval, given that of all looks together."""
        rounds = len(self.rounds) or min(len(self.base), len(self.head))
        return nominal_confidence(self.looks, rounds, confidence)

    @property
    def sides_of_rounds(self) -> tuple[FloatArray, FloatArray]:
        """The rows of base and of head that ran close in time, one a round."""
        return self.base[self.rounds[:, 0]], self.head[self.rounds[:, 1]]

    @property
    def in_turn(self) -> bool:
        """Whether the two forks of every round took turns."""
        return bool(len(self.turns) and self.turns.all())


def by_unit(
    items: Mapping[Key, Item], unit_of: Callable[[Key, Item], Hashable]
) -> list[dict[Key, Item]]:
    """Group the items by their unit, or by whatever else learns from each other."""
    by_unit_name: dict[Hashable, dict[Key, Item]] = {}
    for key, item in items.items():
        by_unit_name.setdefault(unit_of(key, item), {})[key] = item
    return list(by_unit_name.values())


def fork_values(benchmark: Benchmark) -> FloatArray:
    """Return what was measured, one row for each repetition of the outermost repeated level.

    Infinite values count as missing; rows and columns without any value are left out.

    Parameters
    ----------
    benchmark : Benchmark
        On any number of levels.

    Returns
    -------
    ndarray of float64, shape (forks, iterations)
        Forks for JMH; for Go the outermost level that was repeated. A single row where only
        the innermost level was. Shape (0, 0) without any value.
    """
    measured = benchmark.measured
    if measured.ndim == 2 and measured.size and np.isfinite(measured).all():
        return measured
    table = by_fork(benchmark)
    seen = np.isfinite(table)
    return np.asarray(table[np.ix_(seen.any(axis=1), seen.any(axis=0))])
