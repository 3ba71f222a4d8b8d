from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from steady.harness.jmh.run.scores import RANKS, Statistics

NUMBERS = st.floats(-1e6, 1e6).map(lambda x: round(x, 3) + 0.0)


def percentile_of_list(values: list[float], rank: float) -> float:
    """The estimate of commons-math's Percentile, as its documentation describes it."""
    ordered, n = sorted(values), len(values)
    position = rank / 100 * (n + 1)
    if n == 1 or position < 1:
        return ordered[0]
    if position >= n:
        return ordered[-1]
    low, high = ordered[int(position) - 1], ordered[int(position)]
    return low + (position - int(position)) * (high - low)


@given(st.lists(NUMBERS, min_size=1, max_size=40))
def test_a_list_against_the_definitions(values: list[float]) -> None:
    computed = Statistics(np.array(values))
    assert computed.n == len(values)
    assert computed.mean == pytest.approx(statistics.fmean(values), rel=1e-9, abs=1e-9)
    assert [computed.percentile(r) for r in RANKS] == [percentile_of_list(values, r) for r in RANKS]
    if len(values) > 1:
        assert computed.variance == pytest.approx(statistics.variance(values), rel=1e-6, abs=1e-6)


@given(st.lists(st.tuples(NUMBERS, st.integers(1, 5)), min_size=1, max_size=20))
def test_a_multiset_is_the_list_of_its_values(pairs: list[tuple[float, int]]) -> None:
    values = [value for value, count in pairs for _ in range(count)]
    half = len(pairs) // 2
    computed = Statistics.of_histograms([pairs[:half], pairs[half:]])
    expected = Statistics(np.array(values))
    assert computed.n == expected.n
    assert computed.mean == pytest.approx(expected.mean, rel=1e-9, abs=1e-9)
    assert computed.variance == pytest.approx(expected.variance, rel=1e-6, abs=1e-6, nan_ok=True)
    for rank in RANKS:
        assert computed.percentile(rank) == pytest.approx(expected.percentile(rank), rel=1e-12)


@given(st.lists(NUMBERS, min_size=3, max_size=40))
def test_the_error_is_students(values: list[float]) -> None:
    n = len(values)
    expected = t.ppf(0.9995, n - 1) * np.std(values, ddof=1) / math.sqrt(n)
    assert Statistics(np.array(values)).mean_error == pytest.approx(expected, rel=1e-6)


def test_without_enough_values_nothing_is_known() -> None:
    assert math.isnan(Statistics(np.array([1.0, 2.0])).mean_error)
    assert math.isnan(Statistics.of_histograms([[(1.0, 2)]]).mean_error)
    for empty in (Statistics(np.array([])), Statistics.of_histograms([[]])):
        assert empty.n == 0
        derived = (empty.mean, empty.variance, empty.percentile(50.0), empty.mean_error)
        assert all(map(math.isnan, derived))


def test_what_is_not_a_number_is_left_out_of_percentiles_but_the_least() -> None:
    computed = Statistics(np.array([2.0, math.nan, 1.0]))
    assert math.isnan(computed.percentile(0.0))
    assert computed.percentile(50.0) == 1.5
    assert math.isnan(computed.mean)
