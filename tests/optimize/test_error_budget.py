from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.model import FloatArray
from steady.optimize.cost import CostModel
from steady.optimize.error_budget import MIN_MEASURED, ErrorBudget, predicted_errors
from steady.optimize.strategy import Material


def material(
    series: FloatArray, warmup: int, *, min_forks: int = 1, startup: float = 0.5
) -> Material:
    elapsed = np.arange(series.shape[1] + 1, dtype=float)
    return Material(series, warmup, 0, CostModel(startup, 0.0, elapsed), min_forks)


def literal_error(m: Material, w: int, i: int, f: int) -> float:
    """Return the predicted error of one configuration, by its formula and with plain loops."""
    count, iterations = m.series.shape
    steady = min(m.warmup, iterations // 2)
    misses, medians = [], []
    for fork in m.series:
        medians.append(np.median(np.log(fork[w : w + i])))
        misses.append(medians[-1] - np.median(np.log(fork[steady:])))
    bias = max(0.0, np.mean(misses) ** 2 - np.var(misses, ddof=1) / count)
    starts = range(steady, iterations - i + 1) or [iterations - i]
    spreads = [
        np.var([np.median(np.log(fork[start : start + i])) for fork in m.series], ddof=1)
        for start in starts
    ]
    spread = np.median(spreads)
    if w < steady:
        spread = max(spread, np.var(medians, ddof=1))
    return float(np.sqrt(bias + spread / f))


def literal_choice(m: Material, budget: float) -> tuple[float, float] | None:
    """Try every configuration, one after the other; return seconds and error of the best."""
    forks, iterations = m.series.shape
    best = None
    for w in range(m.warmup + 1):
        for i in range(min(MIN_MEASURED, iterations - w), iterations - w + 1):
            for f in range(min(m.min_forks, forks), forks + 1):
                found = f * (m.cost.startup + w + i), literal_error(m, w, i, f)
                if found[1] <= budget and (best is None or found < best):
                    best = found
    return best


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    forks=st.integers(2, 4),
    warmup=st.integers(0, 8),
    min_forks=st.integers(1, 3),
    budget=st.sampled_from([0.002, 0.01, 0.03, 0.1]),
)
def test_the_choice_is_that_of_the_literal_search(
    seed: int, forks: int, warmup: int, min_forks: int, budget: float
) -> None:
    rng = np.random.default_rng(seed)
    series = rng.normal(100, 1, (forks, 14)) * rng.normal(1, 0.01, (forks, 1))
    series[:, :5] *= np.linspace(1.3, 1.0, 5)
    m = material(series, warmup, min_forks=min_forks)
    expected = literal_choice(m, budget)
    choice = ErrorBudget(budget).choose(m)
    assert choice.met == (expected is not None)
    if expected is not None:
        seconds = choice.forks * (0.5 + choice.warmup + choice.iterations)
        assert seconds == pytest.approx(expected[0])
        assert choice.stability == pytest.approx(expected[1], abs=1e-12)


def test_a_bias_that_is_only_noise_is_taken_off() -> None:
    """Over many suites, the predicted square is the true one, not that plus the noise of it."""
    windows, forks = np.array([[0, 5]]), np.array([1])
    squares = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        series = np.exp(rng.normal(0, 0.02, (5, 60)))
        squares.append(predicted_errors(material(series, 0), windows, forks)[0, 0] ** 2)
    medians = np.median(np.random.default_rng(1).normal(0, 0.02, (20_000, 5)), axis=1)
    assert np.mean(squares) == pytest.approx(medians.var(), rel=0.15)


def test_a_window_in_the_warmup_pays_for_its_bias() -> None:
    rng = np.random.default_rng(3)
    series = rng.normal(100, 0.1, (5, 60))
    series[:, :10] *= 1.1
    errors = predicted_errors(material(series, 10), np.array([[0, 5], [10, 5]]), np.array([5]))
    assert errors[0, 0] == pytest.approx(np.log(1.1), rel=0.05)
    assert errors[1, 0] < 0.002


def test_a_missed_budget_keeps_everything_and_says_how_near_it_came() -> None:
    series = np.array([[100.0] * 12, [120.0] * 12])
    choice = ErrorBudget(0.01).choose(material(series, 2))
    assert (choice.warmup, choice.iterations, choice.forks, choice.met) == (2, 10, 2, False)
    expected = np.std(np.log([100, 120]), ddof=1) / np.sqrt(2)
    assert choice.stability == pytest.approx(expected)
    assert f"stays above 1.00%: {expected:.2%} at the least" in choice.reason


def test_the_dearer_a_start_the_fewer_forks() -> None:
    fewer = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        series = rng.normal(100, 4, (6, 40)) * rng.normal(1, 0.01, (6, 1))
        forks = [
            ErrorBudget(0.02).choose(material(series, 0, startup=startup)).forks
            for startup in (0.0, 5.0, 50.0)
        ]
        assert forks == sorted(forks, reverse=True)
        fewer += forks[-1] < forks[0]
    assert fewer >= 3


def test_a_fork_that_is_shorter_limits_the_windows() -> None:
    series = np.full((3, 20), 100.0)
    series[1, 14:] = np.nan
    choice = ErrorBudget(0.01).choose(material(series, 3))
    assert choice.met
    assert choice.warmup + choice.iterations <= 14
