"""Which repetitions count as forks, and which forks belong to one round."""

from __future__ import annotations

import numpy as np

from steady.compare.pair import Pair, fork_values
from steady.compare.round_tables import round_tables
from steady.model import Benchmark, Identity, Level
from tests.compare.small_suites import make_benchmark


def of(values: object, *levels: str, warmup: int = 0) -> Benchmark:
    table = np.asarray(values, dtype=np.float64)
    return Benchmark(Identity("b"), "ns/op", table, tuple(map(Level, levels)), warmup=warmup)


def test_forks_are_rows_and_warmup_is_left_out() -> None:
    table = fork_values(of([[9, 1, 2], [9, 3, 4]], "fork", "iteration", warmup=1))
    np.testing.assert_array_equal(table, [[1, 2], [3, 4]])
    # The outermost repeated level is what counts as a fork.
    values = np.arange(24.0).reshape(1, 2, 3, 4)
    table = fork_values(of(values, "instance", "suite run", "iteration", "second"))
    np.testing.assert_array_equal(table, values.reshape(2, 12))
    assert fork_values(of([1, 2, 3], "iteration")).shape == (1, 3)
    assert fork_values(of([[1, 2, 3]], "fork", "iteration")).shape == (1, 3)
    assert fork_values(of([[7]], "fork", "iteration")).shape == (1, 1)
    assert fork_values(of([[1], [2], [3]], "fork", "iteration")).shape == (3, 1)  # single shots


def test_what_is_not_finite_counts_as_missing() -> None:
    values = [[1, np.nan, np.nan], [np.inf, np.nan, np.nan], [3, 4, np.nan]]
    table = fork_values(of(values, "fork", "iteration"))
    np.testing.assert_array_equal(table, [[1, np.nan], [3, 4]])
    for nothing in ([[np.nan, np.nan]], np.empty((2, 0)), np.empty((0, 3))):
        assert fork_values(of(nothing, "fork", "iteration")).size == 0


def turned(values: list[list[float]], blocks: str, *marks: bool) -> Benchmark:
    return make_benchmark("b", values, blocks=tuple(blocks), in_turn=marks)


def test_marks_follow_their_forks_when_forks_are_dropped() -> None:
    nan = np.nan
    base = turned([[nan, nan], [1, 2], [3, 4], [5, 6]], "0123", True, True, False, True)
    head = turned([[7, 8], [9, 1], [2, 3]], "321", True, True, True)
    pair = Pair.of(base, head)
    assert pair.rounds.tolist() == [[0, 2], [1, 1], [2, 0]]
    assert pair.turns.tolist() == [True, False, True]


def test_without_a_mark_on_both_sides_no_turns_were_taken() -> None:
    values = [[1.0, 2.0], [3.0, 4.0]]
    marked = turned(values, "01", True, True)
    for marks in ((), (False, False)):
        pair = Pair.of(marked, turned(values, "01", *marks))
        assert (len(pair.rounds), len(pair.turns), pair.in_turn) == (2, 0, False)


def test_iterations_keep_their_place_where_one_side_lost_a_column() -> None:
    """An iteration without a value on one side must not shift those after it."""
    base = turned([[1, np.inf, 3, np.nan]] * 2, "01", True, True)
    head = turned([[1, 2, 3]] * 2, "01", True, True)
    pair = Pair.of(base, head)
    np.testing.assert_array_equal(pair.base, [[1, np.nan, 3], [1, np.nan, 3]])
    np.testing.assert_array_equal(pair.head, [[1, 2, 3], [1, 2, 3]])
    [table] = round_tables({0: pair})
    np.testing.assert_array_equal(table.differences, 0.0)
