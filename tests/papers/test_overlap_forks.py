"""The two-level bootstrap, beside a literal one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from steady.compare.pair import Pair
from steady.compare.rule import RuleOptions
from steady.papers.overlap_forks import judge_overlap_forks, middle_positions

FloatArray = npt.NDArray[np.float64]


def literal_interval(table: FloatArray, confidence: float, resamples: int) -> tuple[float, float]:
    """Draw forks, then iterations within each drawn fork, one by one."""
    generator = np.random.default_rng(99)
    means = []
    for _ in range(resamples):
        medians = []
        for fork in generator.integers(0, len(table), len(table)):
            values = table[fork][np.isfinite(table[fork])]
            medians.append(np.median(generator.choice(values, values.size)))
        means.append(np.mean(medians))
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


@pytest.mark.parametrize("iterations", [7, 8])
@pytest.mark.parametrize("forks", [2, 5])
def test_interval_is_that_of_the_literal_bootstrap(forks: int, iterations: int) -> None:
    generator = np.random.default_rng(forks * iterations)
    table = 100 + generator.normal(0, 2, (forks, 1)) + generator.normal(0, 1, (forks, iterations))
    options = RuleOptions(0.9, resamples=20_000)
    [judgement] = judge_overlap_forks([Pair("ns/op", table, table)], options)
    low, high = literal_interval(table, 0.9, 6_000)
    width = high - low
    assert judgement.base.low == pytest.approx(low, abs=0.04 * width)
    assert judgement.base.high == pytest.approx(high, abs=0.04 * width)
    assert judgement.base.center == pytest.approx(np.median(table, axis=1).mean())


@pytest.mark.parametrize("iterations", [1, 2, 3, 6, 11])
def test_middle_positions_are_those_of_sorted_uniform_numbers(iterations: int) -> None:
    lower, upper = middle_positions(np.random.default_rng(1), iterations, (20_000,))
    drawn = np.sort(np.random.default_rng(2).random((20_000, iterations)), axis=1)
    expected = drawn[:, (iterations - 1) // 2], drawn[:, iterations // 2]
    for found, literal in zip((lower, upper), expected, strict=True):
        np.testing.assert_allclose(
            np.quantile(found, [0.01, 0.25, 0.5, 0.75, 0.99]),
            np.quantile(literal, [0.01, 0.25, 0.5, 0.75, 0.99]),
            atol=0.015,
        )
    assert (lower <= upper).all()
    gap = np.quantile(upper - lower, 0.5), np.quantile(expected[1] - expected[0], 0.5)
    assert gap[0] == pytest.approx(gap[1], abs=0.01)


def test_a_benchmark_does_not_depend_on_its_neighbours_nor_on_the_call() -> None:
    tables = 100 + np.random.default_rng(4).normal(0, 1, (3, 2, 4, 9))
    pairs = [Pair("ns/op", base, head) for base, head in tables]
    together = judge_overlap_forks(pairs, RuleOptions())
    alone = [judge_overlap_forks([pair], RuleOptions())[0] for pair in pairs]
    assert together == alone
    assert together != judge_overlap_forks(pairs, RuleOptions(seed=1))


def test_coverage_with_many_forks_is_near_what_is_promised() -> None:
    generator = np.random.default_rng(7)
    covered = []
    for _ in range(300):
        table = 10 + generator.normal(0, 1, (30, 1)) + generator.normal(0, 0.3, (30, 5))
        options = RuleOptions(0.9, resamples=500)
        [judgement] = judge_overlap_forks([Pair("ns/op", table, table)], options)
        covered.append(judgement.base.low <= 10 <= judgement.base.high)
    assert np.mean(covered) == pytest.approx(0.9, abs=0.05)


def test_forks_of_different_length() -> None:
    table = np.array([[1.0, 1.0, 1.0, 1.0], [3.0, 3.0, np.nan, np.nan]])
    [judgement] = judge_overlap_forks([Pair("ns/op", table, table)], RuleOptions())
    assert judgement.base.center == 2.0
    assert (judgement.base.low, judgement.base.high) == (1.0, 3.0)
    assert judgement.base.iterations == 6
