"""Drift told from noise: on forks of which it is known whether they drift."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from steady.model import FloatArray
from steady.optimize.analysis import required_warmup
from steady.optimize.drift import SIGNIFICANCE, Drift, is_common, noise_of_one

MANY = 100


def busy(seed: int, forks: int, iterations: int, correlation: float) -> FloatArray:
    """Stationary forks of a busy machine: correlated noise, forks that differ, slow iterations."""
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((forks, iterations))
    for index in range(1, iterations):
        noise[:, index] *= np.sqrt(1 - correlation**2)
        noise[:, index] += correlation * noise[:, index - 1]
    slow = (rng.random(noise.shape) < 0.02) * rng.exponential(0.5, noise.shape)
    return np.exp(0.15 * noise + 0.05 * rng.standard_normal((forks, 1)) + slow)


def warming(seed: int, iterations: int, noise: float) -> FloatArray:
    """Forks that get faster all the time, by very different amounts, as under a starved JIT."""
    rng = np.random.default_rng(seed)
    slopes = rng.uniform(0.4, 2.0, (5, 1)) * np.linspace(1, 0, iterations)
    return np.exp(slopes + noise * rng.standard_normal((5, iterations)))


def kept(series: FloatArray, start: int) -> bool:
    """Whether the full run is kept where a detector finds each fork steady after `start`."""
    return required_warmup(Drift(series), [start] * len(series), np.arange(len(series)))[0] is None


@pytest.mark.parametrize("correlation", [0.0, 0.8, 0.95])
@pytest.mark.parametrize(
    ("forks", "iterations"),
    [(3, 20), (5, 60), *(pytest.param(n, 20, marks=pytest.mark.thorough) for n in (5, 10))],
)
def test_noise_is_hardly_ever_called_a_drift(
    forks: int, iterations: int, correlation: float
) -> None:
    make = partial(busy, forks=forks, iterations=iterations, correlation=correlation)
    wrong = sum(kept(make(seed), iterations // 4) for seed in range(MANY))
    assert wrong <= SIGNIFICANCE * MANY


@pytest.mark.parametrize("noise", [0.01, 0.05, 0.15])
def test_a_warm_up_that_lasts_to_the_end_is_seen_through_noise(noise: float) -> None:
    forks = np.arange(5)
    drifts = [Drift(warming(seed, 60, noise)) for seed in range(50)]
    seen = sum(all(d.is_real(start, forks, 0.03) for start in range(6, 31)) for d in drifts)
    assert seen >= {0.01: 50, 0.05: 49, 0.15: 35}[noise]


@pytest.mark.parametrize("late", [9, 12])
def test_one_late_fork_of_a_noisy_benchmark_is_no_warm_up(late: int) -> None:
    """A detector's late start in one fork left no iteration to search in."""
    series = busy(7, 5, 20, 0.5)
    warmup, reason = required_warmup(Drift(series), [2, 2, 3, 2, 20 - late // 3], np.arange(5))
    assert warmup is not None
    assert "drift" not in reason or "may be noise" in reason


def test_too_few_iterations_behind_the_start_of_most_forks_are_said_to_be_too_few() -> None:
    series = np.full((5, 60), 10.0)
    series[:, :57] = 14.0
    warmup, reason = required_warmup(Drift(series), [57] * 5, np.arange(5))
    assert (warmup, reason) == (
        None,
        "steady only after iteration 57 of 60: too few iterations follow",
    )


def test_forks_that_go_the_same_way_by_unlike_amounts_are_seen_by_their_own_noise() -> None:
    drifts = np.array([0.10, 0.12, 0.09, 0.11, 0.60])
    assert not is_common(drifts, np.full(5, 0.2))
    assert is_common(drifts, np.full(5, 0.02))
    assert not is_common(drifts * [1, 1, 1, 1, -1], np.full(5, 0.02))


def test_what_has_no_logarithm_is_not_settled() -> None:
    assert is_common(np.array([0.0, -np.inf]), np.ones(2))


def test_noise_of_one_is_that_of_medians_and_passes_over_trend_and_slow_iterations() -> None:
    rng = np.random.default_rng(0)
    series = np.exp(0.1 * rng.standard_normal((40, 600)))
    expected = 0.1 * np.sqrt(2 * np.pi / 2)
    assert np.median(noise_of_one(series)) == pytest.approx(expected, rel=0.1)
    series[:, ::50] *= 9
    trend = series * np.linspace(1.3, 1, 600)
    assert np.median(noise_of_one(trend)) == pytest.approx(expected, rel=0.15)
