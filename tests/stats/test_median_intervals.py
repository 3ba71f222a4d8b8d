"""The bootstrap distribution of the median, and code shared with that of the mean."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, norm
from scipy.stats import t as student

from steady.stats import mean_interval, median_interval
from steady.stats.mean_bootstrap import all_resamples
from steady.stats.median_bootstrap import outer_quantile_positions
from steady.stats.samples import matrix_product, row_medians
from tests.looped import looped

# The bootstrap distribution of the median, compared with integer counting.


def both_at_most(size: int, lower: int, upper: int) -> int:
    """Count the resamples, out of n^n, whose two middle values have at most these ranks (1-based).

    The count is a sum over numbers of draws: `a` among the `lower` smallest values, `b` between,
    and the rest above.
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
    """Count the resamples, out of n^n, with each median, for even n."""
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
    """Return the first position at which the cumulative weight reaches the tail."""
    reached = 0
    for place, weight in weights:
        reached += weight
        if reached >= tail:
            return place
    raise AssertionError("the weights add up to less than the tail")


@looped("size", [2, 4, 6, 10, 16, 24])
def test_even_sizes_agree_with_exact_counting(size: int) -> None:
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
def test_odd_sizes_agree_with_exact_counting(size: int, percent: int) -> None:
    """The median has at most rank k if more than half of the draws do: a binomial sum."""
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


def test_a_tail_that_is_reached_exactly_is_cut_off_at_both_ends() -> None:
    """Of 27 resamples, 7 have the smallest median, and 7 the largest one."""
    assert median_interval([1.0, 2.0, 3.0], confidence=13 / 27) == (1.0, 3.0)
    values = np.random.default_rng(1).lognormal(3, 0.2, 40)
    low, high = median_interval(values)
    assert median_interval(-values) == (-high, -low)


@looped("size", [60, 200])
def test_limits_cut_off_the_tail_of_resampled_medians(size: int) -> None:
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
    """With 30,000 evenly spaced values, one more or less shifts the limits by about one."""
    even = median_interval(np.arange(30_000.0))
    odd = median_interval(np.arange(30_001.0))
    assert even == pytest.approx(odd, abs=1.5)
    # The bootstrap median has a standard deviation of sqrt(n) / 2 ranks.
    assert np.ptp(even) == pytest.approx(2 * 2.5758 * np.sqrt(30_000) / 2, rel=0.01)


# Shared code of the bootstrap metrics: resamples, matrix products, medians of rows.


@looped("size", range(1, 7))
def test_multisets_represent_all_ordered_draws(size: int) -> None:
    draws = itertools.product(range(size), repeat=size)
    tally = Counter(tuple(draw.count(value) for value in range(size)) for draw in draws)
    counts, probabilities = all_resamples(size)
    found = dict(zip(map(tuple, counts.T.astype(int).tolist()), probabilities, strict=True))
    assert found == pytest.approx({key: n / size**size for key, n in tally.items()}, rel=1e-12)


@looped("shape", [(1, 1, 1), (3, 8, 6435), (700, 900, 3), (2, 400_000, 2)])
def test_the_product_in_blocks_is_the_product(shape: tuple[int, int, int]) -> None:
    rows, inner, columns = shape
    random = np.random.default_rng(0)
    left = random.normal(size=(rows, inner))
    right = random.integers(0, 5, (inner, columns)).astype(np.uint8)
    assert matrix_product(left, right) == pytest.approx(left @ right.astype(float), abs=1e-9)


@looped(
    ("tail", "expected"),
    [(0.05, (1, 4)), (0.1, (1, 4)), (0.1001, (2, 4)), (0.2, (2, 4)), (0.3, (2, 4)), (0.45, (3, 3))],
)
def test_quantiles_are_the_outer_value_if_the_tail_is_reached_exactly(
    tail: float, expected: tuple[float, float]
) -> None:
    values = np.array([[3.0, 1.0, 4.0, 2.0]])
    probabilities = np.array([0.4, 0.1, 0.3, 0.2])
    [lower], [upper] = outer_quantile_positions(values, probabilities, tail)
    assert (values[0, lower], values[0, upper]) == expected


@looped("columns", [1, 2, 9, 10])
@looped("missing", [0.0, 0.3])
@looped("scale", [1e-300, 1.0, 1e300])
def test_row_medians_equal_numpy_to_the_last_bit(
    columns: int, missing: float, scale: float
) -> None:
    random = np.random.default_rng(columns)
    table = random.exponential(size=(50, columns)) * scale
    table[:, 1:][random.random((50, columns - 1)) < missing] = np.nan
    expected = [np.median(row[~np.isnan(row)]) for row in table]
    assert row_medians(table).tolist() == expected


# Coverage of the intervals, compared with theory.


SUITES = 1500


@looped("confidence", [0.9, 0.99])
@looped("size", [5, 15, 61])
def test_median_interval_covers_as_order_statistics_do(size: int, confidence: float) -> None:
    """For odd sizes, two order statistics cover the true median with a binomial probability."""
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
    """For normal values, the half-width is about z standard errors (ddof=0)."""
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
