"""The saddlepoint approximation of the bootstrap-t interval beside resamples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from steady.model import FloatArray
from steady.papers.stability_metrics import t_widths
from steady.papers.t_saddlepoint import drawn_t_widths, saddlepoint_quantiles
from steady.stats import Bootstrap, Samples
from steady.stats.mean_bootstrap import all_resamples
from steady.stats.samples import BoolArray
from tests.looped import looped

TAIL = 0.005
Shape = Callable[[np.random.Generator, tuple[int, int]], FloatArray]

SHAPES: dict[str, Shape] = {
    "normal": lambda random, shape: random.normal(100, 1, shape),
    "uniform": lambda random, shape: random.uniform(100, 101, shape),
    "skewed": lambda random, shape: 100 + random.exponential(1, shape),
    "drifting": lambda random, shape: random.normal(np.linspace(100, 103, shape[1]), 1, shape),
}


def standardised(rows: FloatArray) -> FloatArray:
    centred = np.sort(rows, axis=1) - rows.mean(axis=1, keepdims=True)
    return np.asarray(centred / rows.std(axis=1, keepdims=True))


def quantiles(rows: FloatArray, tail: float = TAIL) -> tuple[FloatArray, BoolArray]:
    """Upper and lower quantiles, and which rows they hold for."""
    return saddlepoint_quantiles(standardised(rows), np.full(len(rows), rows.shape[1]), tail)


def drawn(rows: FloatArray, resamples: int = 100_000) -> FloatArray:
    """Widths in standard deviations from many resamples."""
    samples = Samples(rows, np.full(len(rows), rows.shape[1]))
    return drawn_t_widths(samples, np.arange(len(rows)), Bootstrap(1 - 2 * TAIL, resamples))


@looped("size", [14, 25, 60, 150])
@looped("shape", SHAPES)
def test_widths_are_those_of_a_hundred_thousand_resamples(shape: str, size: int) -> None:
    rows = SHAPES[shape](np.random.default_rng(size), (12, size))
    ends, reliable = quantiles(rows)
    errors = np.abs((ends[:, 0] - ends[:, 1]) / drawn(rows) - 1)[reliable]
    # The width from 10,000 resamples has a standard deviation of 1.0 to 1.7 %.
    assert reliable.mean() >= 0.5
    assert np.median(errors) < 0.01
    assert errors.max() < 0.06


def exact_ratios(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Every resample's mean by its standard deviation, and the resamples' probabilities."""
    counts, probabilities = all_resamples(rows.shape[1])
    values = standardised(rows)
    mean = values @ counts / rows.shape[1]
    square = values**2 @ counts / rows.shape[1]
    return mean / np.sqrt(np.maximum(square - mean**2, 1e-30)), probabilities


def test_tails_of_nine_values_are_those_of_all_resamples() -> None:
    """The probability beyond each quantile, of all 24,310 multisets."""
    rows = np.random.default_rng(3).normal(0, 1, (60, 9))
    ends, reliable = quantiles(rows)
    ratios, probabilities = exact_ratios(rows)
    beyond = np.stack(
        [(ratios >= ends[:, :1]) @ probabilities, (ratios <= ends[:, 1:]) @ probabilities]
    )[:, reliable]
    # Resamples of nine values are few: neighbouring quantiles differ by a tenth and more.
    assert reliable.mean() > 0.25
    assert np.median(beyond) == pytest.approx(TAIL, rel=0.1)
    assert (beyond > TAIL / 2).all()
    assert (beyond < TAIL * 2).all()


@looped("tail", [0.25, 0.05, 0.0005])
def test_other_confidences_hold_too(tail: float) -> None:
    rows = np.random.default_rng(4).normal(0, 1, (8, 30))
    samples = Samples(rows, np.full(8, 30))
    widths = drawn_t_widths(samples, np.arange(8), Bootstrap(1 - 2 * tail, 200_000))
    ends, reliable = quantiles(rows, tail)
    assert reliable.all()
    assert ends[:, 0] - ends[:, 1] == pytest.approx(widths, rel=0.04)


def test_a_large_normal_sample_has_the_normal_quantiles() -> None:
    values = np.random.default_rng(6).normal(0, 1, 20_000)
    ends, reliable = quantiles(values[np.newaxis])
    assert reliable.all()
    assert ends[0] * np.sqrt(values.size) == pytest.approx([2.576, -2.576], rel=0.01)


NO_SMOOTH_TAIL = {
    "one far value": np.append(np.linspace(100, 101, 39), 150.0),
    "five far values of 75": np.append(np.linspace(100, 100.1, 70), [130, 131, 132, 134, 135.0]),
    "two clusters": np.append(np.linspace(100, 100.1, 5), np.linspace(110, 110.1, 5)),
    "a cluster in the middle": [-1.64, -1.36, -0.47, 0.22, 0.29, 0.29, 0.29, 0.43, 1.94],
    "mostly equal": np.append(np.full(58, 25.0), [25.1, 25.2]),
}


@looped("name", NO_SMOOTH_TAIL)
def test_resamples_are_drawn_where_a_cluster_makes_a_second_mode(name: str) -> None:
    row = np.array([NO_SMOOTH_TAIL[name]])
    assert not quantiles(row)[1].any()
    samples, rows = Samples(np.sort(row), np.array([row.size])), np.array([0])
    expected = drawn_t_widths(samples, rows, Bootstrap(seed=3)) * row.std()
    assert t_widths(samples, Bootstrap(seed=3)) == pytest.approx(expected, rel=1e-12)
