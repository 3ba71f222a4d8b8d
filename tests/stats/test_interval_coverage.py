"""How often the intervals hold the true value, beside what theory says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, norm
from scipy.stats import t as student

from steady.stats import mean_interval, median_interval
from tests.looped import looped

SUITES = 1500


@looped("confidence", [0.9, 0.99])
@looped("size", [5, 15, 61])
def test_median_interval_covers_as_order_statistics_do(size: int, confidence: float) -> None:
    """Two order statistics hold the true median with a binomial probability (odd sizes)."""
    low, high = median_interval(np.arange(1.0, size + 1), confidence=confidence)
    theory = binom.cdf(high - 1, size, 0.5) - binom.cdf(low - 1, size, 0.5)
    draws = np.random.default_rng(size).exponential(1, (SUITES, size))
    held = [covers(median_interval(row, confidence=confidence), np.log(2)) for row in draws]
    assert np.mean(held) == pytest.approx(theory, abs=noise(theory))


@pytest.mark.parametrize("confidence", [0.9, 0.99])
@pytest.mark.parametrize("size", [10, pytest.param(30, marks=pytest.mark.thorough)])
def test_mean_interval_covers_as_the_normal_approximation_does(
    size: int, confidence: float
) -> None:
    """Of normal values the interval is nearly z standard errors wide, with n below the root."""
    draws = np.random.default_rng(size).normal(100, 3, (SUITES, size))
    bound = norm.ppf((1 + confidence) / 2) * np.sqrt((size - 1) / size)
    theory = 1 - 2 * student.sf(bound, size - 1)
    held = [covers(mean_interval(row, confidence=confidence), 100) for row in draws]
    assert np.mean(held) == pytest.approx(theory, abs=noise(theory) + 0.005)
    assert np.mean(held) < confidence


def covers(interval: tuple[float, float], truth: float) -> bool:
    return interval[0] <= truth <= interval[1]


def noise(share: float) -> float:
    return float(4 * np.sqrt(share * (1 - share) / SUITES))
