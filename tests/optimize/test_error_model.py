from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.model import FloatArray
from steady.optimize.cost import CostModel
from steady.optimize.error_model import (
    STEP,
    USELESS,
    candidates,
    predicted_errors,
    steps,
    windows,
)
from steady.optimize.strategy import Material


def material(series: FloatArray, *, first: int = 0, min_forks: int = 1, least: int = 1) -> Material:
    elapsed = np.arange(series.shape[1] + 1, dtype=float)
    return Material(series, 0, first, CostModel(0.5, 0.0, elapsed), min_forks, least)


def noisy(seed: int, forks: int = 4, iterations: int = 20) -> FloatArray:
    rng = np.random.default_rng(seed)
    series = rng.normal(100, 1, (forks, iterations)) * rng.normal(1, 0.01, (forks, 1))
    series[:, :5] *= np.linspace(1.3, 1.0, 5)
    return np.asarray(series)


def literal_error(m: Material, w: int, i: int, f: int) -> float:
    """Return the predicted error of one configuration, by its formula and with plain loops."""
    shortest = min(sum(np.isfinite(fork)) for fork in m.series)
    truths = [np.nanmean(fork[shortest // 2 :]) for fork in m.series]
    misses = [np.mean(fork[w : w + i]) / t - 1 for fork, t in zip(m.series, truths, strict=True)]
    between = np.var([truth / np.mean(truths) for truth in truths], ddof=1)
    spread = between + np.var(misses, ddof=1)
    return float(np.sqrt(np.mean(misses) ** 2 + spread / f))


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    forks=st.integers(2, 4),
    missing=st.integers(0, 6),
    min_forks=st.integers(1, 5),
    first=st.integers(0, 14),
    least=st.integers(1, 6),
)
def test_nothing_that_was_tried_is_as_good_and_as_cheap(
    seed: int, forks: int, missing: int, min_forks: int, first: int, least: int
) -> None:
    series = noisy(seed, forks)
    if missing:
        series[0, -missing:] = np.nan
    m = material(series, first=first, min_forks=min_forks, least=least)
    tried = [
        (f * (0.5 + w + i), literal_error(m, w, i, f))
        for w, i in windows(m).tolist()
        for f in range(min(min_forks, forks), forks + 1)
    ]
    found = candidates(m)
    expected = [
        (s, e) for s, e in sorted(tried) if not any(t <= s and d < e - 1e-13 for t, d in tried)
    ]
    worst = max(USELESS, 2 * min(e for _, e in expected))
    expected = [(s, e) for s, e in expected if e <= worst]
    assert set(np.round(found.seconds, 6)) == {round(s, 6) for s, _ in expected}
    assert found.errors == pytest.approx(sorted({e for _, e in expected}, reverse=True), rel=1e-9)
    for row in range(found.seconds.size):
        w, i, f = (int(x[row]) for x in (found.warmups, found.iterations, found.forks))
        assert found.seconds[row] == pytest.approx(f * (0.5 + w + i))
        assert found.errors[row] == pytest.approx(literal_error(m, w, i, f), rel=1e-9)


def test_windows_fit_the_shortest_fork_and_begin_where_measuring_may() -> None:
    series = noisy(1)
    series[1, 14:] = np.nan
    rows = windows(material(series, first=3))
    assert rows.sum(axis=1).max() == 14
    assert rows[:, 0].min() == 3
    assert rows[:, 0].max() == 7
    assert rows[:, 1].min() == 1
    assert windows(material(series, least=5))[:, 1].min() == 5


def test_what_is_left_is_measured_where_it_is_less_than_the_least() -> None:
    rows = windows(material(noisy(1, iterations=10), first=7, least=5))
    assert rows.tolist() == [[7, 3]]


def test_counts_are_whole_and_no_more_than_a_step_apart() -> None:
    for most in (1, 2, 5, 60, 3000):
        tried = steps(most)
        assert (tried[0], tried[-1]) == (1, most)
        assert np.all(np.diff(tried) >= 1)
        assert np.all(tried[1:] <= np.maximum(tried[:-1] + 1, np.ceil(tried[:-1] * STEP) + 1))


def test_the_prediction_is_right_on_average() -> None:
    """Mean square over many suites: fork effects of 2 %, iterations of 4 %, five in a fork."""
    predicted = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        series = 100 * np.exp(rng.normal(0, 0.04, (5, 60)) + rng.normal(0, 0.02, (5, 1)))
        errors = predicted_errors(material(series), np.array([[0, 5]]), np.array([3]))
        predicted.append(errors[0, 0] ** 2)
    between, distance = 0.02**2 + 0.04**2 / 30, 0.04**2 / 5 + 0.04**2 / 30
    # There is no bias; its square is what chance leaves of it in five forks.
    assert np.mean(predicted) == pytest.approx((between + distance) / 3 + distance / 5, rel=0.1)


def test_a_window_in_the_warmup_pays_for_its_bias() -> None:
    rng = np.random.default_rng(3)
    series = rng.normal(100, 0.1, (5, 60))
    series[:, :10] *= 1.1
    errors = predicted_errors(material(series), np.array([[0, 5], [10, 5]]), np.array([5]))
    assert errors[0, 0] == pytest.approx(0.1, rel=0.05)
    assert errors[1, 0] < 0.002
