from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from steady.optimize.pair_power import errors_to_find


@pytest.mark.parametrize(
    ("freedom", "power", "confidence"), [(4, 0.8, 0.99), (9, 0.9, 0.95), (30, 0.5, 0.99)]
)
def test_with_a_known_variance_it_is_the_noncentrality(
    freedom: float, power: float, confidence: float
) -> None:
    limit = stats.t.ppf((1 + confidence) / 2, freedom)
    for places, within in ((errors_to_find(freedom, 1e9, power, confidence), 0.02),):
        assert stats.nct.sf(limit, freedom, places) == pytest.approx(power, abs=within)


@pytest.mark.parametrize(("rounds", "known"), [(4, 4), (6, 10), (12, 30)])
def test_the_power_is_what_a_simulation_finds(rounds: int, known: int) -> None:
    """Unknown true variances, as moderation assumes them: found at 80 % within three deviations."""
    rng = np.random.default_rng(rounds)
    runs = 4000
    change = errors_to_find(rounds - 1, known, 0.8, 0.99) / math.sqrt(rounds)
    true = np.sqrt(known / rng.chisquare(known, runs))
    sample = rng.normal(0, 1, (runs, rounds)) * true[:, np.newaxis] + change
    errors = sample.std(axis=1, ddof=1) / math.sqrt(rounds)
    found = sample.mean(axis=1) > stats.t.ppf(0.995, rounds - 1) * errors
    assert abs(found.mean() - 0.8) <= 3 * math.sqrt(0.8 * 0.2 / runs) + 0.005  # 16 quantiles


def test_more_knowledge_more_rounds_and_less_power_need_less() -> None:
    def sizes(values: list[tuple[float, float, float, float]]) -> list[float]:
        return [errors_to_find(*value) for value in values]

    for ordered in (
        [(freedom, 10.0, 0.8, 0.99) for freedom in (2.0, 4.0, 8.0, 16.0, math.inf)],
        [(4.0, known, 0.8, 0.99) for known in (1.0, 4.0, 16.0, math.inf)],
        [(4.0, 10.0, power, 0.99) for power in (0.95, 0.8, 0.5)],
        [(4.0, 10.0, 0.8, confidence) for confidence in (0.999, 0.99, 0.9)],
    ):
        found = sizes(ordered)
        assert found == sorted(found, reverse=True)
        assert np.isfinite(found).all()
