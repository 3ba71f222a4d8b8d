"""Intervals of the fastest quarter, beside a literal bootstrap."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from steady.compare.pair import Pair
from steady.compare.rule import RuleOptions
from steady.papers.change_rules import fastest_weights, judge_overlap_fast
from tests.looped import looped

FloatArray = npt.NDArray[np.float64]


def literal_interval(values: FloatArray, confidence: float, resamples: int) -> tuple[float, float]:
    """Draw, sort, average the fastest quarter, again and again."""
    generator = np.random.default_rng(99)
    quarter = math.ceil(values.size / 4)
    drawn = np.sort(generator.choice(values, (resamples, values.size)), axis=1)
    tail = (1 - confidence) / 2
    low, high = np.quantile(drawn[:, :quarter].mean(axis=1), [tail, 1 - tail])
    return float(low), float(high)


@looped("shape", [(1, 9), (3, 25)])
def test_interval_is_that_of_the_literal_bootstrap(shape: tuple[int, int]) -> None:
    table = np.random.default_rng(5).normal(100, 3, shape)
    [judgement] = judge_overlap_fast([Pair("ns/op", table, table)], RuleOptions(0.9, 20_000))
    low, high = literal_interval(table.ravel(), 0.9, 20_000)
    assert judgement.base.low == pytest.approx(low, abs=0.05 * (high - low))
    assert judgement.base.high == pytest.approx(high, abs=0.05 * (high - low))


def test_of_throughput_the_highest_quarter_counts() -> None:
    table = np.random.default_rng(6).normal(100, 3, (2, 10))
    [times] = judge_overlap_fast([Pair("ns/op", 200 - table, 200 - table)], RuleOptions())
    [rates] = judge_overlap_fast([Pair("ops/s", table, table)], RuleOptions())
    assert rates.base.center == pytest.approx(200 - times.base.center)
    assert rates.base.high == pytest.approx(200 - times.base.low)


def test_weights_are_the_fastest_draws_of_each_resample() -> None:
    weights = fastest_weights(np.random.default_rng(1), 11, 3, 500)
    drawn = np.random.default_rng(1).multinomial(11, np.full(11, 1 / 11), 500)
    for row, counts in zip(weights, drawn, strict=True):
        first = np.repeat(np.arange(11), counts)[:3]
        np.testing.assert_array_equal(row, np.bincount(first, minlength=11))


def test_a_benchmark_does_not_depend_on_its_neighbours() -> None:
    values = np.random.default_rng(2).normal(100, 3, (500, 2, 2, 8))
    pairs = [Pair("ns/op", base, head) for base, head in values]
    together = judge_overlap_fast(pairs, RuleOptions(resamples=10_000))
    for index in (0, 250, 499):
        [alone] = judge_overlap_fast([pairs[index]], RuleOptions(resamples=10_000))
        assert alone.interval == pytest.approx(together[index].interval, rel=1e-12)
