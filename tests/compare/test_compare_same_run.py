"""A run is not compared with itself, under whatever name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from steady.compare import compare
from steady.compare.surroundings import refuse_same_run, shared_forks
from steady.errors import InputError
from steady.model import Suite
from tests.looped import looped

VALUES = 100 * np.exp(np.random.default_rng(1).normal(0, 0.02, (3, 3, 6)))
"""Three benchmarks of three forks."""


def suite(values: np.ndarray, *names: str, unit: str = "ns/op") -> Suite:
    return Suite.of(dict(zip(names or "abc", values, strict=False)), unit=unit)


@looped(
    "change",
    [
        lambda v: suite(v),
        lambda v: suite(v[::-1], "c", "b", "a"),
        lambda v: suite(v[:, ::-1]),
        lambda v: suite(v[:, :, ::-1]),
        lambda v: suite(np.pad(v, ((0, 0), (0, 0), (0, 2)), constant_values=np.nan)),
        lambda v: suite(v[:2]),
    ],
)
def test_the_same_measurements_are_refused(
    change: Callable[[np.ndarray], Suite],
) -> None:
    with pytest.raises(InputError, match="base and head hold the same measurements"):
        refuse_same_run(suite(VALUES), change(VALUES))


def test_one_other_value_is_another_run() -> None:
    other = VALUES.copy()
    other[1, 2, 3] *= 1.001
    refuse_same_run(suite(VALUES), suite(other))


@looped("values", [[16.0] * 6, [16.0, 17.0] * 3])
def test_counts_may_repeat_themselves(values: list[float]) -> None:
    counts = suite(np.broadcast_to(values, (3, 3, 6)), unit="B/op")
    refuse_same_run(counts, counts)
    assert shared_forks(counts, counts) == ""


def test_counts_that_differ_nowhere_do_not_hide_that_times_are_the_same() -> None:
    counts = suite(np.full((1, 3, 6), 16.0), "bytes", unit="B/op")
    mixed = Suite((*suite(VALUES).benchmarks, *counts.benchmarks))
    with pytest.raises(InputError, match="same measurements"):
        refuse_same_run(mixed, mixed)


def test_a_fork_that_stands_on_both_sides_is_remarked_on() -> None:
    head = 100 * np.exp(np.random.default_rng(2).normal(0, 0.02, (3, 3, 6)))
    assert compare(suite(VALUES), suite(head)).remarks == ()
    head[:2, 2] = VALUES[:2, 0]
    [remark] = compare(suite(VALUES), suite(head)).remarks
    assert remark.startswith("2 benchmarks have forks with the same measurements in base and in")
