"""Drift beside its definition, taken anew for every start."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.model import FloatArray
from steady.optimize.analysis import required_warmup
from steady.optimize.drift import Drift, is_common


def literal_drift(series: FloatArray, start: int) -> float:
    window = max((series.shape[1] - start) // 3, 3)
    first = np.nanmedian(series[:, start : start + window], axis=1)
    last = np.array([np.median(fork[np.isfinite(fork)][-window:]) for fork in series])
    return float(abs(np.median(first / last) - 1.0))


@st.composite
def forks(draw: st.DrawFn) -> FloatArray:
    """A warm-up, noise, values that repeat; forks of unequal length."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count, iterations = draw(st.integers(2, 6)), draw(st.integers(10, 120))
    series = random.lognormal(3, draw(st.sampled_from([0.001, 0.05, 0.5])), (count, iterations))
    series *= 1 + draw(st.sampled_from([0, 1])) * np.exp(-np.arange(iterations) / 20)
    series = np.round(series, draw(st.sampled_from([0, 1, 12])))
    for fork in series[: draw(st.integers(0, count))]:
        fork[random.integers(10, iterations + 1) :] = np.nan
    return series


@settings(max_examples=40, deadline=None)
@given(forks())
def test_drift_is_that_of_the_definition_to_the_last_digit(series: FloatArray) -> None:
    drift, every = Drift(series), np.arange(len(series))
    shortest = int(np.isfinite(series).sum(axis=1).min())
    for start in range(shortest - 5, -1, -1):
        assert drift(start, every) == literal_drift(series, start)
        assert drift(start, every[1:]) == literal_drift(series[1:], start)


@given(forks(), st.integers(0, 60), st.sampled_from([0.0, 0.01, 0.1]))
def test_settled_is_the_first_start_with_little_drift(
    series: FloatArray, first: int, most: float
) -> None:
    last = int(np.isfinite(series).sum(axis=1).min()) - 5
    expected = next((s for s in range(first, last + 1) if literal_drift(series, s) <= most), None)
    assert Drift(series).settled(first, last, np.arange(len(series)), most) == expected


@settings(max_examples=40, deadline=None)
@given(forks())
def test_a_group_of_forks_needs_what_it_would_need_alone(series: FloatArray) -> None:
    starts = [3, None, *range(4, 2 + len(series))]
    without_first, _ = required_warmup(Drift(series[1:]), starts[1:], np.arange(len(series) - 1))
    known = [start for start in starts[1:] if start is not None]
    if without_first is not None:
        assert without_first >= min(known)
        # What is left is too little to count, or not common to the forks.
        others = np.arange(len(series) - 1)
        assert not Drift(series[1:]).is_real(without_first, others, 0.03)


def test_a_step_down_is_settled_behind_it() -> None:
    series = np.full((5, 300), 10.0)
    series[:, :120] = 14.0
    # The first third must be mostly behind the step: from 14 to 10 at half of its window.
    settled = Drift(series).settled(0, 290, np.arange(5), 0.03)
    assert settled is not None
    assert settled == pytest.approx(84, abs=1)
    assert literal_drift(series, settled) <= 0.03 < literal_drift(series, settled - 1)


def test_a_drift_is_common_where_its_mean_is_beyond_chance() -> None:
    drifts = np.array([0.10, 0.11, 0.09, 0.12, 0.08, 0.10])
    noises = np.full(6, 1.0)  # so that none is beyond its own noise
    assert is_common(drifts, noises)
    assert is_common(-drifts, noises)
    assert not is_common(drifts * [1, -1, 1, -1, 1, -1], noises)
