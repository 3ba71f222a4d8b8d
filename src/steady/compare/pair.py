"""The measurements of one benchmark in base and in head, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from steady.compare.alpha_spending import nominal_confidence
from steady.execution.warm_up import largest_warm_up_factor
from steady.model import Benchmark, FloatArray
from steady.plan.historical_variance import HistoricalVariance
from steady.stats.samples import BoolArray, IntArray

NO_ROUNDS: IntArray = np.empty((0, 2), dtype=np.int64)
_FEWEST_WARM = 3
"""Smallest number of warm forks of each version if others are cold. It equals the number at the
first interim analysis; where forks stay cold, two warm ones often agree by chance."""

NO_TURNS: BoolArray = np.empty(0, dtype=np.bool_)


def fork_rows(benchmark: Benchmark) -> FloatArray:
    """Return one row for each repetition of the outermost repeated level, padded with NaN."""
    values = np.where(np.isfinite(benchmark.measured), benchmark.measured, np.nan)
    repeated = [axis for axis, size in enumerate(values.shape) if size > 1]
    rows = values.shape[repeated[0]] if repeated and repeated[0] < values.ndim - 1 else 1
    return values.reshape(rows, -1) if values.size else values.reshape(0, 0)


def warm_forks(benchmark: Benchmark) -> Benchmark:
    """Return a benchmark with NaN in place of the values of cold forks."""
    if not benchmark.cold_seconds:
        return benchmark
    values = benchmark.measurements.copy()
    values[np.array(benchmark.cold_seconds) > 0] = np.nan
    return replace(benchmark, measurements=values)


def aligned_fork_values(base: Benchmark, head: Benchmark) -> tuple[FloatArray, FloatArray]:
    """Return the `fork_values` of both sides; only columns that are empty in both are dropped."""
    tables = [fork_rows(benchmark) for benchmark in (base, head)]
    columns = max(table.shape[1] for table in tables)
    wide = [
        np.pad(table, ((0, 0), (0, columns - table.shape[1])), constant_values=np.nan)
        for table in tables
    ]
    rows = [np.isfinite(table).any(axis=1) for table in wide]
    ours, theirs = (table[seen] for table, seen in zip(wide, rows, strict=True))
    seen = np.isfinite(np.concatenate([ours, theirs])).any(axis=0)
    return np.asarray(ours[:, seen]), np.asarray(theirs[:, seen])


def shared_rounds(base: Benchmark, head: Benchmark) -> tuple[IntArray, BoolArray]:
    """Return the rows of `fork_values` of each common round, and whether its forks took turns."""
    if not (base.blocks and head.blocks):
        return NO_ROUNDS, NO_TURNS
    ours, theirs = (_row_of_round(benchmark) for benchmark in (base, head))
    shared = [(*ours[block], *theirs[block]) for block in ours if block in theirs]
    table = np.array(shared, dtype=np.int64).reshape(-1, 4)
    turns = (table[:, 1] > 0) & (table[:, 3] > 0)
    return table[:, ::2], turns if turns.any() else NO_TURNS


def _row_of_round(benchmark: Benchmark) -> dict[str, tuple[int, bool]]:
    """Return the row of each round with a single repetition, and whether it was interleaved."""
    table = fork_rows(benchmark)
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
"""Name of the level of JVM processes."""


@dataclass(frozen=True, eq=False)
class Pair:
    """The measurements of one benchmark in base and in head, without warm-up.

    Parameters
    ----------
    unit : str
        Unit of both sides; benchmarks with the same unit may share a variance.
    base, head : ndarray of float64, shape (forks, iterations)
        NaN where a fork has fewer iterations; every fork has at least one value.
    rounds : ndarray of int, shape (rounds, 2)
        Rows of base and of head in each round of an interleaved run. Empty if the run was not
        interleaved, or if its rounds are unknown.
    earlier : tuple of ndarray of float64, shape (forks, iterations)
        `fork_values` of earlier runs in the same unit.
    exchangeable : bool
        Whether processes are exchangeable, so that the results of a single process suffice. True
        for Go; false for JMH, whose forks each compile anew.
    turns : ndarray of bool, shape (rounds,)
        Whether the two forks of a round took turns, so that their k-th iterations ran one right
        after the other. Empty if none did.
    looks : tuple of int
        Numbers of rounds at interim analyses of the run; empty if it had none.
    cold_seconds : float
        Warm-up time in seconds after which forks were still cold, if too few warm forks remain
        for a verdict; otherwise 0.
    cold_factor : float
        Factor by which the ratio of cold forks may still change; 1 without cold forks.
    known : HistoricalVariance
        Historical data on the variance between pairs of forks; false if there are none.
    """

    unit: str
    base: FloatArray
    head: FloatArray
    rounds: IntArray = field(default_factory=lambda: NO_ROUNDS)
    earlier: tuple[FloatArray, ...] = ()
    exchangeable: bool = False
    turns: BoolArray = field(default_factory=lambda: NO_TURNS)
    looks: tuple[int, ...] = ()
    cold_seconds: float = 0.0
    cold_factor: float = 1.0
    known: HistoricalVariance = field(default_factory=HistoricalVariance)

    @classmethod
    def of(cls, base: Benchmark, head: Benchmark, earlier: Iterable[Benchmark] = ()) -> Pair:
        """Return two results of one benchmark as a pair.

        Earlier results in another unit or with values out of range are excluded, as are cold
        forks. With fewer than three warm forks, all forks are used, and only large changes are
        reported.
        """
        cold = [seconds for seconds in (*base.cold_seconds, *head.cold_seconds) if seconds]
        if cold:
            warm = warm_forks(base), warm_forks(head)
            if all(np.isfinite(fork_rows(one)).any(axis=1).sum() >= _FEWEST_WARM for one in warm):
                (base, head), cold = warm, []
        rounds, turns = shared_rounds(base, head)
        sides = fork_values(base), fork_values(head)
        if turns.any():
            sides = aligned_fork_values(base, head)
        forked = any(level.name == FORK for side in (base, head) for level in side.levels)
        looks = base.looks or head.looks
        return cls(
            head.unit,
            *sides,
            rounds,
            tuple(fork_values(b) for b in earlier if b.unit == head.unit and b.in_range),
            exchangeable=not forked,
            turns=turns,
            looks=looks,
            cold_seconds=max(cold, default=0.0),
            cold_factor=largest_warm_up_factor(cold),
        )

    @property
    def results(self) -> tuple[int, int]:
        """Numbers of values of base and of head."""
        base, head = (np.count_nonzero(np.isfinite(side)) for side in (self.base, self.head))
        return int(base), int(head)

    def nominal_confidence(self, confidence: float) -> float:
        """Return the confidence level at the last interim analysis, given that over all of them."""
        rounds = len(self.rounds) or min(len(self.base), len(self.head))
        return nominal_confidence(self.looks, rounds, confidence)

    @property
    def values_of_rounds(self) -> tuple[FloatArray, FloatArray]:
        """The values of base and of head in each round, shape (rounds, iterations)."""
        return self.base[self.rounds[:, 0]], self.head[self.rounds[:, 1]]

    @property
    def in_turn(self) -> bool:
        """Whether the two forks of every round took turns."""
        return bool(len(self.turns) and self.turns.all())


def grouped(
    items: Mapping[Key, Item], group_of: Callable[[Key, Item], Hashable]
) -> list[dict[Key, Item]]:
    """Group items, such as the benchmarks of each unit."""
    groups: dict[Hashable, dict[Key, Item]] = {}
    for key, item in items.items():
        groups.setdefault(group_of(key, item), {})[key] = item
    return list(groups.values())


def fork_values(benchmark: Benchmark) -> FloatArray:
    """Return the measured values, one row for each repetition of the outermost repeated level.

    Infinite values count as missing; rows and columns without any value are dropped.

    Parameters
    ----------
    benchmark : Benchmark
        Benchmark with any number of levels.

    Returns
    -------
    ndarray of float64, shape (forks, iterations)
        A row for each fork of JMH, or for each repetition of Go's outermost repeated level. A
        single row if only the innermost level was repeated. Shape (0, 0) without any value.
    """
    measured = benchmark.measured
    if measured.ndim == 2 and measured.size and benchmark.complete:
        return measured
    table = fork_rows(benchmark)
    seen = np.isfinite(table)
    return np.asarray(table[np.ix_(seen.any(axis=1), seen.any(axis=0))])
