"""Which repetitions count as forks."""

from __future__ import annotations

import numpy as np

from steady.compare.pair import fork_values
from steady.model import Benchmark, Identity, Level
from tests.looped import looped


def of(values: object, *levels: str, warmup: int = 0) -> Benchmark:
    return Benchmark(
        Identity("b"),
        "ns/op",
        np.asarray(values, dtype=np.float64),
        tuple(Level(name) for name in levels),
        warmup=warmup,
    )


def test_forks_are_rows_and_warmup_is_left_out() -> None:
    table = fork_values(of([[9, 1, 2], [9, 3, 4]], "fork", "iteration", warmup=1))
    np.testing.assert_array_equal(table, [[1, 2], [3, 4]])


def test_outermost_repeated_level_is_what_counts_as_fork() -> None:
    values = np.arange(24.0).reshape(1, 2, 3, 4)
    table = fork_values(of(values, "instance", "suite run", "iteration", "second"))
    np.testing.assert_array_equal(table, values.reshape(2, 12))


def test_a_single_fork_is_one_row_whatever_its_axes() -> None:
    assert fork_values(of([1, 2, 3], "iteration")).shape == (1, 3)
    assert fork_values(of([[1, 2, 3]], "fork", "iteration")).shape == (1, 3)
    assert fork_values(of([[7]], "fork", "iteration")).shape == (1, 1)
    assert fork_values(of([[1], [2], [3]], "fork", "iteration")).shape == (3, 1)  # single shots


def test_what_is_not_finite_counts_as_missing() -> None:
    values = [[1, np.nan, np.nan], [np.inf, np.nan, np.nan], [3, 4, np.nan]]
    table = fork_values(of(values, "fork", "iteration"))
    np.testing.assert_array_equal(table, [[1, np.nan], [3, 4]])


@looped("values", [[[np.nan, np.nan]], np.empty((2, 0)), np.empty((0, 3))])
def test_nothing_measured_is_an_empty_table(values: object) -> None:
    assert fork_values(of(values, "fork", "iteration")).size == 0
