"""The stability map: the measure of each configuration, and the frame of the plan."""

import re
from itertools import product

import numpy as np
import pytest

from steady.model import FloatArray
from steady.report.plan_pictures import stability_of
from steady.report.stability_map import (
    StabilityMap,
    counts,
    draw_map,
    error_map,
    metric_map,
    shade_of,
)
from steady.stats import Bootstrap, stability
from tests.looped import looped
from tests.report.made import full_suite, plan

SERIES = np.random.default_rng(3).normal(100, 4, (5, 60))
SERIES[:, :10] += 60
CHOSEN = (12, 8, 3)


def error(series: FloatArray, warmup: int, iterations: int, forks: int) -> float:
    """Return ``sqrt(bias^2 + spread^2 / forks)``, fork by fork, as documented for the model."""
    truths = [float(np.mean(fork[len(fork) // 2 :])) for fork in series]
    mean = sum(truths) / len(truths)
    misses = [
        float(np.mean(fork[warmup : warmup + iterations])) / truth - 1
        for fork, truth in zip(series, truths, strict=True)
    ]
    bias = sum(misses) / len(misses)
    levels = sum((truth / mean - 1) ** 2 for truth in truths) / (len(truths) - 1)
    spread = levels + sum((miss - bias) ** 2 for miss in misses) / (len(misses) - 1)
    return float(np.sqrt(bias**2 + spread / forks))


def test_a_cell_is_the_predicted_error_of_its_configuration() -> None:
    found = error_map(SERIES, CHOSEN, 0.03)
    assert found is not None
    assert (found.forks, found.iterations[-1], found.warmups[-1]) == ((1, 2, 3, 4, 5), 48, 52)
    for (row, forks), (column, iterations) in product(
        enumerate(found.forks), enumerate(found.iterations)
    ):
        assert found.values[row, column] == pytest.approx(error(SERIES, 12, iterations, forks))
    for column, warmup in enumerate(found.warmups):
        assert found.by_warmup[column] == pytest.approx(error(SERIES, warmup, 8, 3))
    assert found.by_warmup[0] > 0.5 > 0.05 > found.by_warmup[found.warmups.index(12)]


@looped("metric", ["rciw3", "cv"])
def test_a_cell_is_the_metric_of_the_first_forks_and_iterations(metric: str) -> None:
    found = metric_map(SERIES, CHOSEN, 0.01, metric, Bootstrap(0.95))
    assert found is not None
    for (row, forks), (column, iterations) in product(
        enumerate(found.forks), enumerate(found.iterations)
    ):
        expected = stability(SERIES[:forks, 12 : 12 + iterations], metric, confidence=0.95)
        assert found.values[row, column] == pytest.approx(expected)
    for column, warmup in enumerate(found.warmups):
        expected = stability(SERIES[:3, warmup : warmup + 8], metric, confidence=0.95)
        assert found.by_warmup[column] == pytest.approx(expected)


def test_only_predicted_errors_have_more_forks_than_were_measured() -> None:
    found = error_map(SERIES, (12, 8, 20), None)
    assert found is not None
    assert found.forks[-1] == 20
    at = found.forks.index(20), found.iterations.index(8)
    assert found.values[at] == pytest.approx(error(SERIES, 12, 8, 20))
    assert metric_map(SERIES, (12, 8, 20), 0.01, "cv", Bootstrap()) is None


def test_the_map_of_a_metric_omits_runs_with_very_many_values() -> None:
    long = np.random.default_rng(1).normal(100, 1, (10, 3000))
    found = metric_map(long, (50, 20, 5), 0.01, "cv", Bootstrap())
    assert found is not None
    assert (found.iterations[-1], found.forks[-1]) == (200, 10)
    assert 20 in found.iterations


@looped(
    "series",
    [SERIES[:1], np.zeros((5, 60)), np.full((5, 60), np.inf), SERIES[:, :14], np.empty((2, 0))],
)
def test_there_is_no_map_without_enough_data(series: FloatArray) -> None:
    assert error_map(series, CHOSEN, 0.03) is None


def test_a_shorter_fork_ends_the_map() -> None:
    series = SERIES.copy()
    series[2, 40:] = np.nan
    found = error_map(series, CHOSEN, 0.03)
    assert found is not None
    assert (found.iterations[-1], found.warmups[-1]) == (28, 32)


def test_the_plan_is_framed_and_shades_depend_on_the_threshold() -> None:
    found = error_map(SERIES, CHOSEN, 0.03)
    assert found is not None
    drawing = draw_map(found)
    frames = re.findall(r'class="chosen" d="M([\d.]+) ([\d.]+)h', drawing)
    cells = len(found.iterations), len(found.warmups)
    columns = found.iterations.index(8), found.warmups.index(12)
    assert len(frames) == 2
    for (x, _), number, column in zip(frames, cells, columns, strict=True):
        assert float(x) == pytest.approx(52 + column * 310 / number, abs=0.1)
    assert float(frames[0][1]) == 16 + 2 * 17
    assert drawing.count("<text") == found.values.size + found.by_warmup.size + sum(cells) + 6
    blue = "".join(re.findall(r'class="shade-[01]" d="([^"]*)', drawing))
    assert cells[0] == cells[1]
    within = sum(round(float(width) * cells[0] / 310) for width in re.findall(r"h([\d.]+)v", blue))
    assert within == (found.values <= 0.03).sum() + (found.by_warmup <= 0.03).sum()
    assert "3 × (12 + 8), as planned: " in drawing
    assert "threshold of 3" in found.caption
    unlimited = error_map(SERIES, CHOSEN, None)
    assert unlimited is not None
    assert 'class="shade' not in draw_map(unlimited)
    assert "no threshold" in unlimited.caption


def test_shades_are_multiples_of_the_threshold() -> None:
    assert [shade_of(x, 0.1) for x in (0.05, 0.1, 0.2, 0.4, 0.5, np.inf)] == [0, 1, 2, 3, 4, 4]


@looped(("most", "chosen"), [(60, 5), (60, 7), (8, 3), (1000, 999), (9, 20)])
def test_counts_are_few_and_include_the_chosen_one(most: int, chosen: int) -> None:
    found = counts(most, chosen, 6)
    assert found[0] == 1
    assert found[-1] == most
    assert list(found) == sorted(set(found))
    assert len(found) <= max(6, most if most <= 6 else 0)
    assert (chosen in found) == (chosen <= most)


def mapped(strategy: str, **options: object) -> StabilityMap | None:
    return stability_of(strategy, options, full_suite().benchmarks[0], plan().benchmarks[0])


def test_each_strategy_has_its_own_measure() -> None:
    own = mapped("uoptime", metric="cv", threshold=0.02, confidence=0.99, resamples=10_000, seed=0)
    budget, timed, pairs = (
        mapped("error-budget", budget=0.03, time_budget=None),
        mapped("error-budget", budget=0.03, time_budget=600.0),
        mapped("detect", detect=0.05),
    )
    measures = [one and (one.measure, one.threshold) for one in (own, budget, timed, pairs)]
    assert measures == [
        ("cv", 0.02), ("Predicted error", 0.03), ("Predicted error", None),
        ("Predicted error", None),
    ]  # fmt: skip
    assert mapped("uoptime") is None, "an option is missing"
