"""KB-KSSD compared with a literal implementation, and with its authors' recorded results."""

import math
import statistics
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluation._jmh_steady import read_rows, read_series
from steady.model import FloatArray
from steady.steadystate import kb_kssd
from steady.steadystate.kb_kssd import find_step, replace_outliers, steady_probability

# KB-KSSD's stages compared with a slow, literal implementation of the reference.


# Literal loops, after the description of the reference in the README of jmh-steady.


def literal_outliers(
    values: FloatArray, window: int, percentiles: tuple[float, float]
) -> FloatArray:
    result = values.copy()
    for part in np.array_split(result[1:], max(1, int((len(values) - 1) / window))):
        low, high = (float(np.percentile(part, p)) for p in percentiles)
        too_high = [i for i, value in enumerate(part) if value > high]
        too_low = [i for i, value in enumerate(part) if value < low]
        for i in too_high + too_low:
            part[i] = statistics.median(part.tolist())
    return result


def literal_step(values: FloatArray, kernel: int, window: int) -> int:
    d = values - np.mean(values)
    n = len(d)
    sums = [0.0]
    for value in d:
        sums.append(sums[-1] + float(value))
    large = sums.index(max(sums)) - 1
    if large == n - 1:
        large = -1
    short = np.convolve(d, [1.0] * kernel + [-1.0] * kernel, mode="valid").tolist()
    small = short.index(min(short)) + kernel - 1

    def accepted(step: int) -> bool:
        fall = np.median(d[:step]) - np.median(d[step:])
        return bool(fall >= abs(np.median(d) / 2))

    if large == -1 or abs(large - small) <= 1:
        return small if accepted(small) else -1
    s, l = min(small, large), max(small, large)  # noqa: E741 - the README's letters
    if s == 0:
        return l
    large_diff = np.median(d[max(0, l - window) : l + 1]) - np.median(d[l + 1 : l + 1 + window])
    if np.median(d[s + 1 : l]) > 2 * abs(large_diff) + np.median(d[l + 1 :]):
        return l if accepted(l) else s
    return s if accepted(s) else -1


def literal_probability(window: list[float], t_crit: float) -> float:
    n = len(window)
    if n < 3:
        return 0.0
    m = (window[-1] - window[0]) / (n - 1)
    mu = sum(x - m * t for t, x in enumerate(window, 1)) / n
    sd = math.sqrt(sum((x - m * t - mu) ** 2 for t, x in enumerate(window, 1)) / (n - 2))
    return sum(abs(x - mu) <= t_crit * sd for x in window) / n


def literal_start(
    values: FloatArray, kernel: int, window: int, probability_window: int
) -> tuple[int, int]:
    smooth = literal_outliers(values, 100, (2.0, 98.0))
    step = literal_step(smooth, kernel, window)
    probabilities = [0.0] * (step + 1)
    rest = smooth[step + 1 :].tolist()
    while rest:
        size = probability_window
        if len(rest) - size < 3:
            size = len(rest)
        probabilities += [literal_probability(rest[:size], 4.0)] * size
        rest = rest[size:]
    start = len(values)
    while start > 0 and probabilities[start - 1] >= 0.95:
        start -= 1
    # Successive windows of equal probability form one interval.
    return step, start if start < len(values) else -1


