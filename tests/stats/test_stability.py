"""Contract tests of all stability metrics, and comparisons with literal implementations."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.uoptime import LITERAL
from steady.errors import InputError, UnknownNameError
from steady.model import FloatArray
from steady.stats import (
    METRICS,
    Bootstrap,
    Samples,
    mean_interval,
    median_interval,
    stability,
)
from steady.stats.mean_bootstrap import mean_intervals
from steady.stats.median_bootstrap import median_intervals
from tests.looped import looped

# Contract tests of all registered stability metrics.


NAMES = list(METRICS)
SIZES = (2, 3, 4, 5, 8, 9, 20, 61)

every_metric = looped("metric", NAMES)
every_size = looped("size", SIZES)
samples = st.lists(st.integers(1_000, 1_100), min_size=2, max_size=24)


def measured(size: int, seed: int = 0) -> FloatArray:
    return np.random.default_rng([seed, size]).lognormal(5, 0.02, size)


def test_the_registry_has_the_metrics_of_the_paper_and_the_prototype() -> None:
    assert NAMES == ["rciw3", "cv", "rmad", "rciw1", "rciw2", "rciw3-mean"]
    assert all("µOpTime" in entry.source for entry in METRICS.values())


@every_metric
@given(values=samples, exponent=st.integers(-40, 40), missing=st.integers(1, 5), data=st.data())
@settings(max_examples=25, deadline=None)
def test_unit_order_and_missing_values_have_no_effect(
    metric: str, values: list[int], exponent: int, missing: int, data: st.DataObject
) -> None:
    expected = stability(values, metric)
    scaled = np.array(values) * 2.0**exponent
    assert stability(scaled, metric) == pytest.approx(expected, rel=1e-12)
    mixed = data.draw(st.permutations([*values, *[np.nan] * missing]))
    assert stability(mixed, metric) == pytest.approx(expected, rel=1e-12)


@every_metric
def test_shape_and_repetition_have_no_effect(metric: str) -> None:
    values = measured(48)
    expected = stability(values, metric, seed=5)
    for shape in ((48,), (6, 8), (2, 4, 6), (2, 2, 3, 4)):
        assert stability(values.reshape(shape), metric, seed=5) == expected


@every_metric
@every_size
def test_twice_the_spread_is_twice_the_value(metric: str, size: int) -> None:
    half = np.random.default_rng(size).normal(0, 1, size // 2)
    symmetric = np.concatenate([half, -half, np.zeros(size % 2)])
    once, twice = (stability(1024 + factor * symmetric, metric) for factor in (1, 2))
    assert twice == pytest.approx(2 * once, rel=1e-9)


@every_metric
def test_equal_values_are_stable_and_single_values_or_zero_averages_are_not(metric: str) -> None:
    for size in SIZES:
        assert stability(np.full(size, 0.1), metric) == 0
    for values in ([5.0], [0.0, 0.0, 0.0], [-1.0, 0.0, 1.0]):
        assert stability(values, metric) == np.inf


@looped("metric", [name for name in NAMES if name != "rciw2"])
@every_size
def test_the_sign_has_no_effect(metric: str, size: int) -> None:
    values = measured(size)
    assert stability(-values, metric) == pytest.approx(stability(values, metric), rel=1e-9)


@every_metric
def test_each_sample_of_a_batch_has_its_own_result(metric: str) -> None:
    rows = [measured(size, seed) for seed in range(7) for size in (1, *SIZES)]
    sizes = np.array([row.size for row in rows])
    values = np.full((sizes.size, sizes.max()), np.inf)
    values[np.arange(sizes.max()) < sizes[:, np.newaxis]] = np.concatenate(rows)
    together = METRICS[metric].value(Samples(values, sizes), Bootstrap(seed=3))
    assert together == pytest.approx([stability(row, metric, seed=3) for row in rows], rel=1e-9)


@looped("metric", ["rciw1", "rciw2", "rciw3", "rciw3-mean"])
@looped("size", [5, 8, 20, 61])
def test_a_higher_confidence_results_in_a_wider_interval(metric: str, size: int) -> None:
    values = measured(size)
    widths = [stability(values, metric, confidence=c) for c in (0.5, 0.8, 0.95, 0.995)]
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]


@every_metric
def test_confidence_and_resamples_have_only_the_documented_effects(metric: str) -> None:
    few, many = measured(8), measured(61)
    other_level = stability(many, metric) != stability(many, metric, confidence=0.9)
    other_draws = [
        stability(values, metric) != stability(values, metric, resamples=5000, seed=1)
        for values in (few, many)
    ]
    assert other_level == (metric not in ("cv", "rmad"))
    assert other_draws == [False, metric == "rciw2"]


@every_metric
@looped(
    ("values", "problem"),
    [
        ([], "has no values"),
        ([np.nan, np.nan], "has no values"),
        ([1.0, np.inf], "infinite"),
        (["fast", "slow"], "must be numbers"),
        ([1.0, 10**400], "must be numbers"),
        ([[1.0, 2.0], [3.0]], "must be numbers"),
    ],
)
def test_invalid_values_are_rejected(metric: str, values: list[float], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        stability(values, metric)


@looped(
    ("options", "problem"),
    [
        ({"confidence": 1.0}, "between 0 and 1"),
        ({"confidence": float("nan")}, "between 0 and 1"),
        ({"resamples": 0}, "at least 1"),
        ({"seed": -1}, "seed of -1"),
        ({"resamples": 150}, "draw at least 200"),
        ({"metric": "iqr"}, "rciw3-mean"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], problem: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=problem):
        stability(measured(20), **{"metric": "rciw2", **options})


# Each stability metric compared with a slow, literal implementation of its definition.


Statistic = Callable[[FloatArray], FloatArray]

SMALL = {
    "distinct": [10.2, 10.0, 10.7, 10.1, 10.4, 9.3],
    "ties": [2.0, 2.0, 2.1, 2.0, 2.2, 2.0],
    "outlier": [5.0, 5.1, 5.2, 5.05, 9.0, 5.15],
    "three": [1.938, 1.939, 1.944],
    "two": [4.0, 5.0],
}


def every_resample(values: FloatArray) -> FloatArray:
    """Return all n^n ordered resamples, which are equally likely."""
    return np.array(list(itertools.product(values, repeat=len(values))))


def width_of_all(statistics: FloatArray, confidence: float) -> float:
    """Return the width after cutting off the tail's fraction of the values on each side."""
    ascending = sorted(statistics)
    beyond = math.ceil((1 - confidence) / 2 * len(ascending) - 1e-9) - 1
    return float(ascending[-1 - beyond] - ascending[beyond])


