"""Onset: features compared with literal definitions, the model, and series of known state."""

import math
import statistics
from functools import partial
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evaluation._jmh_steady import joined, read_rows, read_series
from steady.model import FloatArray
from steady.papers import onset_features, onset_model
from steady.papers.onset import (
    LAST_START,
    MISS_DISTANCE,
    Trees,
    best_part,
    middle_of,
    onset,
    start_distribution,
    stored_trees,
)
from steady.papers.onset_features import PARTS, part_features, series_features
from steady.papers.onset_model import hidden_top, plot_properties
from steady.steadystate import METHODS
from tests.looped import looped

series_of = st.integers(10, 700).flatmap(
    lambda n: st.integers(0, 2**32 - 1).map(
        lambda seed: np.random.default_rng(seed).lognormal(size=n)
    )
)


def noise(length: int, seed: int = 1, spread: float = 0.01) -> FloatArray:
    return 1 + spread * np.random.default_rng(seed).standard_normal(length)


def stepped(length: int, at: int, height: float, seed: int = 1) -> FloatArray:
    """Return noise of 1 % whose first `at` values are higher by `height`."""
    values = noise(length, seed)
    values[:at] += height
    return values


# The oracle: a loop over parts that follows the definitions in the docstrings.


def literal_lines(values: FloatArray) -> dict[str, list[float]]:
    n = len(values)
    lines: dict[str, list[float]] = {name: [] for name in onset_features.LINES}
    for part in range(PARTS):
        begin, end = part * n // PARTS, (part + 1) * n // PARTS
        inside = sorted(values[begin : max(begin + 1, end)].tolist())
        for name, quantile in onset_features.LINES.items():
            lines[name].append(inside[round(quantile * (len(inside) - 1))])
    return lines


