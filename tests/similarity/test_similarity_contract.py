"""What every registered similarity method keeps to."""

from __future__ import annotations

import numpy as np
import pytest

from steady.errors import InputError
from steady.model import FloatArray
from steady.similarity import METHODS, Similarity, similarity
from tests.looped import looped

by_method = looped("method", METHODS)


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


@by_method
@looped("count", [2, 3, 5, 10])
@looped("length", [10, 11, 31, 60, 300])
def test_result_is_in_range(method: str, count: int, length: int) -> None:
    for seed in range(3):
        check(similarity(forks_with_an_odd_one(count, length, seed), method), count, method)
        wild = np.random.default_rng(seed).normal(size=(count, length)) ** 3
        check(similarity(wild, method), count, method)


@by_method
def test_names_a_gross_odd_fork(method: str) -> None:
    result = similarity(forks_with_an_odd_one(), method)
    assert not result.similar
    assert result.odd_forks == (4,)


@by_method
def test_neither_order_nor_unit_nor_kind_of_the_forks_matters(method: str) -> None:
    forks = forks_with_an_odd_one()
    before = forks.copy()
    forks.flags.writeable = False
    expected = similarity(forks, method)
    assert similarity(before, method) == expected
    np.testing.assert_array_equal(forks, before)
    order = [3, 4, 0, 2, 1]
    result = similarity(forks[order], method)
    assert result.similar == expected.similar
    assert [order[fork] for fork in result.odd_forks] == list(expected.odd_forks)
    assert result.measures == pytest.approx(expected.measures, abs=1e-12)
    for factor in (1e-200, 1e-9, 1e3, 1e200, 2.0**-1000):
        with np.errstate(all="raise"):
            result = similarity(forks * factor, method)
        assert (result.similar, result.odd_forks) == (expected.similar, expected.odd_forks)
        assert result.measures == pytest.approx(expected.measures, abs=1e-12)
    counts = np.random.default_rng(3).integers(90, 110, (4, 30))
    expected = similarity(counts.astype(np.float64), method)
    for same in (counts, counts.tolist(), np.asfortranarray(counts)):
        assert similarity(same, method) == expected


@by_method
def test_forks_are_cut_to_the_shortest(method: str) -> None:
    forks = forks_with_an_odd_one()
    expected = similarity(forks[:, :40], method)
    forks[1, 40:] = np.nan
    forks[3, 55:] = np.nan
    assert similarity(forks, method) == expected


@by_method
def test_what_are_no_forks_is_refused(method: str) -> None:
    few: tuple[object, ...] = (np.ones((1, 30)), np.ones((0, 30)), np.ones(30), 3.0, [])
    refused: list[tuple[object, str | None]]
    refused = [(forks, "at least 2 forks, one row each, are needed") for forks in few]
    others = [["a"] * 20] * 2, [[1.0] * 20, [1.0] * 19], np.ones((2, 20)) * 1j, [[10**400] * 20] * 2
    refused += [(forks, None) for forks in others]
    refused.append((np.ones((3, 0)), r"fork 0 \(counted from 0\) has 0 iterations"))
    for there in (9, 0):
        short = forks_with_an_odd_one()
        short[1, there:] = np.nan
        refused.append((short, rf"fork 1 \(counted from 0\) has {there} iterations; forks are"))
    for bad in (np.nan, np.inf, -np.inf):
        hole = forks_with_an_odd_one()
        hole[3, 30] = bad
        refused.append((hole, rf"iteration 30 of fork 3 \(both .*\) is {bad}"))
    for forks, message in refused:
        with pytest.raises(InputError, match=message):
            similarity(forks, method)  # type: ignore[arg-type]
