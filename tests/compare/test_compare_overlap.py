"""The paper's rule: what two intervals alone can say, and the study's published decisions."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np

from steady.compare import Estimate
from steady.compare.overlap import judge_overlap
from steady.compare.pair import Pair
from steady.compare.rule import NO_REACH, Reach, RuleOptions, apart_intervals
from steady.stats import median_interval


def estimate(center: float, low: float, high: float) -> Estimate:
    return Estimate(center, low, high, 1, 10)


def test_intervals_are_apart_where_they_share_at_most_one_point() -> None:
    for base, head, apart in (
        ((10, 9, 11), (12, 11.5, 13), True),
        ((10, 9, 11), (12, 11, 13), True),  # touching: the paper's prototype counts it as apart
        ((10, 9, 11), (12, 10.9, 13), False),
        ((10, 9, 11), (8, 7, 9), True),
        ((10, 10, 10), (10, 9, 11), False),  # zero width inside another: overlap
    ):
        judgement = apart_intervals(estimate(*base), estimate(*head))
        assert judgement.apart is apart
        assert judgement.interval is not None
        low, high = judgement.interval
        assert (low >= 0 or high <= 0) is apart


def test_reach_is_the_change_at_which_head_just_touches_base() -> None:
    base = estimate(10, 9, 10.5)
    reach = apart_intervals(base, estimate(20, 19, 22)).reach
    for change in (-reach.fall, reach.rise):
        moved = estimate(*(x / 2 * (1 + change) for x in (20, 19, 22)))
        assert min(abs(moved.low - base.high), abs(moved.high - base.low)) < 1e-12
    assert (reach.of(-0.1), reach.of(0.1)) == (reach.fall, reach.rise)
    assert reach.of(0.0) == max(reach.fall, reach.rise)


def test_a_base_of_zero_has_no_relative_interval() -> None:
    judgement = apart_intervals(estimate(0, 0, 0), estimate(5, 5, 5))
    assert (judgement.interval, judgement.apart, judgement.reach) == (None, True, Reach(0, 0))
    assert apart_intervals(estimate(0, -1, 6), estimate(5, 5, 5)).reach == NO_REACH
    assert apart_intervals(estimate(0, 0, 0), estimate(0, 0, 0)).reach == Reach(0, 0)


def test_center_and_interval_are_those_of_all_iterations_of_all_forks() -> None:
    generator = np.random.default_rng(1)
    base, head = generator.normal(100, 1, (2, 3, 20))
    head[1, 15:] = np.nan
    [judgement] = judge_overlap([Pair("ns/op", base, head)], RuleOptions(0.95))
    values = head[np.isfinite(head)]
    low, high = median_interval(values, confidence=0.95)
    assert judgement.head == Estimate(float(np.median(values)), low, high, 3, 55)
    assert judgement.base.iterations == 60


def test_decisions_are_those_the_study_published(shared: Path) -> None:
    """µOpTime data, golden change details: two-sided decision from two intervals, 3 %."""
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
                decided = apart_intervals(base, head).apart and change >= 0.03
                assert decided == bool(int(row[f"det_{run}_abs"])), row
                seen[decided] += 1
    assert seen[True] > 1000
    assert seen[False] > 8000
