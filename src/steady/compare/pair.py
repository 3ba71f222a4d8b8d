"""The measurements of one benchmark in base and in head, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from steady.compare.alpha_spending import nominal_confidence
from steady.compare.spread import Spread, earlier_spread
from steady.execution.warm_up import largest_warm_up_factor
from steady.model import Benchmark, FloatArray
from steady.plan.known_forks import KnownForks
from steady.stats.samples import BoolArray, IntArray

NO_ROUNDS: IntArray = np.empty((0, 2), dtype=np.int64)
_FEWEST = 3
"""With fewer warm forks of a version beside cold ones, nothing is decided: so many are a run's
first look, and on machines where forks stay cold two others agree by chance too often."""

NO_TURNS: BoolArray = np.empty(0, dtype=np.bool_)


def by_fork(benchmark: Benchmark) -> FloatArray:
    """Return one row for each repetition of the outermost repeated level, NaN where it has none."""
    values = np.where(np.isfinite(benchmark.measured), benchmark.measured, np.nan)
    repeated = [axis for axis, size in enumerate(values.shape) if size > 1]
    rows = values.shape[repeated[0]] if repeated and repeated[0] < values.ndim - 1 else 1
    return values.reshape(rows, -1) if values.size else values.reshape(0, 0)


def warm_forks(benchmark: Benchmark) -> Benchmark:
    """Return a benchmark without the values of forks that were not warm; their rows stay."""
    if not benchmark.cold_seconds:
        return benchmark
    values = benchmark.measurements.copy()
    values[np.array(benchmark.cold_seconds) > 0] = np.nan
    return replace(benchmark, measurements=values)


def in_step(base: Benchmark, head: Benchmark) -> tuple[FloatArray, FloatArray]:
    """Return what `fork_values` does, but leave out columns only where they are empty on both."""
    tables = [by_fork(benchmark) for benchmark in (base, head)]
    columns = max(table.shape[1] for table in tables)
    wide = [
        np.pad(table, ((0, 0), (0, columns - table.shape[1])), constant_values=np.nan)
        for table in tables
    ]
    rows = [np.isfinite(table).any(axis=1) for table in wide]
    ours, theirs = (table[seen] for table, seen in zip(wide, rows, strict=True))
    seen = np.isfinite(np.concatenate([ours, theirs])).any(axis=0)
    return np.asarray(ours[:, seen]), np.asarray(theirs[:, seen])


def rounds_in_common(base: Benchmark, head: Benchmark) -> tuple[IntArray, BoolArray]:
    """Return the rows of `fork_values` that have a round in common, and which took turns."""
    if not (base.blocks and head.blocks):
        return NO_ROUNDS, NO_TURNS
    ours, theirs = (_row_of_round(benchmark) for benchmark in (base, head))
    shared = [(*ours[block], *theirs[block]) for block in ours if block in theirs]
    table = np.array(shared, dtype=np.int64).reshape(-1, 4)
    turns = (table[:, 1] > 0) & (table[:, 3] > 0)
    return table[:, ::2], turns if turns.any() else NO_TURNS


def _row_of_round(benchmark: Benchmark) -> dict[str, tuple[int, bool]]:
    """Return row and mark of turns of each round; one with several repetitions is left out."""
    table = by_fork(benchmark)
    if len(table) != len(benchmark.blocks):
        return {}
    marks = benchmark.in_turn or (False,) * len(table)
    forks = zip(benchmark.blocks, marks, table, strict=True)
    left = [(block, mark) for block, mark, values in forks if np.isfinite(values).any()]
    times = Counter(block for block, _ in left)
    return {b: (row, mark) for row, (b, mark) in enumerate(left) if b and times[b] == 1}


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
    cold_seconds : float
        After how many seconds forks were not warm, where too few others are left to judge by; 0
        where nothing is cold.
    cold_times : float
        By which factor their ratio may still change; 1 where nothing is cold.
    known : KnownForks
        What earlier runs show of how much pairs of forks differ; false if they show nothing.
    """

    unit: str
    base: FloatArray
    head: FloatArray
    rounds: IntArray = field(default_factory=lambda: NO_ROUNDS)
    earlier: Spread = field(default_factory=Spread)
    alike: bool = False
    turns: BoolArray = field(default_factory=lambda: NO_TURNS)
    looks: tuple[int, ...] = ()
    cold_seconds: float = 0.0
    cold_times: float = 1.0
    known: KnownForks = field(default_factory=KnownForks)

    @classmethod
    def of(cls, base: Benchmark, head: Benchmark, earlier: Iterable[Benchmark] = ()) -> Pair:
        """Set two results of one benchmark side by side, and learn from earlier ones of it.

        Nothing is learnt from earlier results in another unit or with values out of range. Forks
        that were not warm are left out; with fewer than three others, all stay, and only what is
        far apart is told.
        """
        cold = [seconds for seconds in (*base.cold_seconds, *head.cold_seconds) if seconds]
        if cold:
            warm = warm_forks(base), warm_forks(head)
            if all(np.isfinite(by_fork(one)).any(axis=1).sum() >= _FEWEST for one in warm):
                (base, head), cold = warm, []
        rounds, turns = rounds_in_common(base, head)
        sides = in_step(base, head) if turns.any() else (fork_values(base), fork_values(head))
        known = earlier_spread(
            (fork_values(b) for b in earlier if b.unit == head.unit and b.in_range),
            head.unit,
            max(side.shape[1] for side in sides),
        )
        forked = any(level.name == FORK for side in (base, head) for level in side.levels)
        looks = base.looks or head.looks
        return cls(
            head.unit,
            *sides,
            rounds,
            known,
            alike=not forked,
            turns=turns,
            looks=looks,
            cold_seconds=max(cold, default=0.0),
            cold_times=largest_warm_up_factor(cold),
        )

    @property
    def results(self) -> tuple[int, int]:
        """How many values stand behind base, and behind head."""
        base, head = (np.count_nonzero(np.isfinite(side)) for side in (self.base, self.head))
        return int(base), int(head)

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
    if measured.ndim == 2 and measured.size and benchmark.complete:
        return measured
    table = by_fork(benchmark)
    seen = np.isfinite(table)
    return np.asarray(table[np.ix_(seen.any(axis=1), seen.any(axis=0))])
