"""The forks of two results side by side: which rows belong together, and which took turns."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from steady.model import Benchmark, FloatArray

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
NO_ROUNDS: IntArray = np.empty((0, 2), dtype=np.int64)
NO_TURNS: BoolArray = np.empty(0, dtype=np.bool_)


def by_fork(benchmark: Benchmark) -> FloatArray:
    """Return one row for each repetition of the outermost repeated level, NaN where it has none."""
    values = np.where(np.isfinite(benchmark.measured), benchmark.measured, np.nan)
    repeated = [axis for axis, size in enumerate(values.shape) if size > 1]
    rows = values.shape[repeated[0]] if repeated and repeated[0] < values.ndim - 1 else 1
    return values.reshape(rows, -1) if values.size else values.reshape(0, 0)


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
