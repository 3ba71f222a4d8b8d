"""The bootstrap distribution of the mean, compared with finer and slower computations."""

from functools import lru_cache

import numpy as np
import pytest
from scipy.stats import norm

from steady.model import FloatArray
from steady.stats import mean_interval
from tests.looped import looped

CONFIDENCES = (0.9, 0.99, 0.999)


CELLS = 2**20


@lru_cache(maxsize=1)
def fine_distribution(content: bytes) -> tuple[float, FloatArray]:
    """Return the step of a grid 1000 times as fine, and the n-fold convolution on it."""
    values, cells = np.frombuffer(content), CELLS
    deviations = values - values.mean()
    step = 16 * deviations.std() * np.sqrt(values.size) / cells
    below = np.floor(deviations / step).astype(int)
    share = deviations / step - below
    masses = np.bincount(below % cells, 1 - share, cells)
    masses += np.bincount((below + 1) % cells, share, cells)
    spectrum = np.fft.rfft(masses / values.size) ** values.size
    return float(step), np.cumsum(np.fft.fftshift(np.fft.irfft(spectrum, cells)))


def fine_interval(values: FloatArray, confidence: float) -> FloatArray:
    """Return the interval from the n-fold convolution."""
    step, reached = fine_distribution(values.tobytes())
    tail = (1 - confidence) / 2
    places = np.searchsorted(reached, [tail, 1 - tail])
    return np.asarray(values.mean() + (places - CELLS / 2) * step / values.size)


def sample(name: str) -> FloatArray:
    random = np.random.default_rng(7)
    lattice = random.choice([25.0, 26.0, 27.0], 9, p=[0.6, 0.3, 0.1])
    samples = {
        "normal 9": np.random.default_rng(9).normal(100, 1, 9),
        "normal 12": random.normal(100, 1, 12),
        "normal 200": random.normal(100, 1, 200),
        "log-normal 30": random.lognormal(3, 0.1, 30),
        "log-normal 500": random.lognormal(3, 1.0, 500),
        "rounded 60": np.round(random.normal(2500, 2, 60)),
        "lattice 9": lattice,
        "outlier 60": np.append(random.normal(100, 0.1, 59), 130),
        "two levels 50": np.append(random.normal(100, 0.1, 45), random.normal(110, 0.1, 5)),
        "outlier 3000": np.append(random.normal(100, 0.1, 2999), 200),
        "heavy tail 3000": random.pareto(1.5, 3000),
    }
    return samples[name]


SMOOTH = {
    "normal 9": 1e-3,
    "normal 12": 2e-4,
    "normal 200": 5e-5,
    "log-normal 30": 5e-5,
    "log-normal 500": 5e-5,
    "heavy tail 3000": 1e-4,
}
WITH_GAPS = ("rounded 60", "lattice 9", "outlier 60", "two levels 50", "outlier 3000")


@looped(("name", "allowed"), [*SMOOTH.items(), *((name, 2e-2) for name in WITH_GAPS)])
@looped("confidence", CONFIDENCES)
def test_the_error_is_a_small_fraction_of_the_width(
    name: str, allowed: float, confidence: float
) -> None:
    values = sample(name)
    expected = fine_interval(values, confidence)
    found = mean_interval(values, confidence=confidence)
    assert found == pytest.approx(expected, abs=allowed * np.ptp(expected))


@looped("name", ["normal 12", "log-normal 30", "rounded 60"])
def test_limits_equal_those_of_resampling(name: str) -> None:
    values = sample(name)
    random = np.random.default_rng(3)
    draws = [random.integers(values.size, size=(20_000, values.size)) for _ in range(20)]
    means = np.concatenate([values[drawn].mean(axis=1) for drawn in draws])
    expected = np.quantile(means, [0.005, 0.995])
    # Standard error of this percentile: sqrt(0.005 / 400,000) / density, 0.2 % of the width.
    assert mean_interval(values) == pytest.approx(expected, abs=8e-3 * np.ptp(expected))


def test_limits_agree_with_enumeration_and_with_the_normal_interval() -> None:
    values = np.random.default_rng(4).normal(10, 1, 8)
    convolved = fine_interval(values, 0.99)
    assert mean_interval(values) == pytest.approx(convolved, abs=1e-3 * np.ptp(convolved))
    values = np.random.default_rng(5).normal(50, 3, 20_000)
    half = norm.ppf(0.995) * values.std() / np.sqrt(values.size)
    expected = (values.mean() - half, values.mean() + half)
    assert mean_interval(values) == pytest.approx(expected, abs=2e-3 * half)


def test_mirrored_values_mirror_the_interval_which_lies_within_the_values() -> None:
    values = sample("log-normal 30")
    low, high = mean_interval(values)
    assert mean_interval(-values) == pytest.approx((-high, -low), rel=1e-12)
    low, high = mean_interval(np.append(np.full(59, 100.0), 101.0), confidence=0.999)
    assert low == 100.0
    assert high < 101.0
    for size in (1, 2, 8, 9, 60):
        assert mean_interval(np.full(size, 0.1)) == (0.1, 0.1)
