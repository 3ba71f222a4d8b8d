"""False alarms, power and decisions on published measurements, as stated in reports."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from evaluation import java_changes, verdicts
from evaluation._uoptime_data import read_projects
from steady.compare import Estimate
from steady.compare.pair import Pair
from steady.compare.power import NOT_DETECTABLE, DetectableEffect
from steady.compare.rule import RuleOptions, judge_intervals, judge_overlap
from steady.stats import median_interval

Suites = list[list[Pair]]


@pytest.fixture(scope="module")
def three_forks(shared: Path) -> Suites:
    """Return the jmh-steady benchmarks, split into two sides of 3 forks x 20 iterations of 10 s."""
    projects = verdicts.jmh_steady(shared / "data" / "jmh-steady")
    return verdicts.dealt([verdicts.join(p, 20, 100) for p in projects], 3, splits=1)


@pytest.fixture(scope="module")
def one_fork(shared: Path) -> Suites:
    """Return pairs of single forks of data set 3, with earlier runs as historical data."""
    projects = read_projects(shared / "data" / "uoptime", "ds3")
    return verdicts.one_fork({"zipkin": projects["zipkin"]}, verdicts.before)


def rates(suites: Suites, rule: str) -> tuple[float, float]:
    """Return the rate of false alarms, and the share of detected 10 % slowdowns."""
    judgements = [j for suite in suites for j in verdicts.judge(rule, suite)]
    found = verdicts.rates(judgements)
    return found.alarms, found.found[verdicts.SLOWDOWNS.index(1.1)]


def test_false_alarms_of_pooled_iterations_and_of_moderated_t(
    three_forks: Suites,
) -> None:
    alarms, power = rates(three_forks, "overlap")
    assert 0.05 < alarms < 0.17
    assert power > 0.85
    alarms, power = rates(three_forks, "moderated-t")
    _, alone = rates(three_forks, verdicts.ALONE)
    assert alarms < 0.02
    assert power > max(0.68, alone + 0.04)


def test_known_spread_needs_one_fork_per_side(one_fork: Suites) -> None:
    alarms, power = rates(one_fork, "known-spread")
    pooled, _ = rates(one_fork, "overlap")
    assert alarms < 0.03
    assert power > 0.4
    assert pooled > 4 * alarms


def test_each_fork_is_used_once() -> None:
    project = np.arange(6.0).reshape(1, 6, 1) + 1
    for [pair] in verdicts.dealt([project], 2, splits=3, known=2):
        sides = np.concatenate([pair.base, pair.head]).ravel()
        left = np.setdiff1d(np.arange(1.0, 7), sides)
        assert len(left) == 2
        [earlier] = pair.earlier
        assert sorted(earlier.ravel()) == pytest.approx(left)


def test_equal_time_for_all_forks_widest_intervals_first() -> None:
    quiet, noisy = np.full((3, 20), 5.0), np.linspace(1.0, 9.0, 60).reshape(3, 20)
    cases = [
        java_changes.Case("p", "1", name, table, table, table, published, False, False)
        for name, table, published in (("quiet", quiet, (3, 20)), ("noisy", noisy, (1, 15)))
    ]
    cut = java_changes.spend(cases, 0)
    assert [cut(case) for case in cases] == [(3, 12), (3, 13)]
    with_warmup = java_changes.spend(cases, 20)
    assert [with_warmup(case) for case in cases] == [(3, 5), (3, 6)]


def test_decisions_match_published_ones(shared: Path) -> None:
    cases = [
        case
        for case in java_changes.read_cases(shared / "data" / "uoptime")
        if case.project == "jenetics"
    ]
    decisions = java_changes.slower(cases, lambda case: case.published)
    assert len(cases) == 389
    assert decisions.tolist() == [case.reduced for case in cases]


def estimate(center: float, low: float, high: float) -> Estimate:
    return Estimate(center, low, high, 1, 10)


def test_intervals_with_at_most_one_common_point_are_apart() -> None:
    for base, head, apart in (
        ((10, 9, 11), (12, 11.5, 13), True),
        ((10, 9, 11), (12, 11, 13), True),  # touching: the paper's prototype counts it as apart
        ((10, 9, 11), (12, 10.9, 13), False),
        ((10, 9, 11), (8, 7, 9), True),
        ((10, 10, 10), (10, 9, 11), False),  # zero width inside another: overlap
    ):
        judgement = judge_intervals(estimate(*base), estimate(*head))
        assert judgement.apart is apart
        assert judgement.interval is not None
        low, high = judgement.interval
        assert (low >= 0 or high <= 0) is apart


def test_the_detectable_change_makes_the_intervals_touch() -> None:
    base = estimate(10, 9, 10.5)
    effect = judge_intervals(base, estimate(20, 19, 22)).detectable
    for change in (-effect.decrease, effect.increase):
        moved = estimate(*(x / 2 * (1 + change) for x in (20, 19, 22)))
        assert min(abs(moved.low - base.high), abs(moved.high - base.low)) < 1e-12
    assert (effect.of(-0.1), effect.of(0.1)) == (effect.decrease, effect.increase)
    assert effect.of(0.0) == max(effect.decrease, effect.increase)


def test_a_base_of_zero_has_no_relative_interval() -> None:
    judgement = judge_intervals(estimate(0, 0, 0), estimate(5, 5, 5))
    assert (judgement.interval, judgement.apart) == (None, True)
    assert judgement.detectable == DetectableEffect(0, 0)
    assert judge_intervals(estimate(0, -1, 6), estimate(5, 5, 5)).detectable == NOT_DETECTABLE
    zero = estimate(0, 0, 0)
    assert judge_intervals(zero, zero).detectable == DetectableEffect(0, 0)


def test_overlap_pools_all_iterations_of_all_forks() -> None:
    generator = np.random.default_rng(1)
    base, head = generator.normal(100, 1, (2, 3, 20))
    head[1, 15:] = np.nan
    [judgement] = judge_overlap([Pair("ns/op", base, head)], RuleOptions(0.95))
    values = head[np.isfinite(head)]
    low, high = median_interval(values, confidence=0.95)
    assert judgement.head == Estimate(float(np.median(values)), low, high, 3, 55)
    assert judgement.base.iterations == 60


def test_decisions_match_those_of_the_study(shared: Path) -> None:
    """µOpTime data, golden change details: decisions by two intervals, at least 3 %."""
    path = shared / "data" / "uoptime" / "golden_change_details.csv.gz"
    seen = {True: 0, False: 0}
    with gzip.open(path, "rt", encoding="utf-8") as text:
        for row in csv.DictReader(text):
            for run in ("full", "min"):
                base, head = (
                    estimate(*(float(row[f"{run}{side}{end}"]) for end in ("", "_lo", "_hi")))
                    for side in (1, 2)
                )
                change = abs(head.center / base.center - 1)
                decided = judge_intervals(base, head).apart and change >= 0.03
                assert decided == bool(int(row[f"det_{run}_abs"])), row
                seen[decided] += 1
    assert seen[True] > 1000
    assert seen[False] > 8000
