"""What holds for every registered stability metric."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.errors import InputError, UnknownNameError
from steady.model import FloatArray
from steady.stats import METRICS, Bootstrap, Samples, stability
from tests.looped import looped

NAMES = list(METRICS)
SIZES = (2, 3, 4, 5, 8, 9, 20, 61)

every_metric = looped("metric", NAMES)
every_size = looped("size", SIZES)
samples = st.lists(st.integers(1_000, 1_100), min_size=2, max_size=24)


def measured(size: int, seed: int = 0) -> FloatArray:
    return np.random.default_rng([seed, size]).lognormal(5, 0.02, size)


def test_registry_names_the_papers_metrics_and_the_prototypes() -> None:
    assert NAMES == ["rciw3", "cv", "rmad", "rciw1", "rciw2", "rciw3-mean"]
    assert all("µOpTime" in entry.source for entry in METRICS.values())


@every_metric
@given(values=samples, exponent=st.integers(-40, 40), missing=st.integers(1, 5), data=st.data())
@settings(max_examples=25, deadline=None)
def test_neither_unit_nor_order_nor_missing_values_matter(
    metric: str, values: list[int], exponent: int, missing: int, data: st.DataObject
) -> None:
    expected = stability(values, metric)
    scaled = np.array(values) * 2.0**exponent
    assert stability(scaled, metric) == pytest.approx(expected, rel=1e-12)
    mixed = data.draw(st.permutations([*values, *[np.nan] * missing]))
    assert stability(mixed, metric) == pytest.approx(expected, rel=1e-12)


@every_metric
def test_neither_shape_nor_run_matters(metric: str) -> None:
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
def test_equal_values_are_perfectly_stable_and_one_or_an_average_of_zero_never(metric: str) -> None:
    for size in SIZES:
        assert stability(np.full(size, 0.1), metric) == 0
    for values in ([5.0], [0.0, 0.0, 0.0], [-1.0, 0.0, 1.0]):
        assert stability(values, metric) == np.inf


@looped("metric", [name for name in NAMES if name != "rciw2"])
@every_size
def test_the_sign_of_the_unit_does_not_matter(metric: str, size: int) -> None:
    values = measured(size)
    assert stability(-values, metric) == pytest.approx(stability(values, metric), rel=1e-9)


@every_metric
def test_samples_side_by_side_are_measured_as_if_alone(metric: str) -> None:
    rows = [measured(size, seed) for seed in range(7) for size in (1, *SIZES)]
    sizes = np.array([row.size for row in rows])
    values = np.full((sizes.size, sizes.max()), np.inf)
    values[np.arange(sizes.max()) < sizes[:, np.newaxis]] = np.concatenate(rows)
    together = METRICS[metric].value(Samples(values, sizes), Bootstrap(seed=3))
    assert together == pytest.approx([stability(row, metric, seed=3) for row in rows], rel=1e-9)


@looped("metric", ["rciw1", "rciw2", "rciw3", "rciw3-mean"])
@looped("size", [5, 8, 20, 61])
def test_more_confidence_needs_more_width(metric: str, size: int) -> None:
    values = measured(size)
    widths = [stability(values, metric, confidence=c) for c in (0.5, 0.8, 0.95, 0.995)]
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]


@every_metric
def test_confidence_and_resamples_only_matter_where_documented(metric: str) -> None:
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
def test_unusable_values_are_refused(metric: str, values: list[float], problem: str) -> None:
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
def test_unusable_options_are_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=problem):
        stability(measured(20), **{"metric": "rciw2", **options})
