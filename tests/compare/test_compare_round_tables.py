"""Differences within rounds against a literal reckoning, and what long or odd forks become."""

from __future__ import annotations

from statistics import median, variance

import numpy as np
import numpy.typing as npt
import pytest

from steady.compare import round_tables as module
from steady.compare.pair import Pair
from steady.compare.round_tables import MOST_ITERATIONS, RoundTable, round_tables

FloatArray = npt.NDArray[np.float64]


def pair_of(base: FloatArray, head: FloatArray, *, alike: bool = True) -> Pair:
    rounds = np.repeat(np.arange(len(base))[:, np.newaxis], 2, axis=1)
    return Pair("ns/op", base, head, rounds, alike=alike)


def literal(base: FloatArray, head: FloatArray) -> tuple[float, float]:
    """Return difference and noise of one round, value by value."""
    ours, theirs = (
        [float(np.log(value)) for value in side if np.isfinite(value)] for side in (head, base)
    )
    noise = sum(
        variance(side) / len(side) if len(side) > 1 else float("nan") for side in (ours, theirs)
    )
    return median(one - other for one in ours for other in theirs), noise


def rows(tables: list[RoundTable]) -> dict[int, tuple[FloatArray, FloatArray]]:
    return {
        int(index): (table.differences[row], table.noise[row])
        for table in tables
        for row, index in enumerate(table.indices)
    }


@pytest.mark.parametrize("cells", [1, 100, 2**21])
def test_each_round_is_the_median_of_all_differences(
    monkeypatch: pytest.MonkeyPatch, cells: int
) -> None:
    monkeypatch.setattr(module, "_MOST_CELLS", cells)
    generator = np.random.default_rng(1)
    shapes = [(3, 4, 4), (5, 4, 4), (3, 1, 6), (3, 4, 4), (5, 7, 2), (3, 1, 1)]
    pairs = {
        3 * place: pair_of(*(generator.lognormal(0, 1, (rounds, size)) for size in sizes))
        for place, (rounds, *sizes) in enumerate(shapes)
    }
    pairs[0].base[1, 2:] = np.nan
    pairs[12].head[0, 1] = np.nan
    found = rows(round_tables(pairs))
    assert found.keys() == pairs.keys()
    for place, pair in pairs.items():
        expected = sorted(map(literal, pair.base, pair.head))
        np.testing.assert_allclose(np.transpose(found[place]), expected)


def test_a_long_fork_stands_by_its_quantiles() -> None:
    generator = np.random.default_rng(2)
    base, head = generator.lognormal(0, 0.1, (2, 3, 6 * MOST_ITERATIONS))
    [table] = round_tables({0: pair_of(base, 1.2 * head)})
    expected = sorted(literal(b, 1.2 * h)[0] for b, h in zip(base, head, strict=True))
    np.testing.assert_allclose(table.differences[0], expected, atol=0.01)


def test_a_value_of_zero_leaves_each_fork_its_median() -> None:
    base, head = np.full((2, 3, 5), 2.0)
    head[:, 0] = 0.0
    head[:, 4] = 9.0
    [table] = round_tables({0: pair_of(base, head)})
    np.testing.assert_array_equal(table.differences, 0.0)
    assert np.isnan(table.noise).all()
    assert np.isnan(table.typical_noise).all()
    head[0] = 0.0
    assert round_tables({0: pair_of(base, head)}) == []


def test_forks_that_compile_anew_stand_by_their_medians() -> None:
    base, head = np.random.default_rng(3).lognormal(0, 1, (2, 4, 7))
    [table] = round_tables({0: pair_of(base, head, alike=False)})
    expected = np.log(np.median(head, axis=1)) - np.log(np.median(base, axis=1))
    np.testing.assert_allclose(table.differences[0], np.sort(expected))
    assert np.isnan(table.noise).all()


def test_typical_noise_is_that_of_the_rounds_that_tell() -> None:
    base = np.array([[1.0, 2.0], [1.0, np.nan], [3.0, 4.0]])
    [table] = round_tables({0: pair_of(base, np.ones((3, 2)))})
    expected = (np.log(2) ** 2 + np.log(4 / 3) ** 2) / 4 / 2
    np.testing.assert_allclose(table.typical_noise, [expected])
