"""What every registered steady-state detector keeps to."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from steady.errors import InputError
from steady.model import FloatArray
from steady.steadystate import METHODS, SteadyState, detect
from steady.steadystate.detection import MINIMUM_ITERATIONS

NETWORKS = {"fcn", "oscnn"}
"""A second or more for a series; `test_learned` tries them in short, beside `rocket`."""

pytestmark = pytest.mark.parametrize(
    "method",
    [
        pytest.param(name, marks=pytest.mark.thorough) if name in NETWORKS else name
        for name in METHODS
    ],
)

LENGTHS = [*range(10, 20), 29, 30, 31, 39, 60, 99, 100, 101, 102, 299, 300, 500]
MANY = {10, 11, 30, 100}
"""Lengths at which several series are tried; elsewhere one of each kind, every time another."""


def warming_up(length: int, seed: int = 1) -> FloatArray:
    """A series that falls to half in its first fifth."""
    random = np.random.default_rng(seed)
    values = 1 + 0.02 * random.standard_normal(length)
    values[: length // 5] += 1
    return values


def check(state: SteadyState, length: int, method: str) -> None:
    assert state.method == ("onset" if method == "recommended" else method)
    assert state.reason
    assert "\n" not in state.reason
    assert state.start is None or (type(state.start) is int and 0 <= state.start < length)
    assert state.steady == (state.start is not None)
    if state.warmup_end is not None:
        assert type(state.warmup_end) is int
        assert 0 <= state.warmup_end < length
    starts = [start for start, _ in state.intervals]
    assert starts == sorted(set(starts))
    assert all(0 <= start < length for start in starts)
    assert all(0 <= probability <= 1 for _, probability in state.intervals)


def test_result_is_in_range(method: str) -> None:
    for length in LENGTHS:
        for seed in range(5) if length in MANY else (length,):
            check(detect(warming_up(length, seed), method), length, method)
            noise = np.random.default_rng(seed).exponential(size=length)
            check(detect(noise, method), length, method)


def test_is_deterministic(method: str) -> None:
    values = warming_up(300)
    assert detect(values, method) == detect(values.copy(), method)


def test_does_not_modify_its_input(method: str) -> None:
    values = warming_up(300)
    values[5] = 100
    before = values.copy()
    detect(values, method)
    np.testing.assert_array_equal(values, before)
    values.flags.writeable = False
    detect(values, method)


def test_does_not_depend_on_the_unit(method: str) -> None:
    for length in (10, 60, 300, 1000):
        values = warming_up(length)
        expected = detect(values, method)
        for factor in (1e-200, 1e-9, 1e3, 1e200, 2.0**-1000):
            with np.errstate(all="raise"):
                assert detect(values * factor, method) == expected, (length, factor)


def test_a_constant_series_is_steady_from_the_start(method: str) -> None:
    for value, length in product([0.0, 0.1, 1.0, 1 / 3, 1e-200, 1e300, -2.0], [10, 11, 60, 3000]):
        assert detect(np.full(length, value), method).start == 0, (value, length)


def test_too_short_is_not_judged(method: str) -> None:
    for length in range(MINIMUM_ITERATIONS):
        for values in (np.ones(length), np.arange(length, dtype=np.float64)):
            state = detect(values, method)
            assert state.start is None
            assert state.reason == f"too few iterations to judge: {length}, it takes 10"


def test_takes_lists_integers_and_views(method: str) -> None:
    counts = np.random.default_rng(3).integers(90, 110, 200)
    counts[:40] += 100
    expected = detect(counts.astype(np.float64), method)
    assert detect(counts, method) == expected
    assert detect(counts.tolist(), method) == expected
    assert detect(np.stack([counts, counts])[:, ::1].T[:, 0], method) == expected
    assert detect(counts.astype(object), method) == expected


def test_missing_iterations_at_the_end_do_not_count(method: str) -> None:
    values = warming_up(100)
    padded = np.concatenate([values, np.full(17, np.nan)])
    assert detect(padded, method) == detect(values, method)
    assert detect([*values.tolist(), None], method) == detect(values, method)
    assert detect(np.full(20, np.nan), method).start is None


def test_a_hole_or_an_infinity_is_named(method: str) -> None:
    values = warming_up(100)
    for bad, message in (
        (np.nan, r"iteration 30 \(counted from 0\) is nan; every iteration must be a finite"),
        (np.inf, r"iteration 30 \(counted from 0\) is inf"),
        (-np.inf, r"iteration 30 \(counted from 0\) is -inf"),
    ):
        values[30] = values[50] = bad
        with pytest.raises(InputError, match=message):
            detect(values, method)


REFUSED: tuple[object, ...] = (
    np.ones((2, 50)),
    3.0,
    ["fast", "slow"] * 10,
    np.ones(20) * 1j,
    [[1.0], [1.0, 2.0]],
    [10**400] * 20,
)


def test_other_shapes_and_kinds_are_refused(method: str) -> None:
    for values in REFUSED:
        with pytest.raises(InputError):
            detect(values, method)  # type: ignore[arg-type]
