"""CP-SSD, compared with literal implementations and with published results."""

import math
from itertools import combinations, islice, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation._jmh_steady import read_rows, read_series
from steady.model import FloatArray
from steady.papers.change_points import (
    SHORT,
    GaussianCost,
    Segmentations,
    best_counts,
    elbow,
    likely_segmentations,
    pelt,
)
from steady.papers.cp_ssd import Comparison, cp_ssd, inliers
from tests.looped import looped

seeds = st.integers(0, 2**32 - 1)


def noisy_steps(seed: int, length: int) -> FloatArray:
    random = np.random.default_rng(seed)
    levels = np.repeat(random.uniform(1, 3, 5), length)[:length]
    return np.asarray(levels + random.normal(0, random.uniform(0.01, 0.5), length))


def literal_inliers(series: FloatArray, skip: int, window: int, factor: float) -> list[int]:
    outliers = set()
    for first in range(skip, len(series) - window + 1):
        part = series[first : first + window]
        reach = factor * (np.quantile(part, 0.99) - np.quantile(part, 0.01))
        far = np.flatnonzero(np.abs(part - np.median(part)) > reach)
        outliers |= {first + place for place in far.tolist()}
    return [i for i in range(len(series)) if i not in outliers]


def literal_cost(series: FloatArray, start: int, end: int) -> float:
    part = series[start:end]
    return len(part) * (math.log(2 * math.pi) + math.log(np.var(part) / np.var(series)) + 1)


def literal_best(series: FloatArray, changes: int) -> tuple[float, tuple[int, ...]]:
    n = len(series)
    found = []
    for places in combinations(range(2, n - 1), changes):
        borders = (0, *places, n)
        if all(b - a >= 2 for a, b in pairwise(borders)):
            costs = [literal_cost(series, a, b) for a, b in pairwise(borders)]
            found.append((sum(costs), places))
    return min(found)


@given(seeds, st.integers(0, 30), st.integers(20, 60))
@settings(max_examples=30, deadline=None)
def test_inliers_are_the_literal_ones(seed: int, skip: int, window: int) -> None:
    random = np.random.default_rng(seed)
    series = random.normal(1, 0.1, 120)
    series[random.integers(120, size=3)] *= 5
    found = inliers(series, skip, window, 1.5)
    assert found.tolist() == literal_inliers(series, skip, window, 1.5)
    series = random.normal(1, 0.01, 400)
    series[:5] = series[200] = 9  # a spike is an outlier, a warm-up is not
    kept = inliers(series, 20, 200, 3.0)
    assert set(range(400)) - set(kept.tolist()) == {200}


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_segmentations_are_the_best_of_all(seed: int) -> None:
    series = noisy_steps(seed, 12)
    segmentations = Segmentations(GaussianCost(series), 3)
    for changes in range(4):
        cost, places = literal_best(series, changes)
        assert segmentations.costs[changes] == pytest.approx(cost, rel=1e-5, abs=1e-5)
        assert tuple(segmentations.change_points(changes).tolist()) == places


@given(seeds, st.sampled_from([1.0, 4.0, 15.0]), st.integers(60, 200))
@settings(max_examples=20, deadline=None)
def test_pelt_equals_the_best_of_all_segmentations(seed: int, price: float, length: int) -> None:
    cost = GaussianCost(noisy_steps(seed, length))
    penalty = price * math.log(length)
    found = pelt(cost, penalty)
    segmentations = Segmentations(cost, len(found) + 5)
    counts = np.arange(len(segmentations.costs))
    best = int(np.argmin(segmentations.costs + counts * penalty))
    assert found.tolist() == segmentations.change_points(best).tolist()


@given(seeds)
@settings(max_examples=10, deadline=None)
def test_best_counts_equal_pelt_between_the_penalties(seed: int) -> None:
    cost = GaussianCost(noisy_steps(seed, 150))
    least = 2.0
    most = len(pelt(cost, least))
    penalties, counts = best_counts(Segmentations(cost, most).costs, least)
    assert (penalties[0], counts[0], counts[-1]) == (least, most, 0)
    assert (np.diff(counts) < 0).all()
    for i in range(len(counts) - 1):
        between = (penalties[i] + penalties[i + 1]) / 2
        assert len(pelt(cost, between)) == counts[i]
    assert len(pelt(cost, 2 * penalties[-1])) == 0


def test_the_elbow_is_where_counts_stop_decreasing() -> None:
    penalties = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 50.0, 100.0])
    counts = np.array([60, 45, 30, 15, 4, 2, 0])
    assert elbow(penalties, counts) == 4
    # A linear decrease has no elbow.
    assert elbow(np.array([0.0, 1.0, 2.0, 4.0]), np.array([4, 3, 2, 0])) is None
    assert elbow(np.array([1.0, 2.0]), np.array([1, 0])) is None


def literal_differ(last: FloatArray, segment: FloatArray, seed: int) -> bool:
    random = np.random.default_rng(seed)
    ratios = [
        np.mean(random.choice(last, len(last))) / np.mean(random.choice(segment, len(segment)))
        for _ in range(1000)
    ]
    return differ(np.array(ratios))


