"""The paired test: its classical special case, its error rates, and what it is blind to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, trim_mean, ttest_ind
from scipy.stats import t as student

from steady.compare.moderated_t import judge_moderated_t
from steady.compare.pair import Pair
from steady.compare.paired_t import judge_paired_t
from steady.compare.rule import RuleOptions
from steady.model import FloatArray
from tests.compare.small_suites import apart, in_rounds


def suite(
    generator: np.random.Generator,
    count: int,
    forks: int,
    *,
    drift: float,
    slowdown: float = 1.0,
    alike: bool = False,
) -> list[Pair]:
    """Draw benchmarks of which base and head share what the machine does in a round."""
    spread = 0.01 * np.sqrt(2 / generator.chisquare(2, (count, 1, 1, 1)))
    levels = generator.normal(0, 1, (count, 2, forks, 1)) * spread
    machine = generator.normal(0, drift, (count, 1, forks, 1))
    noise = generator.normal(0, 0.005, (count, 2, forks, 10))
    values = 100 * np.exp(levels + machine + noise)
    return [in_rounds(base, slowdown * head, alike=alike) for base, head in values]


def differences_of(pair: Pair) -> FloatArray:
    """Return what each round shows, value by value.

    Forks of JMH stand by their medians, processes that are alike by all their iterations.
    """
    rounds = zip(np.log(pair.base), np.log(pair.head), strict=True)
    if pair.alike:
        return np.array([np.median(np.subtract.outer(head, base)) for base, head in rounds])
    return np.array([np.median(head) - np.median(base) for base, head in rounds])


@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize("count", [6, 10, 19, 20])
def test_one_benchmark_alone_is_the_t_test_trimmed_from_ten_rounds_on(
    count: int, alike: bool
) -> None:
    base, head = np.random.default_rng(count).standard_t(2, (2, count, 9)) + 100
    pair = in_rounds(base, head, alike=alike)
    [judgement] = judge_paired_t([pair], RuleOptions(0.95))
    differences = differences_of(pair)
    # Yuen's test against a side that never varies is the one of a single trimmed sample.
    reference = ttest_ind(differences, np.zeros(count), equal_var=False, trim=0.1)
    mean = trim_mean(differences, 0.1)
    half = student.ppf(0.975, reference.df) * abs(mean / reference.statistic)
    assert judgement.interval == pytest.approx((np.expm1(mean - half), np.expm1(mean + half)))
    assert judgement.apart == (reference.pvalue < 0.05)
    assert judgement.head.center / judgement.base.center == pytest.approx(np.exp(mean))
    assert (judgement.base.forks, judgement.base.iterations) == (count, 9 * count)


def test_a_round_that_went_wrong_decides_nothing() -> None:
    pairs = suite(np.random.default_rng(9), 60, 12, drift=0.1, slowdown=1.1)
    third = np.arange(12)[:, np.newaxis] == 3
    disturbed = [replace(p, base=np.where(third, 3 * p.base, p.base)) for p in pairs]
    assert apart(judge_paired_t(pairs, RuleOptions())) > 0.9
    assert apart(judge_paired_t(disturbed, RuleOptions())) > 0.9


def thorough(*values: Any) -> Any:
    return pytest.param(*values, marks=pytest.mark.thorough)


@pytest.mark.parametrize(
    ("forks", "drift", "alike"),
    [
        (3, 0.2, False),
        (12, 0.2, True),
        *(thorough(*one) for one in ((12, 0.2, False), (3, 0.2, True), (5, 0.2, True))),
        *(thorough(forks, 0.0, False) for forks in (3, 5, 12)),
    ],
)
def test_false_alarms_stay_at_what_is_promised(forks: int, drift: float, alike: bool) -> None:
    """Each number of rounds, 2,400 benchmarks in suites of 40, at 95 %: about one in twenty."""
    generator = np.random.default_rng(forks)
    suites = (suite(generator, 40, forks, drift=drift, alike=alike) for _ in range(60))
    rates = [apart(judge_paired_t(pairs, RuleOptions(0.95))) for pairs in suites]
    assert np.mean(rates) == pytest.approx(0.05, abs=0.015)


def bursty(generator: np.random.Generator, count: int, forks: int) -> tuple[FloatArray, FloatArray]:
    """Draw what a busy machine does to alike processes: some are disturbed, and others hardly."""
    load = np.exp(generator.normal(0, 1, (count, 2, forks, 1)))
    noise = load * generator.gamma(1, 0.15, (count, 2, forks, 5))
    values = 100 * np.exp(noise + load * generator.gamma(1, 0.05, (count, 2, forks, 1)))
    return values[:, 0], values[:, 1]


def bursty_pairs(sides: tuple[FloatArray, FloatArray], slowdown: float = 1.0) -> list[Pair]:
    return [in_rounds(b, slowdown * h, alike=True) for b, h in zip(*sides, strict=True)]


@pytest.mark.parametrize("forks", [3, thorough(5), 12])
def test_a_busy_machine_raises_no_more_false_alarms_than_promised(forks: int) -> None:
    generator = np.random.default_rng(forks)
    rates = [
        apart(judge_paired_t(bursty_pairs(bursty(generator, 40, forks)), RuleOptions(0.95)))
        for _ in range(50)
    ]
    assert np.mean(rates) < 0.065


def test_where_rounds_are_disturbed_it_finds_more_than_the_rank_sum_test_of_all_results() -> None:
    """As benchstat has it: 25 results a side, taken for independent."""
    generator = np.random.default_rng(10)
    load = np.exp(generator.normal(0, 1, (400, 1, 5, 1)))
    noise = generator.normal(0, 0.2, (400, 1, 5, 1)) + generator.normal(0, 0.2, (400, 2, 5, 5))
    values = 100 * np.exp(load * noise)
    sides = values[:, 0], values[:, 1]
    assert apart(judge_paired_t(bursty_pairs(sides), RuleOptions())) <= 0.015
    found = apart(judge_paired_t(bursty_pairs(sides, 1.3), RuleOptions()))
    base, head = values.reshape(400, 2, -1).swapaxes(0, 1)
    ranks = mannwhitneyu(base, 1.3 * head, axis=1, method="asymptotic").pvalue < 0.01
    assert found > 1.2 * ranks.mean()


def test_drift_of_the_machine_takes_nothing_away() -> None:
    generator = np.random.default_rng(5)
    pairs = suite(generator, 200, 5, drift=0.2, slowdown=1.05)
    assert apart(judge_paired_t(pairs, RuleOptions())) > 0.5
    assert apart(judge_moderated_t(pairs, RuleOptions())) < 0.05


def test_rounds_pair_the_forks_whatever_the_order_of_rows() -> None:
    [pair] = suite(np.random.default_rng(6), 1, 5, drift=0.1)
    order = np.column_stack([np.arange(5)[::-1], np.arange(5)])
    turned = Pair(pair.unit, pair.base[::-1], pair.head, order)
    [one], [other] = (judge_paired_t([p], RuleOptions()) for p in (pair, turned))
    assert one.interval == pytest.approx(other.interval)
    # A fork without a partner is left out.
    lost = Pair(pair.unit, pair.base, pair.head[1:], np.column_stack([range(1, 5), range(4)]))
    less = in_rounds(pair.base[1:], pair.head[1:])
    assert judge_paired_t([lost], RuleOptions()) == judge_paired_t([less], RuleOptions())


def test_without_rounds_it_is_the_unpaired_test() -> None:
    pairs = suite(np.random.default_rng(8), 10, 4, drift=0.0, slowdown=1.04)
    for known in (0, 1, 2):
        alone = [replace(p, rounds=p.rounds[:known]) for p in pairs]
        assert judge_paired_t(alone, RuleOptions()) == judge_moderated_t(alone, RuleOptions())