def literal_local(values: FloatArray) -> dict[str, list[float]]:
    scale = abs(float(np.median(values[len(values) // 3 :])))
    found: dict[str, list[float]] = {}
    for name, line in literal_lines(values).items():
        low, middle, high = np.percentile(line[PARTS // 3 :], (10, 50, 90))
        width = high - low + 0.001 * scale
        distance = [min(8.0, max(-8.0, (value - middle) / width)) for value in line]
        above = [float(value > high + width / 4) for value in line]
        for span in onset_features.SPANS:
            rows = []
            for part in range(PARTS):
                after = slice(part, part + span)
                before = slice(max(0, part - span), part)
                level = statistics.fmean(distance[after])
                earlier = statistics.fmean(distance[before]) if part else 0.0
                shares = (statistics.fmean(side or [0]) for side in (above[after], above[before]))
                rows.append((level, earlier - level, *shares))
            for what, column in zip(WHAT, zip(*rows, strict=True), strict=True):
                found[f"{name}_{what}_{span}"] = list(column)
    return found


WHAT = ("level", "fall", "above_after", "above_before")


@looped("length", [10, 50, 299, 300, 301, 3000])
def test_local_features_follow_their_definition(length: int) -> None:
    values = np.random.default_rng(length).lognormal(size=length)
    evidence = part_features(values, series_features(values))
    assert evidence.shape == (PARTS, len(onset_features.FEATURES))
    expected = literal_local(values)
    found = {name: evidence[:, onset_features.FEATURES.index(name)] for name in expected}
    for name, column in expected.items():
        np.testing.assert_allclose(found[name], column, rtol=1e-9, atol=1e-9, err_msg=name)
    further = {"position", "peak", "spread", "contrast", "quartiles"}
    assert set(onset_features.FEATURES) - set(expected) == further


def test_features_of_the_series_follow_their_definition() -> None:
    values = np.random.default_rng(2).lognormal(size=1200)
    whole = series_features(values)
    level = statistics.median(values[400:].tolist())
    low, high = np.percentile(values[800:], (1, 99))
    peak, spread = max(values[:120]) - level, high - low + 0.001 * level
    found = whole.scale, whole.peak, whole.spread, whole.contrast
    assert found == pytest.approx((level, peak, spread, peak / spread), rel=1e-9)


@given(series_of)
@settings(max_examples=50, deadline=None)
def test_level_p_equals_kruskal_wallis_with_ties(values: FloatArray) -> None:
    coarse = np.round(values, 1)
    half = coarse[len(coarse) // 2 :]
    if np.min(half) == np.max(half):
        return
    count = max(2, min(10, len(half) // 5))
    edges = [group * len(half) // count for group in range(1, count)]
    expected = stats.kruskal(*np.split(half, edges)).pvalue
    assert math.isclose(series_features(coarse).level_p, expected, rel_tol=1e-6, abs_tol=1e-12)


def literal_log_odds(trees: Trees, row: FloatArray) -> float:
    total = trees.base
    for columns, thresholds, leaves in zip(
        trees.columns, trees.thresholds, trees.leaves, strict=True
    ):
        first = bool(row[columns[0]] > thresholds[0])
        second = bool(row[columns[1 + first]] > thresholds[1 + first])
        total += leaves[2 * first + second]
    return float(total)


@given(series_of)
@settings(max_examples=30, deadline=None)
def test_the_start_distribution_sums_to_one(values: FloatArray) -> None:
    trees = stored_trees()
    evidence = part_features(values, series_features(values))
    probability = start_distribution(trees, evidence)
    assert math.isclose(np.sum(probability), 1)
    assert np.all(probability >= 0)
    assert not probability[LAST_START + 1 :].any()
    odds = [literal_log_odds(trees, row) for row in evidence[:5]]
    np.testing.assert_allclose(trees.log_odds(evidence[:5]), odds, rtol=1e-9)
    hazards = 1 / (1 + np.exp(np.negative(odds)))
    waiting = np.cumprod([1.0, *(1 - hazards[:-1])])
    np.testing.assert_allclose(probability[:5], waiting * hazards, rtol=1e-9)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 20.0, 200.0]))
@settings(max_examples=30, deadline=None)
def test_the_best_part_has_the_least_expected_cost(seed: int, miss: float) -> None:
    probability = np.random.default_rng(seed).dirichlet(np.full(PARTS, 0.05))

    def cost(part: int) -> float:
        return math.fsum(
            p * (abs(part - true) + miss * (abs(part - true) > MISS_DISTANCE))
            for true, p in enumerate(probability.tolist())
        )

    chosen = cost(best_part(probability, miss))
    assert all(chosen <= cost(part) + 1e-9 for part in range(0, PARTS, 7))


def test_middle_lies_within_its_part() -> None:
    for length, part in product((10, 30, 50, 299, 300, 3000, 9000), range(PARTS)):
        begin, end = part * length // PARTS, (part + 1) * length // PARTS
        assert begin <= middle_of(part, length) <= end
        assert middle_of(part, length) < length


# Series of known state.


@looped("length", [10, 30, 50, 300, 3000])
def test_noise_around_one_level_is_steady(length: int) -> None:
    for seed in range(3):
        state = onset(noise(length, seed))
        assert state.start == 0
        assert "no warm-up" in state.reason


@looped("length", [50, 300, 3000])
def test_noise_is_rarely_unsteady(length: int) -> None:
    # With level_p = 0.01, 3 of 300 are expected; more than 12 have a probability below 1e-4.
    random = np.random.default_rng(length)
    wholes = [series_features(1 + 0.05 * random.standard_normal(length)) for _ in range(300)]
    assert sum(whole.level_p < 0.01 for whole in wholes) <= 12


@looped("length", [50, 300, 3000])
def test_a_step_ends_the_warmup(length: int) -> None:
    downwards = [(height, share, 0.15) for height in (0.1, 0.5, 5.0) for share in (0.1, 0.2)]
    for height, share, late in (*downwards, (-0.3, 0.2, 0.2)):
        step = round(share * length)
        state = onset(stepped(length, step, height))
        assert state.start is not None
        assert step - 0.02 * length <= state.start <= step + late * length


def test_a_drift_a_slow_cycle_and_a_late_step_are_not_steady() -> None:
    for length, size in product((100, 300, 3000), (-0.5, 0.5)):
        assert onset(noise(length) * np.linspace(1, 1 + size, length)).start is None
    for length in (300, 3000):
        cycle = 0.1 * np.sin(np.linspace(0, 10 * math.pi, length))
        assert onset(noise(length) + cycle).start is None
    for length, height in product((50, 300, 3000), (-0.3, 0.3)):
        assert onset(stepped(length, 4 * length // 5, height)).start is None


def test_a_noisy_end_is_steady_after_a_high_warmup() -> None:
    values = stepped(3000, 300, 5.0)
    values[1700:2300] += 0.1  # a hump: not level, but small compared with the warm-up
    state = onset(values)
    assert state.start is not None
    assert "people would call it steady with a probability of " in state.reason
    assert onset(values, probability=0.999).start is None


def test_intervals_give_the_uncertainty_and_reasons_name_the_evidence() -> None:
    state = onset(stepped(3000, 600, 1.0))
    assert [probability for _, probability in state.intervals][-1] == 0.9
    assert all(a < b and p < q for (a, p), (b, q) in pairwise(state.intervals))
    unsteady = onset(noise(3000) * np.linspace(1, 2, 3000))
    assert unsteady.start is None
    assert len(unsteady.intervals) > 1
    reason = onset(noise(300)).reason
    assert "noise around one level (p = 0." in reason
    assert "lie within 0." in reason
    reason = onset(noise(300) * np.linspace(1, 2, 300)).reason
    assert reason.startswith("not steady: people would call it steady with a probability of ")
    assert "the level changes in the second half (p = 0.000)" in reason
    state = onset([3.0, 2.0, 1.0] + [0.0] * 60)
    assert state.start is not None
    assert "the level from there on is 0" in state.reason


def test_the_hidden_peak_is_estimated_from_a_long_first_iteration() -> None:
    for many, height in product((2, 3, 5, 10), (1.5, 4.0, 9.0)):
        values = np.full((3000 // many, many), 2.0)
        values[0, 0] *= height
        means = 1 / np.mean(1 / values, axis=1)
        assert means[0] < 2.0 * min(height, many / (many - 1))
        assert math.isclose(hidden_top(means, 2.0), 2.0 * height)
    # The estimate of the hidden peak is bounded.
    flat = np.full(300, 2.0)
    assert hidden_top(flat, 2.0) == pytest.approx(2.0)
    flat[0] = 40.0
    assert hidden_top(flat, 2.0) == onset_model.HIGHEST * 2.0
    assert hidden_top(np.full(3000, 5.0), 5.0) == pytest.approx(5.0)
    assert hidden_top(np.array([0.0] + [1.0] * 20), 1.0) == 0.0
    assert hidden_top(np.array([3.0] + [0.0] * 20), 1.0) == 3.0


def literal_seen(values: FloatArray) -> dict[str, float]:
    """Return the properties of a plot by loops that follow the docstrings."""
    n, series = len(values), values.tolist()
    whole = series_features(values)
    parts = literal_lines(values)["middle"] if n >= PARTS else series
    padded = [parts[0]] * 2 + parts + [parts[-1]] * 2
    line = [statistics.median(padded[k : k + 5]) for k in range(len(parts))]
    late = series[2 * n // 3 :]
    level, least = statistics.median(late), 0.001 * whole.scale
    reach = max(series) - min(series) + least
    joined = max(1, 3000 / n)
    following = statistics.median(series[1 : 1 + max(2, n // 100)])
    first = 1 / max(joined / series[0] - (joined - 1) / following, 0.1 / whole.scale)
    top = max([*series, first])

    def stays(width: float) -> float:
        out = [place for place, value in enumerate(line) if abs(value - level) > width]
        return (out[-1] + 1) / len(line) if out else 0.0

    return {
        "span": math.log((top - min(series) + least) / whole.spread),
        "in_warmup_band": stays(0.02 * whole.peak),
        "in_own_band": stays(0.05 * (max(line) - min(line) + least)),
        "late_top": (max(late) - min(series)) / reach,
    }


@looped("length", [10, 50, 299, 300, 301, 1500, 3000])
def test_plot_properties_follow_their_definition(length: int) -> None:
    values = np.random.default_rng(length).lognormal(size=length)
    seen = plot_properties(values, series_features(values))
    expected = literal_seen(values)
    assert set(onset_model.PROPERTIES) - set(expected) == {"stretch"}
    for name, value in expected.items():
        assert math.isclose(seen[name], value, rel_tol=1e-9), name


def test_segments_minimize_the_cost() -> None:
    every = [(0, *(k for k in range(1, 12) if number >> (k - 1) & 1)) for number in range(2**11)]
    for seed in range(5):
        random = np.random.default_rng(seed)
        values = np.repeat(random.integers(-4, 5, 4), 3) + random.standard_normal(12)
        assert tuple(onset_model._best_starts(values)) == min(
            every, key=partial(cost_of_stretches, values)
        )
    values = stepped(3000, 900, 0.5)
    assert math.isclose(plot_properties(values, series_features(values)).stretch, 0.7, abs_tol=0.01)


def cost_of_stretches(values: FloatArray, starts: tuple[int, ...]) -> float:
    ends = [*starts[1:], len(values)]
    pieces = [values[a:b] for a, b in zip(starts, ends, strict=True)]
    return sum(float(np.sum((p - p.mean()) ** 2)) + 10 for p in pieces)


def test_contributions_sum_to_the_log_odds() -> None:
    points = onset_model.stored_points()
    assert tuple(points.curves) == onset_model.PROPERTIES
    seen = onset_model.PlotProperties(*(values[1] for values, _ in points.curves.values()))
    total = points.base + math.fsum(worth[1] for _, worth in points.curves.values())
    assert math.isclose(points.probability(seen), 1 / (1 + math.exp(-total)))
    outside = onset_model.PlotProperties(-50.0, -1.0, -1.0, -1.0, -1.0)
    assert list(points.each(outside).values()) == [worth[0] for _, worth in points.curves.values()]


def test_recommended_is_onset() -> None:
    assert METHODS["recommended"].value is METHODS["onset"].value


@pytest.mark.parametrize(
    ("size", "expected"),
    [(1, 355), *(pytest.param(*one, marks=pytest.mark.thorough) for one in ((3, 323), (5, 319)))],
)
def test_the_model_agrees_with_human_labels(shared: Path, size: int, expected: int) -> None:
    folder = shared / "data" / "jmh-steady"
    label = {row["benchmark"]: row["steady"] for row in read_rows(folder, "labels")}
    agreements = []
    for name, forks in read_series(folder):
        if label[name]:
            own = joined(forks[0], size)
            whole = series_features(own)
            likely = onset_model.stored_points().probability(plot_properties(own, whole))
            steady = likely >= 0.5 or whole.level_p >= 0.01
            agreements.append(steady == (label[name] == "1"))
    # The model was fitted to these labels; docs/evaluation.md has cross-validated results.
    assert len(agreements) == 430
    assert sum(agreements) == expected
