"""Drift, compared with a literal definition, and its test on simulated forks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.model import FloatArray
from steady.optimize.drift import SIGNIFICANCE, Drift, drift_noise, is_common
from steady.optimize.warm_up import required_warmup


def literal_drift(series: FloatArray, start: int) -> float:
    window = max((series.shape[1] - start) // 3, 3)
    first = np.nanmedian(series[:, start : start + window], axis=1)
    last = np.array([np.median(fork[np.isfinite(fork)][-window:]) for fork in series])
    return float(abs(np.median(first / last) - 1.0))


@st.composite
def forks(draw: st.DrawFn) -> FloatArray:
    """Forks of unequal length with a warm-up, noise and repeated values."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count, iterations = draw(st.integers(2, 6)), draw(st.integers(10, 120))
    series = random.lognormal(3, draw(st.sampled_from([0.001, 0.05, 0.5])), (count, iterations))
    series *= 1 + draw(st.sampled_from([0, 1])) * np.exp(-np.arange(iterations) / 20)
    series = np.round(series, draw(st.sampled_from([0, 1, 12])))
    for fork in series[: draw(st.integers(0, count))]:
        fork[random.integers(10, iterations + 1) :] = np.nan
    return series


@settings(max_examples=25, deadline=None)
@given(forks())
def test_drift_equals_the_definition_exactly(series: FloatArray) -> None:
    drift, every = Drift(series), np.arange(len(series))
    shortest = int(np.isfinite(series).sum(axis=1).min())
    for start in range(shortest - 5, -1, -1):
        assert drift(start, every) == literal_drift(series, start)
        assert drift(start, every[1:]) == literal_drift(series[1:], start)


@given(forks(), st.integers(0, 60), st.sampled_from([0.0, 0.01, 0.1]))
def test_the_stable_start_is_the_first_with_little_drift(
    series: FloatArray, first: int, most: float
) -> None:
    last = int(np.isfinite(series).sum(axis=1).min()) - 5
    expected = next((s for s in range(first, last + 1) if literal_drift(series, s) <= most), None)
    assert Drift(series).first_stable_start(first, last, np.arange(len(series)), most) == expected


@settings(max_examples=40, deadline=None)
@given(forks())
def test_the_warm_up_of_a_group_does_not_depend_on_other_forks(series: FloatArray) -> None:
    starts = [3, None, *range(4, 2 + len(series))]
    without_first, _ = required_warmup(Drift(series[1:]), starts[1:], np.arange(len(series) - 1))
    known = [start for start in starts[1:] if start is not None]
    if without_first is not None:
        assert without_first >= min(known)
        # The remaining drift is too small, or not common to the forks.
        others = np.arange(len(series) - 1)
        assert not Drift(series[1:]).is_real(without_first, others, 0.03)


def test_a_fork_is_stable_after_a_step_down() -> None:
    series = np.full((5, 300), 10.0)
    series[:, :120] = 14.0
    # Most of the first third must be after the step, from 14 to 10 at half of its window.
    settled = Drift(series).first_stable_start(0, 290, np.arange(5), 0.03)
    assert settled is not None
    assert settled == pytest.approx(84, abs=1)
    assert literal_drift(series, settled) <= 0.03 < literal_drift(series, settled - 1)
    # If too few iterations follow the start of most forks, the reason says so.
    series[:, :] = np.where(np.arange(300) < 297, 14.0, 10.0)
    assert required_warmup(Drift(series), [297] * 5, np.arange(5)) == (
        None,
        "steady only after iteration 297 of 300: too few iterations follow",
    )


def test_a_drift_is_common_if_its_mean_is_significant() -> None:
    drifts = np.array([0.10, 0.11, 0.09, 0.12, 0.08, 0.10])
    noises = np.full(6, 1.0)  # so that none is beyond its own noise
    assert is_common(drifts, noises)
    assert is_common(-drifts, noises)
    assert not is_common(drifts * [1, -1, 1, -1, 1, -1], noises)
    # Common drift of different sizes is detected by each fork's own noise.
    drifts = np.array([0.10, 0.12, 0.09, 0.11, 0.60])
    assert not is_common(drifts, np.full(5, 0.2))
    assert is_common(drifts, np.full(5, 0.02))
    assert not is_common(drifts * [1, 1, 1, 1, -1], np.full(5, 0.02))
    assert is_common(np.array([0.0, -np.inf]), np.ones(2))  # a value without a logarithm is a drift


MANY = 100


def busy(seed: int, forks: int, iterations: int, correlation: float) -> FloatArray:
    """Stationary forks of a busy machine: autocorrelated, with outliers and different levels."""
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((forks, iterations))
    for index in range(1, iterations):
        noise[:, index] *= np.sqrt(1 - correlation**2)
        noise[:, index] += correlation * noise[:, index - 1]
    slow = (rng.random(noise.shape) < 0.02) * rng.exponential(0.5, noise.shape)
    return np.exp(0.15 * noise + 0.05 * rng.standard_normal((forks, 1)) + slow)


def warming(seed: int, iterations: int, noise: float) -> FloatArray:
    """Forks that become faster until the end by very different factors, as with a slow compiler."""
    rng = np.random.default_rng(seed)
    slopes = rng.uniform(0.4, 2.0, (5, 1)) * np.linspace(1, 0, iterations)
    return np.exp(slopes + noise * rng.standard_normal((5, iterations)))


def kept(series: FloatArray, start: int) -> bool:
    """Return whether the full run is kept if a detector finds each fork steady after `start`."""
    return required_warmup(Drift(series), [start] * len(series), np.arange(len(series)))[0] is None


@pytest.mark.parametrize(
    ("forks", "iterations"),
    [(3, 20), (5, 60), *(pytest.param(n, 20, marks=pytest.mark.thorough) for n in (5, 10))],
)
def test_noise_is_rarely_reported_as_drift(forks: int, iterations: int) -> None:
    for correlation in (0.0, 0.8, 0.95):
        series = (busy(seed, forks, iterations, correlation) for seed in range(MANY))
        assert sum(kept(one, iterations // 4) for one in series) <= SIGNIFICANCE * MANY


def test_a_warm_up_to_the_end_is_detected_despite_noise() -> None:
    forks = np.arange(5)
    for noise, least in ((0.01, 50), (0.05, 49), (0.15, 35)):
        drifts = [Drift(warming(seed, 60, noise)) for seed in range(50)]
        seen = sum(all(d.is_real(start, forks, 0.03) for start in range(6, 31)) for d in drifts)
        assert seen >= least


def test_one_late_fork_of_a_noisy_benchmark_is_no_warm_up() -> None:
    """Regression test: a late start in one fork left no iteration to search."""
    drift = Drift(busy(7, 5, 20, 0.5))
    for late in (16, 17):
        warmup, reason = required_warmup(drift, [2, 2, 3, 2, late], np.arange(5))
        assert warmup is not None
        assert "drift" not in reason or "may be noise" in reason


def test_drift_noise_ignores_trends_and_slow_iterations() -> None:
    rng = np.random.default_rng(0)
    series = np.exp(0.1 * rng.standard_normal((40, 600)))
    expected = 0.1 * np.sqrt(2 * np.pi / 2)
    assert np.median(drift_noise(series)) == pytest.approx(expected, rel=0.1)
    series[:, ::50] *= 9
    trend = series * np.linspace(1.3, 1, 600)
    assert np.median(drift_noise(trend)) == pytest.approx(expected, rel=0.15)