def differ(ratios: FloatArray) -> bool:
    low, high = np.quantile(ratios, [0.025, 0.975])
    return bool(high <= 0.95 or low >= 1.05)


@looped("level", [0.85, 0.9, 0.97, 1.0, 1.04, 1.1, 1.15, 2.0])
def test_segments_differ_as_in_a_literal_bootstrap(level: float) -> None:
    for length in (2, 5, 60):
        random = np.random.default_rng(5)
        last, segment = random.normal(1, 0.02, 200), random.normal(level, 0.02, length)
        expected = literal_differ(last, segment, 1)
        compare = Comparison(0.05, 0.95, 4000, seed=2)
        assert compare.by_bootstrap(compare.resampled(last, 0), segment) == expected
        assert compare.by_standard_errors(last, segment) in (expected, None)


@looped("level", [0.948, 0.95, 0.9501, 1.0, 1.05, 1.0501, 1.053])
def test_the_first_thousand_resamples_agree_with_all(level: float) -> None:
    random = np.random.default_rng(11)
    for seed in range(8):
        last, segment = random.normal(1, 0.02, 150), random.normal(level, 0.02, 90)
        compare = Comparison(0.05, 0.95, 10_000, seed)
        drawn = compare.resampled(last, 0)
        ratios = drawn.first(10_000) / compare.resampled(segment, 1).first(10_000)
        assert compare.by_bootstrap(drawn, segment) == differ(ratios)


def test_resampled_means_do_not_depend_on_their_number() -> None:
    segment = np.random.default_rng(3).normal(1, 0.1, 40)
    by_standard_errors = Comparison(0.05, 0.95, 100, 7).resampled(segment, 0).first(2100)
    piece_by_piece = Comparison(0.05, 0.95, 100, 7).resampled(segment, 0)
    assert piece_by_piece.first(700).tolist() == by_standard_errors[:700].tolist()
    assert piece_by_piece.first(2100).tolist() == by_standard_errors.tolist()


@given(seeds)
@settings(max_examples=8, deadline=None)
def test_a_search_of_likely_positions_is_nearly_optimal(seed: int) -> None:
    random = np.random.default_rng(seed)
    levels = np.repeat(random.uniform(1, 3, 40), random.integers(5, 60, 40))[: SHORT + 400]
    series = levels + random.normal(0, random.uniform(0.05, 0.5), len(levels))
    cost = GaussianCost(series)
    least = 4 * math.log(len(series))
    most = len(pelt(cost, least))
    found, best = likely_segmentations(cost, most, least), Segmentations(cost, most)
    assert (found.costs >= best.costs - 1e-6).all()
    _, counts = best_counts(best.costs, least)
    spread = best.costs[0] - best.costs[-1]
    assert found.costs[counts] == pytest.approx(best.costs[counts], abs=0.02 * spread + least / 4)


def test_a_step_down_ends_the_warm_up() -> None:
    random = np.random.default_rng(1)
    values = random.normal(1, 0.01, 300)
    values[:60] += 1
    state = cp_ssd(values)
    # In windows with only the last two warm-up iterations, these are outliers.
    assert state.start == 58
    assert state.warmup_end == 57
    assert state.intervals == ((0, 0.0), (58, 1.0))
    assert cp_ssd(values, outlier_factor=1000).start == 60
    values[:60] -= 0.96  # changes below 5 % are ignored
    assert cp_ssd(values).start == 0
    assert cp_ssd(values, min_change=0.02, outlier_factor=1000).start == 60


def test_a_step_up_ends_the_warm_up_unless_it_is_in_the_last_sixth() -> None:
    values = np.random.default_rng(1).normal(1, 0.01, 300)
    values[:100] -= 0.5
    assert cp_ssd(values, outlier_factor=1000).start == 100
    for place, steady in ((249, True), (250, False)):
        values = np.random.default_rng(3).normal(1, 0.005, 300)
        values[:place] += 1
        state = cp_ssd(values, outlier_factor=1000)
        assert (state.steady, state.warmup_end) == (steady, place - 1)
    # All values may be outliers.
    assert cp_ssd(np.arange(10.0), outlier_factor=0.01).start == 0


def test_starts_equal_the_published_ones(shared: Path) -> None:
    folder = shared / "data" / "jmh-steady"
    rows = {(row["benchmark"], int(row["fork"])): row for row in read_rows(folder, "cpssd")}
    of_project = (one for one in read_series(folder) if one[0].startswith("HdrHistogram__"))
    found, expected = [], []
    for name, forks in islice(of_project, 4, 8):
        invocations = math.ceil(0.1 / float(np.mean(forks[1])))
        state = cp_ssd(forks[1], unfiltered=math.ceil(200 / math.log1p(invocations)))
        found.append(-1 if state.start is None else max(state.start - 1, 0))
        expected.append(int(rows[name, 1]["cp_ssd_start"]))
    # At an elbow, two numbers of change points have equal cost; the authors' choice depends on
    # rounding.
    assert found[:3] == expected[:3]
    assert (found[3], expected[3]) == (332, 1230)
