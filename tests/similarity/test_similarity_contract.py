"""What every registered similarity method keeps to."""

from __future__ import annotations

import numpy as np
import pytest

from steady.errors import InputError
from steady.model import FloatArray
from steady.similarity import METHODS, Similarity, similarity
from tests.looped import looped

pytestmark = pytest.mark.parametrize("method", list(METHODS))


def forks_with_an_odd_one(forks: int = 5, iterations: int = 60, seed: int = 1) -> FloatArray:
    values = 1 + 0.02 * np.random.default_rng(seed).standard_normal((forks, iterations))
    values[-1] *= 2
    return values


def check(result: Similarity, forks: int, method: str) -> None:
    assert result.method == method
    assert result.reason
    assert "\n" not in result.reason
    assert type(result.similar) is bool
    assert result.measures
    assert all(type(v) is float and 0 <= v <= 1 for v in result.measures.values())
    assert all(type(fork) is int and 0 <= fork < forks for fork in result.odd_forks)
    assert list(result.odd_forks) == sorted(set(result.odd_forks))
    assert 2 * len(result.odd_forks) < forks


@looped("count", [2, 3, 5, 10])
@looped("length", [10, 11, 31, 60, 300])
def test_result_is_in_range(method: str, count: int, length: int) -> None:
    for seed in range(3):
        check(similarity(forks_with_an_odd_one(count, length, seed), method), count, method)
        wild = np.random.default_rng(seed).normal(size=(count, length)) ** 3
        check(similarity(wild, method), count, method)


def test_names_a_gross_odd_fork(method: str) -> None:
    result = similarity(forks_with_an_odd_one(), method)
    assert not result.similar
    assert result.odd_forks == (4,)


def test_does_not_depend_on_the_order_of_forks(method: str) -> None:
    forks = forks_with_an_odd_one()
    expected = similarity(forks, method)
    order = [3, 4, 0, 2, 1]
    result = similarity(forks[order], method)
    assert result.similar == expected.similar
    assert [order[fork] for fork in result.odd_forks] == list(expected.odd_forks)
    assert result.measures == pytest.approx(expected.measures, abs=1e-12)


def test_is_deterministic(method: str) -> None:
    forks = forks_with_an_odd_one()
    assert similarity(forks, method) == similarity(forks.copy(), method)


def test_does_not_modify_its_input(method: str) -> None:
    forks = forks_with_an_odd_one()
    before = forks.copy()
    forks.flags.writeable = False
    similarity(forks, method)
    np.testing.assert_array_equal(forks, before)


def test_does_not_depend_on_the_unit(method: str) -> None:
    forks = forks_with_an_odd_one()
    expected = similarity(forks, method)
    for factor in (1e-200, 1e-9, 1e3, 1e200, 2.0**-1000):
        with np.errstate(all="raise"):
            result = similarity(forks * factor, method)
        assert (result.similar, result.odd_forks) == (expected.similar, expected.odd_forks)
        assert result.measures == pytest.approx(expected.measures, abs=1e-12)


def test_takes_lists_and_integers(method: str) -> None:
    counts = np.random.default_rng(3).integers(90, 110, (4, 30))
    expected = similarity(counts.astype(np.float64), method)
    assert similarity(counts, method) == expected
    assert similarity(counts.tolist(), method) == expected
    assert similarity(np.asfortranarray(counts), method) == expected


def test_forks_are_cut_to_the_shortest(method: str) -> None:
    forks = forks_with_an_odd_one()
    expected = similarity(forks[:, :40], method)
    forks[1, 40:] = np.nan
    forks[3, 55:] = np.nan
    assert similarity(forks, method) == expected


@looped("forks", [np.ones((1, 30)), np.ones((0, 30)), np.ones(30), 3.0, []])
def test_fewer_than_two_forks_are_refused(method: str, forks: object) -> None:
    with pytest.raises(InputError, match="at least 2 forks, one row each, are needed"):
        similarity(forks, method)  # type: ignore[arg-type]


def test_a_short_fork_is_named(method: str) -> None:
    forks = forks_with_an_odd_one(3, 20)
    forks[1, 9:] = np.nan
    with pytest.raises(InputError, match=r"fork 1 \(counted from 0\) has 9 iterations; forks are"):
        similarity(forks, method)
    forks[1] = np.nan
    with pytest.raises(InputError, match=r"fork 1 \(counted from 0\) has 0 iterations"):
        similarity(forks, method)
    with pytest.raises(InputError, match=r"fork 0 \(counted from 0\) has 0 iterations"):
        similarity(np.ones((3, 0)), method)


@looped("bad", [np.nan, np.inf, -np.inf])
def test_a_hole_or_an_infinity_is_named(method: str, bad: float) -> None:
    forks = forks_with_an_odd_one()
    forks[3, 30] = bad
    with pytest.raises(InputError, match=rf"iteration 30 of fork 3 \(both .*\) is {bad}"):
        similarity(forks, method)


@looped(
    "forks",
    [[["a"] * 20] * 2, [[1.0] * 20, [1.0] * 19], np.ones((2, 20)) * 1j, [[10**400] * 20] * 2],
)
def test_other_kinds_are_refused(method: str, forks: object) -> None:
    with pytest.raises(InputError):
        similarity(forks, method)  # type: ignore[arg-type]
