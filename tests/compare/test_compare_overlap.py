"""The paper's rule, against the study's published decisions."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np

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