@looped("size", [3, 4, 17, 60, 301])
def test_cv_and_rmad_equal_those_of_numpy(size: int) -> None:
    values = np.random.default_rng(size).lognormal(3, 0.2, size)
    assert stability(values, "cv") == pytest.approx(np.std(values) / np.mean(values), rel=1e-13)
    median = np.median(values)
    assert stability(values, "rmad") == np.median(np.abs(values - median)) / median


@looped("confidence", [0.5, 0.9, 0.99])
@looped("name", SMALL)
def test_small_samples_agree_with_all_resamples(name: str, confidence: float) -> None:
    values = np.array(SMALL[name])
    drawn = every_resample(values)
    means = width_of_all(drawn.mean(axis=1), confidence)
    medians = width_of_all(np.median(drawn, axis=1), confidence)
    root = math.sqrt(len(values))
    excess = drawn.mean(axis=1) - values.mean()
    constant = np.ptp(drawn, axis=1) == 0
    infinite = np.where(np.abs(excess) < 1e-12, 0.0, np.copysign(np.inf, excess))
    spread = np.where(constant, 1.0, drawn.std(axis=1, ddof=1))
    statistics = np.where(constant, infinite, excess / (spread / root))
    by_t = width_of_all(statistics, confidence) * values.std(ddof=1) / root
    expected = {
        "rciw1": means / values.mean(),
        "rciw2": by_t / values.mean(),
        "rciw3-mean": means / np.median(values),
        "rciw3": medians / np.median(values),
    }
    for metric, value in expected.items():
        found = stability(values, metric, confidence=confidence)
        assert found == pytest.approx(value, rel=1e-9 if metric == "rciw2" else 1e-12)


