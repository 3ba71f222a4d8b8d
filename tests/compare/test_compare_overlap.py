"""The paper's rule, against the study's published decisions."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from steady.compare import Estimate
from steady.compare.overlap import judge_overlap
from steady.compare.pair import Pair
from steady.compare.rule import RuleOptions, apart_intervals
from steady.stats import median_interval


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
                sides = [
                    [float(row[f"{run}{side}{end}"]) for end in ("", "_lo", "_hi")]
                    for side in (1, 2)
                ]
                base, head = (Estimate(*side, 1, 1) for side in sides)  # type: ignore[arg-type, call-arg]
                judgement = apart_intervals(base, head)
                change = abs(head.center / base.center - 1)
                decided = judgement.apart and change >= 0.03
                assert decided == bool(int(row[f"det_{run}_abs"])), row
                seen[decided] += 1
    assert seen[True] > 1000
    assert seen[False] > 8000


def test_forks_that_differ_raise_false_alarms() -> None:
    """The rule's known weakness: it is why the others exist."""
    generator = np.random.default_rng(5)
    fork_levels = generator.normal(0, 0.03, (400, 6, 1))
    values = 100 * np.exp(fork_levels + generator.normal(0, 0.005, (400, 6, 30)))
    pairs = [Pair("ns/op", forks[:3], forks[3:]) for forks in values]
    alarms = [
        judgement.apart and abs(judgement.head.center / judgement.base.center - 1) >= 0.03
        for judgement in judge_overlap(pairs, RuleOptions())
    ]
    assert np.mean(alarms) > 0.15


@pytest.mark.parametrize("size", [1, 2, 3])
def test_few_values_span_all_of_them(size: int) -> None:
    values = np.arange(1.0, size + 1)[np.newaxis]
    [judgement] = judge_overlap([Pair("ns/op", values, values)], RuleOptions())
    assert (judgement.base.low, judgement.base.high) == (1.0, float(size))
