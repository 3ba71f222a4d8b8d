"""The bootstrap distribution of the median, beside counting in whole numbers."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
import pytest

from steady.stats import Samples, median_interval
from steady.stats.median_bootstrap import median_intervals
from tests.looped import looped


def both_at_most(size: int, lower: int, upper: int) -> int:
    """Resamples whose two middle values have at most these ranks (1-based), out of n^n.

    Counted draw by draw: a of them among the `lower` smallest, b between, the rest above.
    """
    half = size // 2
    return sum(
        math.comb(size, a)
        * math.comb(size - a, b)
        * lower**a
        * (upper - lower) ** b
        * (size - upper) ** (size - a - b)
        for a in range(half, size + 1)
        for b in range(max(0, half + 1 - a), size - a + 1)
    )


def weights_of_medians(ascending: Sequence[Fraction]) -> dict[Fraction, int]:
    """Count the resamples, out of n^n, that have each median; n even."""
    size = len(ascending)
    ranks = range(size + 1)
    reached = {(i, j): both_at_most(size, min(i, j), j) for i in ranks for j in ranks}
    weights: dict[Fraction, int] = defaultdict(int)
    for i in range(1, size + 1):
        for j in range(i, size + 1):
            ways = reached[i, j] - reached[i - 1, j] - reached[i, j - 1] + reached[i - 1, j - 1]
            weights[(ascending[i - 1] + ascending[j - 1]) / 2] += ways
    assert sum(weights.values()) == size**size
    return dict(sorted(weights.items()))


def cut(weights: Iterable[tuple[Fraction, int]], tail: Fraction) -> Fraction:
    """The first place up to which the weights add up to the tail."""
    reached = 0
    for place, weight in weights:
        reached += weight
        if reached >= tail:
            return place
    raise AssertionError("the weights add up to less than the tail")


@looped("size", [2, 4, 6, 10, 16, 24])
def test_even_sizes_meet_exact_counting(size: int) -> None:
    random = np.random.default_rng(size)
    values = [Fraction(int(value)) for value in np.sort(random.integers(1000, 9999, size))]
    weights = weights_of_medians(values)
    for thousandths in (10, 100, 330, 500, 680, 800, 900, 950, 990, 999):
        tail = Fraction(1000 - thousandths, 2000) * size**size
        expected = cut(weights.items(), tail), cut(reversed(weights.items()), tail)
        found = median_interval([float(value) for value in values], confidence=thousandths / 1000)
        assert found == tuple(map(float, expected))


@looped("percent", [50, 90, 99])
@looped("size", [1, 3, 5, 9, 25, 75, 301])
def test_odd_sizes_meet_exact_counting(size: int, percent: int) -> None:
    """The median has at most rank k where more than half of the draws do: a binomial sum."""
    tail = Fraction(100 - percent, 200)
    ranks = range(1, size + 1)
    reached = (
        Fraction(
            sum(
                math.comb(size, draws) * k**draws * (size - k) ** (size - draws)
                for draws in range((size + 1) // 2, size + 1)
            ),
            size**size,
        )
        for k in ranks
    )
    rank = next(k for k, share in zip(ranks, reached, strict=True) if share >= tail)
    values = np.random.default_rng(size).permutation(size) + 1.0
    found = median_interval(values, confidence=percent / 100)
    assert found == (rank, size + 1 - rank)


def test_a_tail_that_is_met_exactly_is_cut_off() -> None:
    """Of 27 resamples 7 have the smallest median, and 7 the largest one."""
    assert median_interval([1.0, 2.0, 3.0], confidence=13 / 27) == (1.0, 3.0)


@looped("size", [60, 61, 200, 500])
def test_ends_cut_off_the_tail_in_brute_resampling(size: int) -> None:
    random = np.random.default_rng(size)
    values = random.lognormal(0, 0.3, size)
    drawn = (random.integers(size, size=(10_000, size)) for _ in range(10))
    medians = np.concatenate([np.median(values[indices], axis=1) for indices in drawn])
    low, high = median_interval(values)
    noise = 5 * np.sqrt(0.005 / medians.size)
    assert np.mean(medians < low) < 0.005 + noise
    assert np.mean(medians <= low) > 0.005 - noise
    assert np.mean(medians > high) < 0.005 + noise
    assert np.mean(medians >= high) > 0.005 - noise


def test_large_even_and_odd_sizes_agree() -> None:
    """Among 30,000 evenly spaced values one more or less moves the ends by about one."""
    even = median_interval(np.arange(30_000.0))
    odd = median_interval(np.arange(30_001.0))
    assert even == pytest.approx(odd, abs=1.5)
    # The bootstrap median has a standard deviation of sqrt(n) / 2 ranks.
    assert np.ptp(even) == pytest.approx(2 * 2.5758 * np.sqrt(30_000) / 2, rel=0.01)


def test_mirrored_values_mirror_the_interval() -> None:
    values = np.random.default_rng(1).lognormal(3, 0.2, 40)
    low, high = median_interval(values)
    assert median_interval(-values) == (-high, -low)


def test_samples_side_by_side_have_the_intervals_they_have_alone() -> None:
    random = np.random.default_rng(6)
    sizes = np.array([1, 2, 5, 8, 9, 9, 40, 301] * 5)
    values = np.full((sizes.size, sizes.max()), np.inf)
    for row, size in zip(values, sizes, strict=True):
        row[:size] = random.lognormal(2, 0.1, size)
    together = np.stack(median_intervals(Samples(values, sizes), 0.95), axis=1)
    alone = [
        median_interval(row[:n], confidence=0.95) for row, n in zip(values, sizes, strict=True)
    ]
    assert together.tolist() == [list(interval) for interval in alone]
