"""Rules on the fastest quarter of iterations, compared with literal implementations."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from steady.compare.pair import Pair
from steady.compare.rule import Judgement, RuleOptions
from steady.compare.variance import VarianceEstimate
from steady.model import FloatArray
from steady.papers.change_rules import (
    MOST_FREEDOM,
    earlier_variance,
    fastest_quarter,
    fastest_weights,
    judge_known_spread,
    judge_overlap_fast,
)

ONE_FORK = np.full((1, 8), 100.0)


def judge(pairs: Sequence[Pair], confidence: float = 0.99) -> list[Judgement]:
    return judge_known_spread(pairs, RuleOptions(confidence))


def run_of(deviation: float, freedom: int) -> tuple[FloatArray]:
    """Return an earlier run with this standard deviation and these degrees of freedom."""
    logs = np.arange(freedom + 1.0)
    return (np.exp(deviation * (logs - logs.mean()) / logs.std(ddof=1))[:, np.newaxis],)


def one_fork(change: float, earlier: tuple[FloatArray], unit: str = "ns/op") -> Pair:
    return Pair(unit, ONE_FORK, ONE_FORK * (1 + change), earlier=earlier)


def test_one_fork_per_version_is_judged_by_the_historical_variance() -> None:
    known = run_of(0.01, 4)
    half = student.ppf(0.995, 4) * 0.01 * np.sqrt(2)
    [judgement] = judge([one_fork(0.05, known)])
    difference = np.log(1.05)
    assert judgement.interval == pytest.approx(np.expm1([difference - half, difference + half]))
    assert judgement.detectable.increase == pytest.approx(np.expm1(half))
    assert not judgement.apart
    [larger] = judge([one_fork(0.08, known)])
    assert larger.apart
    assert larger.notes == ()
    # The degrees of freedom are limited even with much historical data.
    half = student.ppf(0.995, MOST_FREEDOM) * 0.01 * np.sqrt(2)
    [judgement] = judge([one_fork(0.0, run_of(0.01, 999))])
    assert judgement.detectable.increase == pytest.approx(np.expm1(half))


def test_variances_of_current_and_earlier_runs_are_pooled() -> None:
    base = np.array([[100.0], [102.0], [101.0]])
    head = np.array([[103.0], [106.0]])
    [judgement] = judge([Pair("ns/op", base, head, earlier=run_of(0.02, 3))])
    logs = np.log(base.ravel()), np.log(head.ravel())
    squares = sum(((side - side.mean()) ** 2).sum() for side in logs)
    deviation = np.sqrt((squares + 3 * 4e-4) / 6)
    half = student.ppf(0.995, 6) * deviation * np.sqrt(1 / 3 + 1 / 2)
    difference = logs[1].mean() - logs[0].mean()
    assert judgement.interval == pytest.approx(np.expm1([difference - half, difference + half]))


def test_benchmarks_of_one_unit_share_a_prior_variance() -> None:
    noisy = [one_fork(0.0, run_of(0.04, 2)) for _ in range(20)]
    quiet = one_fork(0.06, run_of(0.0005, 2))
    assert judge([quiet])[0].apart
    assert not judge([quiet, *noisy])[0].apart
    elsewhere = [one_fork(0.0, run_of(0.04, 2), unit="us/op") for _ in range(20)]
    assert judge([quiet, *elsewhere])[0].apart


def test_without_any_variance_the_outcome_is_unclear() -> None:
    values = np.random.default_rng(1).normal(100, 1, (3, 2, 1, 12))
    for found in judge([Pair("ns/op", *sides) for sides in values]):
        assert (found.apart, found.interval) == (False, None)
        assert found.lacking == "too few forks: 1 on each side; at least 2 are needed"


def forks_of(generator: np.random.Generator, count: int, forks: int) -> FloatArray:
    """Simulate benchmarks with different variances between forks, and one-sided disturbances."""
    spread = 0.01 * np.sqrt(2 / generator.chisquare(2, (count, 1, 1)))
    levels = generator.normal(0, 1, (count, forks, 1)) * spread
    return 100 * np.exp(levels + generator.exponential(0.02, (count, forks, 12)))


def test_false_alarms_with_one_fork_per_version_are_within_the_stated_rate() -> None:
    """4,000 benchmarks in suites of 40, with an earlier run of five forks, at 95 %."""
    generator = np.random.default_rng(7)
    apart = []
    for _ in range(100):
        values = forks_of(generator, 40, 7)
        forks = zip(values[:, :1], values[:, 1:2], values[:, 2:], strict=True)
        pairs = [Pair("ns/op", base, head, earlier=(known,)) for base, head, known in forks]
        apart += [judgement.apart for judgement in judge(pairs, 0.95)]
    assert 0.02 < np.mean(apart) < 0.06


def literal_interval(values: FloatArray, confidence: float, resamples: int) -> tuple[float, float]:
    """Bootstrap literally: resample, sort, and average the fastest quarter."""
    generator = np.random.default_rng(99)
    quarter = math.ceil(values.size / 4)
    drawn = np.sort(generator.choice(values, (resamples, values.size)), axis=1)
    tail = (1 - confidence) / 2
    low, high = np.quantile(drawn[:, :quarter].mean(axis=1), [tail, 1 - tail])
    return float(low), float(high)


def test_the_interval_equals_a_literal_bootstrap() -> None:
    for shape in ((1, 9), (3, 25)):
        table = np.random.default_rng(5).normal(100, 3, shape)
        [judgement] = judge_overlap_fast([Pair("ns/op", table, table)], RuleOptions(0.9, 20_000))
        low, high = literal_interval(table.ravel(), 0.9, 20_000)
        assert judgement.base.low == pytest.approx(low, abs=0.05 * (high - low))
        assert judgement.base.high == pytest.approx(high, abs=0.05 * (high - low))
    # For throughput, the highest quarter is used.
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


def test_a_result_does_not_depend_on_other_benchmarks() -> None:
    values = np.random.default_rng(2).normal(100, 3, (500, 2, 2, 8))
    pairs = [Pair("ns/op", base, head) for base, head in values]
    together = judge_overlap_fast(pairs, RuleOptions(resamples=10_000))
    for index in (0, 250, 499):
        [alone] = judge_overlap_fast([pairs[index]], RuleOptions(resamples=10_000))
        assert alone.interval == pytest.approx(together[index].interval, rel=1e-12)


def constant(*levels: float) -> FloatArray:
    """Return forks of eight equal iterations each."""
    return np.repeat(np.array(levels)[:, np.newaxis], 8, axis=1)


def variance_of(earlier: Sequence[FloatArray], iterations: int) -> VarianceEstimate:
    one = np.ones((1, iterations))
    return earlier_variance(Pair("ns/op", one, one, earlier=tuple(earlier)))


def test_earlier_runs_are_pooled_about_their_own_means() -> None:
    found = variance_of([constant(1.0, math.e), constant(7.0, 7.0, 7.0)], 8)
    assert found.freedom == 3
    assert found.variance == pytest.approx((1 * 0.5 + 2 * 0.0) / 3)
    for nothing in ([], [constant(3.0)], [constant(0.0, 1.0)], [np.empty((0, 0))]):
        assert variance_of(nothing, 8) == VarianceEstimate(0.0, 0.0)


def test_long_earlier_forks_are_truncated() -> None:
    table = np.vstack([np.arange(20.0, 0, -1), np.arange(30.0, 10, -1)])
    for iterations, fastest in ((4, [17.0, 27.0]), (99, [3.0, 13.0])):
        found = variance_of([table], iterations)
        assert found.variance == pytest.approx(np.log(fastest).var(ddof=1))
    # A fork without a value in that part is omitted.
    table = constant(1.0, 2.0, 4.0)
    table[1, :5] = np.nan
    found = variance_of([table], 5)
    assert found.freedom == 1
    assert found.variance == pytest.approx(np.log([1.0, 4.0]).var(ddof=1))


@given(st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=30), st.booleans())
def test_the_fastest_quarter_equals_a_literal_mean(values: list[float], higher: bool) -> None:
    """Sort, take every fourth value rounded up, average; missing iterations do not count."""
    best = sorted(values, reverse=higher)[: math.ceil(len(values) / 4)]
    [found] = fastest_quarter(np.array([[*values, np.nan]]), "ops/s" if higher else "ns/op")
    assert found == pytest.approx(sum(best) / len(best))


def test_rows_of_different_length_have_separate_quarters() -> None:
    table = np.array([[5.0, 1, 2, 9, 8, 7, 6, 3], [4.0, np.nan, 3, np.nan, 8, 9, np.nan, np.nan]])
    np.testing.assert_allclose(fastest_quarter(table, "ns/op"), [1.5, 3.0])
    np.testing.assert_allclose(fastest_quarter(table, "ops/s"), [8.5, 9.0])