@looped("size", [9, 12, 75])
def test_larger_bootstrap_t_agrees_with_200_000_resamples(size: int) -> None:
    """The mean of 20 runs of 10,000 resamples; their variance determines the tolerance.

    `test_mean_bootstrap` and `test_median_intervals` compare the other intervals with more accurate
    computations.
    """
    values = np.random.default_rng(size).lognormal(5, 0.02, size)
    random = np.random.default_rng(1)
    runs = [LITERAL["rciw2"](values, random) for _ in range(20)]
    found = np.mean([stability(values, "rciw2", seed=seed) for seed in range(10)])
    # The percentiles of 10,000 values lie slightly inside, between the 50th and the 51st value.
    allowed = 4 * np.std(runs) / math.sqrt(20) + 0.004 * np.mean(runs)
    assert found == pytest.approx(np.mean(runs), abs=float(allowed))


def test_bootstrap_t_is_infinite_if_few_values_differ() -> None:
    for size in (3, 4):
        values = 100 + 1e-9 * np.arange(size)
        assert stability(values, "rciw1") < 1e-9
        assert stability(values, "rciw2") == np.inf
    assert stability([25.0] * 58 + [25.1, 25.2], "rciw2") == np.inf
    # Constant resamples equal to the mean have a statistic of 0.
    assert np.isfinite(stability([2.0, 2.0, 2.0, 2.0, 1.9, 2.1], "rciw2"))


def test_bootstrap_t_is_accurate_despite_an_outlier() -> None:
    """In resamples without the outlier, sums of squares around the mean would cancel."""
    rest = np.random.default_rng(2).normal(0, 1, 39)
    found = [stability(np.append(100 + scale * rest, 1e4), "rciw2") for scale in (1e-3, 1e-4)]
    # The lower tail of the statistic is (rest - mean) / deviation of the rest: ten times as far.
    assert found[1] == pytest.approx(10 * found[0], rel=1e-3)


FAR = np.append(np.random.default_rng(0).normal(100, 1, 39), 120.0)


def test_bootstrap_t_is_reproducible_and_depends_on_the_seed() -> None:
    first, again, other = (stability(FAR, "rciw2", seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert first == pytest.approx(other, rel=0.1)


def test_bootstrap_t_draws_the_requested_number_of_resamples() -> None:
    """Ten times as many resamples reduce the variance between seeds to a tenth."""
    few, many = (
        np.var([stability(FAR, "rciw2", resamples=n, seed=seed) for seed in range(60)])
        for n in (2000, 20_000)
    )
    assert 4 < few / many < 25


@looped(
    ("one", "many", "sizes", "error"),
    [
        (mean_interval, mean_intervals, [1, 2, 5, 8, 9, 9, 40, 300] * 40, 1e-12),
        (median_interval, median_intervals, [1, 2, 5, 8, 9, 9, 40, 301] * 5, 0.0),
    ],
)
def test_each_sample_of_a_batch_has_its_own_interval(
    one: Callable[..., tuple[float, float]],
    many: Callable[[Samples, float], tuple[FloatArray, FloatArray]],
    sizes: list[int],
    error: float,
) -> None:
    random = np.random.default_rng(6)
    values = np.full((len(sizes), max(sizes)), np.inf)
    for row, size in zip(values, sizes, strict=True):
        row[:size] = random.lognormal(2, 0.1, size)
    together = np.stack(many(Samples(values, np.array(sizes)), 0.95), axis=1)
    alone = [one(row[:n], confidence=0.95) for row, n in zip(values, sizes, strict=True)]
    assert together == pytest.approx(np.array(alone), rel=error, abs=0)
