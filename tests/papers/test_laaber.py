"""Laaber's stops compared with literal implementations, and on real forks."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.model import FloatArray
from steady.papers.laaber import _density, density_similarity
from steady.stats import stability
from steady.steadystate import detect

seeds = st.integers(0, 2**32 - 1)


def warming_up(seed: int, length: int) -> FloatArray:
    random = np.random.default_rng(seed)
    fall = np.exp(-np.arange(length) / random.uniform(2, 20))
    values = 1 + fall + random.normal(0, random.uniform(0.001, 0.1), length)
    values[random.integers(length)] *= 15
    return np.asarray(values)


def without_outliers(values: FloatArray) -> FloatArray:
    middle = np.median(values)
    return np.array([v for v in values if middle / 10 <= v <= 10 * middle])


def literal_similarity(first: FloatArray, second: FloatArray) -> float:
    limits = []
    for sample in (first, second):
        q1, q3 = np.quantile(sample, [0.25, 0.75])
        limits += [q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1)]
    points = np.linspace(min(limits), max(limits), 1000)
    densities = []
    for sample in (first, second):
        q1, q3 = np.quantile(sample, [0.25, 0.75])
        width = 1.06 * min(np.std(sample), (q3 - q1) / 1.34) * len(sample) ** -0.2
        kernels = np.exp(-0.5 * ((points[:, np.newaxis] - sample) / width) ** 2)
        densities.append(kernels.mean(axis=1) / (width * np.sqrt(2 * np.pi)))
    p, q = densities
    both = (p > 0) & (q > 0)
    step = points[1] - points[0]
    there = np.sum(p[both] * np.log(p[both] / q[both])) * step
    back = np.sum(q[both] * np.log(q[both] / p[both])) * step
    return float(2**-there * 2**-back)


def first_converged(results: list[float], batch: int, length: int, most: float) -> int | None:
    """Return the position of the first five consecutive results that are close to the last one."""
    for count in range(5, len(results) + 1):
        latest = results[count - 5 : count]
        if all(abs(result - latest[-1]) < most for result in latest):
            return batch * count if batch * count < length else None
    return None


@given(seeds, st.integers(10, 120), st.sampled_from([1, 3, 10]))
def test_cv_equals_the_literal_rule(seed: int, length: int, batch: int) -> None:
    values = warming_up(seed, length)
    pool: list[float] = []
    results: list[float] = []
    for end in range(batch, length + 1, batch):
        pool += without_outliers(values[end - batch : end]).tolist()
        results.append(float(np.std(pool, ddof=1) / np.mean(pool)) if len(pool) > 1 else 0.0)
    expected = first_converged(results, batch, length, 0.01)
    assert detect(values, "laaber-cv", batch=batch).start == expected


@given(seeds, st.integers(10, 60), st.sampled_from([1, 5]))
@settings(max_examples=25, deadline=None)
def test_rciw_equals_the_literal_rule(seed: int, length: int, batch: int) -> None:
    values = warming_up(seed, length)
    ends = range(batch, length + 1, batch)
    results = [stability(without_outliers(values[:end]), "rciw1") for end in ends]
    expected = first_converged(results, batch, length, 0.03)
    assert detect(values, "laaber-rciw", batch=batch).start == expected
    # Values of both signs may all lie far from their median.
    assert detect([-1.0, 1.0] * 10, "laaber-rciw").start is None


@given(seeds, st.integers(8, 200), st.integers(8, 200), st.floats(-0.2, 0.2))
@settings(max_examples=40, deadline=None)
def test_similarity_equals_the_literal_one(
    seed: int, first: int, second: int, shift: float
) -> None:
    random = np.random.default_rng(seed)
    a, b = random.normal(1, 0.1, first), random.normal(1 + shift, 0.1, second)
    found, expected = density_similarity(a, b), literal_similarity(a, b)
    # Far below any threshold, truncation of kernels at six standard deviations matters.
    assert found == pytest.approx(expected, abs=0.005) or max(found, expected) < 0.5


def test_similarity_of_extreme_samples() -> None:
    a = np.random.default_rng(0).normal(1, 0.1, 50)
    assert density_similarity(a, a) == 1
    assert density_similarity(np.ones(5), np.ones(6)) == 1
    assert density_similarity(a, a + 100) < 0.01
    assert density_similarity(np.array([1.0] * 9), np.array([1.0] * 9 + [5.0])) == 1
    # An outlier among equal values takes little memory.
    before = np.array([120.5] + [0.003] * 6)
    tracemalloc.start()
    try:
        # One sample has equal quartiles and the other does not, so the grid is narrow.
        assert density_similarity(np.append(before, 0.004), before) < 0.01
        assert tracemalloc.get_traced_memory()[1] < 2**26
    finally:
        tracemalloc.stop()


def test_similarity_with_wide_kernels_equals_the_literal_one() -> None:
    for outlier in (2.0, 20.0, 200.0, 2000.0):
        before = np.array([outlier, *[1.0] * 12, *[0.99] * 3])
        width = 1.06 * np.std(before) * len(before) ** -0.2
        points = 0.98 + 1e-4 * np.arange(1000)
        kernels = np.exp(-0.5 * ((points[:, np.newaxis] - before) / width) ** 2)
        expected = kernels.mean(axis=1) / (width * math.sqrt(2 * math.pi))
        np.testing.assert_allclose(_density(before, 0.0, 0.98, 1e-4), expected, rtol=1e-3)
        assert 0 <= density_similarity(np.append(before, [1.004] * 2), before) <= 1


def test_kld_stops_after_five_similar_distributions() -> None:
    values = warming_up(4, 200)
    alike = [literal_similarity(values[: end + 5], values[:end]) > 0.99 for end in range(5, 200, 5)]
    first = next(i for i in range(len(alike)) if i >= 4 and all(alike[i - 4 : i + 1]))
    assert detect(values, "laaber-kld", batch=5).start == 5 * (first + 2)
