from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.model import FloatArray
from steady.optimize.cost import CostModel
from steady.optimize.error_budget import ErrorBudget
from steady.optimize.strategy import Material


def material(
    series: FloatArray, warmup: int, *, min_forks: int = 1, startup: float = 0.5
) -> Material:
    elapsed = np.arange(series.shape[1] + 1, dtype=float)
    return Material(series, warmup, 0, CostModel(startup, 0.0, elapsed), min_forks)


def literal_choice(m: Material, budget: float) -> tuple[float, float, tuple[int, int, int]] | None:
    """Try every configuration, one after the other, with plain formulas."""
    forks, iterations = m.series.shape
    truth = [np.log(np.median(fork[m.warmup :])) for fork in m.series]
    best = None
    for w in range(m.warmup + 1):
        for i in range(1, iterations - w + 1):
            logs = [np.log(np.median(fork[w : w + i])) for fork in m.series]
            bias = np.mean([a - b for a, b in zip(logs, truth, strict=True)])
            for f in range(min(m.min_forks, forks), forks + 1):
                error = float(np.sqrt(bias**2 + np.var(logs, ddof=1) / f))
                seconds = f * (m.cost.startup + w + i)
                if error <= budget and (best is None or (seconds, error) < best[:2]):
                    best = (seconds, error, (w, i, f))
    return best


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    forks=st.integers(2, 5),
    warmup=st.integers(0, 8),
    min_forks=st.integers(1, 3),
    budget=st.sampled_from([0.002, 0.01, 0.03, 0.1]),
)
def test_the_choice_is_that_of_the_literal_search(
    seed: int, forks: int, warmup: int, min_forks: int, budget: float
) -> None:
    rng = np.random.default_rng(seed)
    series = rng.normal(100, 1, (forks, 16)) * rng.normal(1, 0.01, (forks, 1))
    series[:, :5] *= np.linspace(1.3, 1.0, 5)
    m = material(series, warmup, min_forks=min_forks)
    expected = literal_choice(m, budget)
    choice = ErrorBudget(budget).choose(m)
    assert choice.met == (expected is not None)
    if expected is not None:
        seconds = choice.forks * (0.5 + choice.warmup + choice.iterations)
        assert seconds == pytest.approx(expected[0])
        assert choice.stability == pytest.approx(expected[1], abs=1e-12)


def test_a_missed_budget_keeps_everything_and_says_how_near_it_came() -> None:
    series = np.array([[100.0] * 12, [120.0] * 12])
    choice = ErrorBudget(0.01).choose(material(series, 2))
    assert (choice.warmup, choice.iterations, choice.forks, choice.met) == (2, 10, 2, False)
    expected = np.std(np.log([100, 120]), ddof=1) / np.sqrt(2)
    assert choice.stability == pytest.approx(expected)
    assert "no configuration is predicted to be within 1.00%" in choice.reason


def test_the_dearer_a_start_the_fewer_forks() -> None:
    fewer = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        series = rng.normal(100, 4, (6, 40)) * rng.normal(1, 0.01, (6, 1))
        forks = [
            ErrorBudget(0.01).choose(material(series, 0, startup=startup)).forks
            for startup in (0.0, 5.0, 50.0)
        ]
        assert forks == sorted(forks, reverse=True)
        fewer += forks[-1] < forks[0]
    assert fewer >= 5


def test_a_fork_that_is_shorter_limits_the_windows() -> None:
    series = np.full((3, 20), 100.0)
    series[1, 14:] = np.nan
    choice = ErrorBudget(0.01).choose(material(series, 3))
    assert choice.met
    assert choice.warmup + choice.iterations <= 14
