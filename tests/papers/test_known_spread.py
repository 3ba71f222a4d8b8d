"""Forks' fastest quarters, and what earlier runs know of how they spread."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import t as student

from steady.compare.overlap import judge_overlap
from steady.compare.pair import Pair
from steady.compare.rule import Judgement, RuleOptions
from steady.compare.spread import Spread
from steady.papers.change_rules import MOST_FREEDOM, judge_known_spread
from tests.looped import looped

FloatArray = npt.NDArray[np.float64]
ONE_FORK = np.full((1, 8), 100.0)


def judge(pairs: Sequence[Pair], confidence: float = 0.99) -> list[Judgement]:
    return judge_known_spread(pairs, RuleOptions(confidence))


def one_fork(change: float, earlier: Spread, unit: str = "ns/op") -> Pair:
    return Pair(unit, ONE_FORK, ONE_FORK * (1 + change), earlier=earlier)


def test_one_fork_a_side_is_held_against_the_known_spread() -> None:
    known = Spread(0.01**2, 4)
    half = student.ppf(0.995, 4) * 0.01 * np.sqrt(2)
    [judgement] = judge([one_fork(0.05, known)])
    difference = np.log(1.05)
    assert judgement.interval == pytest.approx(np.expm1([difference - half, difference + half]))
    assert judgement.reach.rise == pytest.approx(np.expm1(half))
    assert not judgement.apart
    [larger] = judge([one_fork(0.08, known)])
    assert larger.apart
    assert larger.notes == ()


def test_spread_of_these_runs_and_of_earlier_ones_are_pooled() -> None:
    base = np.array([[100.0], [102.0], [101.0]])
    head = np.array([[103.0], [106.0]])
    [judgement] = judge([Pair("ns/op", base, head, earlier=Spread(4e-4, 3))])
    logs = np.log(base.ravel()), np.log(head.ravel())
    squares = sum(((side - side.mean()) ** 2).sum() for side in logs)
    deviation = np.sqrt((squares + 3 * 4e-4) / 6)
    half = student.ppf(0.995, 6) * deviation * np.sqrt(1 / 3 + 1 / 2)
    difference = logs[1].mean() - logs[0].mean()
    assert judgement.interval == pytest.approx(np.expm1([difference - half, difference + half]))


def test_no_knowledge_is_trusted_like_a_normal_number() -> None:
    half = student.ppf(0.995, MOST_FREEDOM) * 0.01 * np.sqrt(2)
    [judgement] = judge([one_fork(0.0, Spread(0.01**2, 1e6))])
    assert judgement.reach.rise == pytest.approx(np.expm1(half))


def test_benchmarks_of_one_unit_share_what_they_know() -> None:
    noisy = [one_fork(0.0, Spread(0.04**2, 2)) for _ in range(20)]
    quiet = one_fork(0.06, Spread(0.0005**2, 2))
    assert judge([quiet])[0].apart
    assert not judge([quiet, *noisy])[0].apart
    elsewhere = [one_fork(0.0, Spread(0.04**2, 2), unit="us/op") for _ in range(20)]
    assert judge([quiet, *elsewhere])[0].apart


@looped("alike", [False, True])
def test_nobody_knows_anything_and_says_so(alike: bool) -> None:
    values = np.random.default_rng(1).normal(100, 1, (3, 2, 1, 12))
    pairs = [Pair("ns/op", base, head, alike=alike) for base, head in values]
    for found, plain in zip(judge(pairs), judge_overlap(pairs, RuleOptions()), strict=True):
        if alike:
            assert (found.apart, found.interval) == (plain.apart, plain.interval)
            assert found.notes == ("one process on either side, so its repetitions alone decided",)
        else:
            assert (found.apart, found.interval) == (False, None)
            assert found.lacking == "too few forks: 1 on either side; give 2 or more"


def forks_of(generator: np.random.Generator, count: int, forks: int) -> FloatArray:
    """Draw benchmarks whose forks spread differently, with disturbances that only slow down."""
    spread = 0.01 * np.sqrt(2 / generator.chisquare(2, (count, 1, 1)))
    levels = generator.normal(0, 1, (count, forks, 1)) * spread
    return 100 * np.exp(levels + generator.exponential(0.02, (count, forks, 12)))


def test_false_alarms_stay_below_what_is_promised_with_one_fork_a_side() -> None:
    """Four thousand benchmarks in suites of 40 with an earlier run of five forks, at 95 %."""
    generator = np.random.default_rng(7)
    apart = []
    for _ in range(100):
        values = forks_of(generator, 40, 7)
        levels = np.log(np.sort(values, axis=2)[..., :3].mean(axis=2))
        known = [Spread(float(row.var(ddof=1)), 4) for row in levels[:, 2:]]
        pairs = [
            Pair("ns/op", forks[:1], forks[1:2], earlier=spread)
            for forks, spread in zip(values, known, strict=True)
        ]
        apart += [judgement.apart for judgement in judge(pairs, 0.95)]
    assert 0.02 < np.mean(apart) < 0.06