@st.composite
def series(draw: st.DrawFn) -> FloatArray:
    """Return a series of warm-up, level, noise and outliers, sometimes rounded to repeat values."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(20, 700))
    values = 10 + draw(st.sampled_from([0.01, 0.3, 2.0])) * random.standard_normal(n)
    values[: draw(st.integers(0, n))] += draw(st.sampled_from([-2.0, 0.0, 0.5, 5.0]))
    values += draw(st.sampled_from([0.0, 0.0, 2.0])) * np.arange(n) / n
    outliers = random.random(n) < draw(st.sampled_from([0.0, 0.03, 0.2]))
    values[outliers] *= 3
    return np.round(values, draw(st.sampled_from([1, 12])))


@settings(deadline=None)
@given(series(), st.integers(3, 150), st.sampled_from([(2.0, 98.0), (10.0, 60.0), (50.0, 50.0)]))
def test_outliers_equal_the_literal_implementation(
    values: FloatArray, window: int, percentiles: tuple[float, float]
) -> None:
    before = values.copy()
    expected = literal_outliers(values, window, percentiles)
    np.testing.assert_array_equal(replace_outliers(values, window, percentiles), expected)
    np.testing.assert_array_equal(values, before)


@settings(deadline=None)
@given(series(), st.integers(2, 10), st.integers(1, 100))
def test_step_equals_the_literal_implementation(
    values: FloatArray, kernel: int, window: int
) -> None:
    step = find_step(values, kernel, window)
    assert (-1 if step is None else step) == literal_step(values, kernel, window)


@settings(deadline=None)
@given(series())
def test_probability_equals_the_literal_implementation(values: FloatArray) -> None:
    assert steady_probability(values, 4.0) == literal_probability(values.tolist(), 4.0)


@settings(deadline=None)
@given(series(), st.integers(3, 200))
def test_whole_method_equals_the_literal_implementation(
    values: FloatArray, probability_window: int
) -> None:
    assume(np.ptp(values) > 0)
    step, start = literal_start(values, 10, 70, probability_window)
    state = kb_kssd(values, kernel=10, probability_window=probability_window)
    assert (-1 if state.warmup_end is None else state.warmup_end) == step
    assert (-1 if state.start is None else state.start) == start


def test_the_median_is_updated_after_every_replacement() -> None:
    # Part 1 2 3 4 50 60, above the 60th percentile (4): 3.5 for 50, then (3 + 3.5) / 2 for 60.
    values = np.array([0.0, 1, 2, 3, 4, 50, 60])
    expected = [0, 1, 2, 3, 4, 3.5, 3.25]
    np.testing.assert_array_equal(replace_outliers(values, 6, (0.0, 60.0)), expected)


def test_probability_keeps_the_drift_in_the_values() -> None:
    # Without its drift of 1, the line is constant: its deviation is 0, so only the value at the
    # mean is steady.
    assert steady_probability(np.arange(1.0, 101.0), 4.0) == 0.0
    assert steady_probability(np.ones(100), 4.0) == 1.0


def test_a_simulated_warm_up_is_found_and_a_drifting_series_is_not_steady() -> None:
    random = np.random.default_rng(7)
    for length, warmup in ((10, 3), (60, 12), (300, 50), (3000, 700)):
        values = 1 + 0.01 * random.standard_normal(length)
        values[:warmup] += 1
        assert kb_kssd(values).start == warmup
    state = kb_kssd(np.linspace(1, 2, 3000) + 0.01 * random.standard_normal(3000))
    assert state.start is None
    assert state.intervals[-1][1] < 0.95
    assert "not steady at the end" in state.reason


def test_the_short_kernel_shrinks_only_below_150_iterations() -> None:
    random = np.random.default_rng(3)
    for length, kernel in ((10, 2), (29, 2), (60, 6), (149, 14), (150, 15), (1000, 15)):
        many = random.exponential(size=(20, length))
        default = [kb_kssd(values) for values in many]
        assert default == [kb_kssd(values, kernel=kernel) for values in many]
        assert default != [kb_kssd(values, kernel=kernel + 1) for values in many]


# KB-KSSD compared with the recorded results of its authors' code, on all 5860 forks.


NONE = -1
NOWHERE = {10: 68, 3: 27}
"""Numbers of forks that never become steady."""
TOO_FEW_BEHIND_STEP = -1.0


@pytest.mark.parametrize("count", [3, pytest.param(10, marks=pytest.mark.thorough)])
def test_all_steps_starts_and_intervals_equal_the_reference(count: int, shared: Path) -> None:
    folder = shared / "data" / "jmh-steady"
    rows = read_rows(folder, "kbkssd_reference")
    golden = {(row["benchmark"], int(row["fork"])): row for row in rows}
    results = {
        (name, fork): kb_kssd(values)
        for name, forks in read_series(folder)
        for fork, values in enumerate(forks[:count])
    }
    starts = {
        key: tuple(NONE if one is None else one for one in (state.warmup_end, state.start))
        for key, state in results.items()
    }
    wanted = {key: golden[key] for key in results}
    assert starts == {
        key: (int(row["warmup_end"]), int(row["steady_start"])) for key, row in wanted.items()
    }
    assert len(starts) == 586 * count
    assert sum(start == NONE for _, start in starts.values()) == NOWHERE[count]
    last = {
        key: (int(row["last_interval_start"]), float(row["last_interval_prob"]))
        for key, row in wanted.items()
    }
    different = {key for key, state in results.items() if state.intervals[-1] != last[key]}
    # The only series with -1 in the reference has fewer than 3 iterations after its step.
    assert different == {key for key, (_, share) in last.items() if share == TOO_FEW_BEHIND_STEP}
    assert len(different) == (count == 10)
    counts = {key: len(results[key].intervals) for key in results.keys() - different}
    assert counts == {key: int(golden[key]["n_intervals"]) for key in counts}
