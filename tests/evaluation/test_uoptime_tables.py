"""Table 3: tests and counts against hand-computed values and a brute-force oracle."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation._uoptime import Group, quality
from evaluation.uoptime_changes import count_changes, is_slower, minimum, published_counts
from evaluation.uoptime_metrics import cliffs_delta, dunn

VALUES = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=8)


@given(VALUES, VALUES)
def test_cliffs_delta_counts_pairs(first: list[float], second: list[float]) -> None:
    signs = [np.sign(x - y) for x, y in product(first, second)]
    assert cliffs_delta(np.array(first), np.array(second)) == pytest.approx(np.mean(signs))


def test_dunn_is_kruskal_and_wallis_for_two_samples_and_corrects_for_the_number_of_pairs() -> None:
    random = np.random.default_rng(3)
    two = [random.integers(0, 9, 20).astype(float), random.integers(2, 12, 15).astype(float)]
    assert dunn(two)[0] == pytest.approx(stats.kruskal(*two).pvalue)
    samples = [np.array([1.0, 2, 3]), np.array([4.0, 5, 6]), np.array([7.0, 8, 9])]
    # Mean ranks 2, 5, 8; sd of a difference sqrt(9 * 10 / 12 * 2 / 3)
    scores = np.array([3, 6, 3]) / np.sqrt(5)
    assert dunn(samples) == pytest.approx(np.minimum(1, 3 * 2 * stats.norm.sf(scores)))


def test_quality_of_configurations_by_hand() -> None:
    values = np.array([[10.0, 10, 10, 13, 13], [10, 10, 10, 13, 13]])
    key = ("ds2", "p", "v", "b", "")
    group = Group("ds2", "p", "warmup50", ("v",), (key, key), (values, np.ones((2, 5))))
    found = quality(group, [(1, 3), (2, 5)], "cv")
    assert found.saved == pytest.approx(1 - (3 + 10) / 20)
    assert found.total_saved == pytest.approx(1 - (3 + 50 + 10 + 100) / (20 + 200))
    # 10 instead of 11.2 is 10.7 % off; the second benchmark is not reduced.
    assert found.near == (0.5, 0.5, 0.5, 0.5)


def test_slower_by_the_papers_rule() -> None:
    base, head = (100, 99, 101), (104, 102, 106)
    assert is_slower(base, head)
    assert is_slower((100, 99, 102), head), "touching intervals do not overlap"
    assert not is_slower((100, 99, 103), head)
    assert not is_slower(base, (103, 102, 106)), "3 % is not more than 3 %"
    assert not is_slower(head, base), "faster"


def test_changes_are_counted_against_the_full_configuration() -> None:
    flat, slow = np.full((3, 20), 10.0), np.full((3, 20), 11.0)
    late = flat.copy()
    late[1:] = 12.0  # the minimum, fork 1 x 3, does not see it
    versions = [{"a": flat, "b": flat, "c": flat}, {"a": slow, "b": late, "d": flat}]
    assert count_changes(versions, minimum, "ds3") == (1, 0, 1)


def test_the_minimum_baseline_is_the_published_one(shared: Path) -> None:
    """The data's README: toml 25/0/1, bytebuddy 3/45/8."""
    counts = published_counts(shared / "data" / "uoptime")
    assert counts["toml", "minimum"] == "25 / 0 / 1"
    assert counts["bytebuddy", "minimum"] == "3 / 45 / 8"
