"""Stops, compared with literal implementations, published results and known states."""

import itertools
import math
from itertools import islice, pairwise
from pathlib import Path
from statistics import fmean, median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation._jmh_steady import read_rows, read_series
from steady.model import FloatArray
from steady.papers.stopping import LONGEST, WINDOW, Classifier, Float32Array, WindowStop, normalised
from steady.papers.stops import FlatStop, georges, r_test, sdm, t_test
from steady.papers.window_classifiers import Kernels, stored_model
from steady.steadystate import ONLINE, detect
from steady.steadystate.online import block_range

seeds = st.integers(0, 2**32 - 1)


def drifting(seed: int, length: int) -> FloatArray:
    random = np.random.default_rng(seed)
    fall = np.exp(-np.arange(length) / random.uniform(5, 80))
    return np.asarray(1 + fall + random.normal(0, random.uniform(0.001, 0.1), length))


def literal_sdm(values: FloatArray, batch: int, crit: float) -> int | None:
    for first in range(0, len(values) - batch + 1, batch):
        part = values[first : first + batch]
        slope = np.polyfit(np.arange(batch), part, 1)[0] / np.mean(part)
        if abs(np.arctan(slope)) < crit:
            return first
    return None


def literal_t_test(values: FloatArray, batch: int, crit: float) -> int | None:
    for first in range(0, len(values) - 2 * batch + 1, batch):
        a, b = values[first : first + batch], values[first + batch : first + 2 * batch]
        t = math.sqrt(batch) * abs(np.mean(b) - np.mean(a)) / math.sqrt(np.var(a) + np.var(b))
        if t < crit:
            return first
    return None


def literal_r_test(values: FloatArray, crit: float, settling: int) -> int | None:
    x = values.tolist()
    x[:10] = [float(np.mean(x[:10]))] * 10
    level = [x[0]] * 10
    deviation = [float(np.var(values[:10]))] * 10
    step = [2 * deviation[0]] * 10
    for i in range(10, len(x)):
        level.append(0.03 * x[i] + 0.97 * level[i - 1])
        deviation.append(0.05 * (x[i] - level[i - 1]) ** 2 + 0.95 * deviation[i - 1])
        step.append(0.05 * (x[i] - x[i - 1]) ** 2 + 0.95 * step[i - 1])
        if i > settling and 1.97 * deviation[i] / step[i] < crit:
            return i
    return None


def literal_georges(values: FloatArray, window: int, threshold: float, step: int) -> int | None:
    for first in range(0, len(values) - window + 1, step):
        part = values[first : first + window]
        if np.std(part) / np.mean(part) < threshold:
            return first
    return None


@given(seeds, st.integers(10, 300), st.integers(2, 20), st.sampled_from([9, 50]), st.data())
@settings(max_examples=60, deadline=None)
def test_each_stop_equals_a_literal_implementation(
    seed: int, length: int, batch: int, settling: int, data: st.DataObject
) -> None:
    values = drifting(seed, length)
    crit = data.draw(st.sampled_from([1e-4, 1e-3, 1e-2]))
    assert sdm(values, batch=batch, slope_crit=crit).start == literal_sdm(values, batch, crit)
    crit = data.draw(st.sampled_from([0.009, 0.1, 1.0]))
    assert t_test(values, batch=batch, t_crit=crit).start == literal_t_test(values, batch, crit)
    crit = data.draw(st.sampled_from([1.0, 1.2, 2.0]))
    expected = literal_r_test(values, crit, settling)
    assert r_test(values, r_crit=crit, settling=settling).start == expected
    crit, overlap = data.draw(st.sampled_from([0.01, 0.02, 0.1])), data.draw(st.booleans())
    found = georges(values, window=batch, threshold=crit, overlap=overlap)
    assert found.start == literal_georges(values, batch, crit, 1 if overlap else batch)


def test_the_absolute_slope_has_the_unit_of_the_values_and_a_ramp_is_not_steady() -> None:
    values = 100 * drifting(1, 60)
    assert sdm(values, slope_crit=0.5).start == 0
    assert sdm(values, slope_crit=0.5, relative=False).start != 0
    values = np.linspace(2, 1, 300) + np.random.default_rng(0).normal(0, 1e-4, 300)
    for state in (sdm(values), t_test(values), r_test(values)):
        assert state.start is None
        assert "never" in state.reason


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.thorough)])
def test_starts_equal_published_results(step: int, shared: Path) -> None:
    folder = shared / "data" / "jmh-steady"
    columns = [f"{name}_start" for name in ("sdm", "ttest", "rtest")]
    expected = {
        row["benchmark"]: [int(row[column]) for column in columns]
        for row in read_rows(folder, "baselines")
    }
    assert len(expected) == 586
    found = {}
    for name, forks in islice(read_series(folder), 0, None, step):
        states = sdm(forks[0], slope_crit=1e-8, relative=False), t_test(forks[0]), r_test(forks[0])
        found[name] = [-1 if s.start is None else s.start for s in states]
    assert len(found) >= 586 // step
    assert found == {name: expected[name] for name in found}


def test_georges_equals_published_results_for_single_invocations(shared: Path) -> None:
    folder = shared / "data" / "jmh-steady"
    rows = {(row["benchmark"], int(row["fork"])): row for row in read_rows(folder, "configs")}
    met = [
        # -1 stands for a start at 0 and for none.
        (georges(forks[fork], window=30, overlap=False).start or -1)
        == int(rows[name, fork]["georges_warmup_last"])
        for name, forks in read_series(folder)
        for fork in np.flatnonzero(forks.min(axis=1) >= 0.2).tolist()
    ]
    assert len(met) == 640
    # A long iteration may contain several invocations, which the authors judged separately.
    assert np.mean(met) > 0.97


ITERATIONS = 150


def literal_flat(values: list[float], tolerance: float) -> int | None:
    """Return the stopping time by the definition, evaluated for every prefix."""
    for seen in range(10, len(values) + 1):
        latest = values[seen - int(2 / 3 * seen) : seen]
        length = len(latest) // 5
        latest = latest[len(latest) - 5 * length :]
        blocks = [latest[length * block : length * (block + 1)] for block in range(5)]
        medians = [median(block) for block in blocks]
        steps = [abs(after - before) for before, after in pairwise(latest)]
        deviation = 1.4826 * median(steps) / math.sqrt(2)
        error = math.sqrt(math.pi / 2) * deviation / math.sqrt(length) / fmean(medians)
        if max(medians) / min(medians) - 1 <= max(tolerance, min(3 * error, 0.2)):
            return seen
    return None


def first_yes(values: FloatArray, held: int = 0, **options: float) -> int | None:
    stop = ONLINE["flat"].value(**options)
    for seen, value in enumerate(values.tolist(), 1):
        if stop.feed(value, hold=seen <= held):
            return seen
    return None


def noise(seed: int, size: float, length: int = ITERATIONS) -> FloatArray:
    return np.exp(size * np.random.default_rng(seed).standard_normal(length))


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.001, 0.05, 0.3]), st.floats(0, 8))
@settings(deadline=None, max_examples=60)
def test_flat_equals_the_literal_rule(seed: int, size: float, fall: float) -> None:
    values = noise(seed, size, 60) * (1 + fall * np.exp(-np.arange(60) / 10))
    found, expected = first_yes(values, tolerance=0.05), literal_flat(values.tolist(), 0.05)
    assert found == expected
    start = detect(values, "flat", tolerance=0.05).start
    assert start == (None if expected in (None, len(values)) else expected)


def test_flat_waits_for_the_end_of_trends_and_steps() -> None:
    for seed in range(20):
        falling = noise(seed, 0.01) * np.geomspace(10, 1, ITERATIONS)
        assert first_yes(falling, held=30) is None
        steps = noise(seed, 0.02)
        steps[:5] *= 30
        steps[5:14] *= 4
        found = first_yes(steps, held=20)
        assert found is not None
        assert found - 14 >= int(2 / 3 * found) * 0.75  # at most one of five blocks has the step
        assert found < 80


def test_a_busy_machine_delays_flat_only_for_some_time() -> None:
    found = 0
    for random in map(np.random.default_rng, range(20)):
        busy = 1 + random.exponential(0.3, 300)
        busy[random.random(300) < 0.05] *= 8
        found += first_yes(busy) is not None
    assert found >= 18


def test_flat_never_accepts_a_range_above_a_fifth() -> None:
    halves = noise(1, 0.5) * np.where(np.arange(ITERATIONS) % 60 < 30, 1.0, 4.0)
    spread, excused = block_range(halves[:75].tolist())
    assert excused > 0.2
    assert spread > excused or spread > 0.2
    assert block_range([1.0] * 10) == (0.0, 0.0)
    assert block_range([0.0] * 10) == (0.0, 0.0)
    assert block_range([0.0] * 5 + [1.0] * 5) == (math.inf, 0.0)
    # A positive result is ignored while `hold` is true.
    stop = FlatStop()
    assert not any(stop.feed(1.0, hold=True) for _ in range(20))
    assert stop.start is None
    assert stop.feed(1.0)
    assert stop.start == 21


learned = pytest.mark.parametrize("name", ["fcn", "oscnn", "rocket"])


class ByMean:
    """A model that classifies a window as stable if its second half is not below its first."""

    def scores(self, windows: Float32Array) -> FloatArray:
        halves = windows.reshape(len(windows), 2, -1).mean(axis=2, dtype=np.float64)
        return np.asarray(halves[:, 1] - halves[:, 0])


BY_MEAN = Classifier("by-mean", ByMean(), -0.1)


def literal_start(values: FloatArray, classifier: Classifier) -> int | None:
    """Evaluate the windows one by one."""
    for begin in range(min(LONGEST, len(values) - WINDOW + 1)):
        window = values[begin : begin + WINDOW]
        score = classifier.scorer.scores(normalised(window[np.newaxis]))[0]
        if score >= classifier.threshold or np.ptp(window) == 0:
            return begin
    return None


def falling(length: int, until: int, seed: int = 1) -> FloatArray:
    """Noise around a level that falls until an iteration."""
    random = np.random.default_rng(seed)
    fall = np.maximum(0, np.linspace(1, 1 - length / until, length))
    return np.asarray(1 + fall + 0.02 * random.standard_normal(length))


def fed(stop: WindowStop, values: FloatArray) -> tuple[int | None, int]:
    """Feed a stop until it ends; return its start and the number of iterations."""
    for count, value in enumerate(values.tolist(), 1):
        if stop.feed(value):
            return stop.start, count
    return None, len(values)


def test_the_first_stable_window_ends_the_warm_up() -> None:
    for until in (30, 100, 170, 420, 590, 2000):
        values = falling(700, until)
        expected = literal_start(values, BY_MEAN)
        assert BY_MEAN.first_stable(values) == expected
        assert WindowStop(BY_MEAN).judge(values).start == expected
        start, count = fed(WindowStop(BY_MEAN), values)
        assert start == (LONGEST if expected is None else expected)
        assert count == (LONGEST if expected is None else expected + 1) + WINDOW - 1
    # After 500 iterations the warm-up ends in any case.
    values = np.linspace(2, 1, 3000)
    state = WindowStop(BY_MEAN).judge(values)
    assert state.start is None
    assert state.reason == (
        "not steady: the model classifies none of the first 500 windows as stable"
    )
    assert fed(WindowStop(BY_MEAN), values) == (500, 599)
    assert fed(WindowStop(BY_MEAN), values[:598]) == (None, 598)


@learned
def test_one_window_is_sufficient_and_a_constant_one_is_stable(name: str) -> None:
    for length in (10, 50, 99):
        state = detect(falling(length, 5), name)
        assert state.start is None
        assert state.reason == f"too few iterations: {length}, but 100 are needed"
    values = falling(400, 20)[200:300]
    state = detect(values, name)
    assert state.start in (0, None)
    assert detect(np.append(values, [np.nan] * 3), name) == state
    start = detect(np.append(falling(20, 18), np.full(100, 0.5)), name).start
    assert start is not None
    assert start <= 20


@learned
def test_a_higher_threshold_never_stops_earlier_and_models_are_small(name: str) -> None:
    values = falling(160, 80)
    starts = [detect(values, name, threshold=t).start for t in (-9.0, 0.2, 0.7, 9.0)]
    assert starts[0] == 0
    assert starts[-1] is None
    known = [math.inf if start is None else start for start in starts]
    assert known == sorted(known)
    file = Path(__file__).parents[2] / "src" / "steady" / "papers" / f"{name}.npz"
    assert file.stat().st_size < (50e3 if name == "rocket" else 600e3)


def test_windows_are_normalised_separately() -> None:
    windows = np.random.default_rng(5).lognormal(size=(4, WINDOW))
    windows[1] = 3.0
    windows[2] *= 1e-9
    found = normalised(windows)
    assert found.dtype == np.float32
    assert not found[1].any()
    for row in (0, 2, 3):
        values = windows[row] * 1e6
        expected = (values - values.mean()) / values.std()
        np.testing.assert_allclose(found[row], expected, rtol=1e-5, atol=1e-6)
    for factor in (1e-300, 1e300):
        scaled = normalised(windows[:1] * factor)
        np.testing.assert_allclose(scaled, found[:1], rtol=1e-5)


# ROCKET.


def some_kernels() -> Kernels:
    """Return kernels of all lengths, with and without padding, and with several dilations."""
    shapes = list(itertools.product((7, 9, 11), (1, 3, 9), (False, True)))
    random = np.random.default_rng(3)
    weights = random.standard_normal((len(shapes), 11)).astype(np.float32)
    lengths, dilations, _ = (np.array(column) for column in zip(*shapes, strict=True))
    paddings = np.array([(n - 1) * d // 2 if padded else 0 for n, d, padded in shapes])
    biases = random.uniform(-1, 1, len(shapes)).astype(np.float32)
    return Kernels(lengths, dilations, paddings, biases, weights)


def literal_features(kernels: Kernels, window: Float32Array) -> list[tuple[float, float]]:
    """Evaluate each kernel by loops over outputs."""
    found = []
    for kernel, length in enumerate(kernels.lengths.tolist()):
        gap, padding = int(kernels.dilations[kernel]), int(kernels.paddings[kernel])
        outputs = []
        for begin in range(-padding, WINDOW + padding - (length - 1) * gap):
            total = float(kernels.biases[kernel])
            for tap in range(length):
                place = begin + tap * gap
                if 0 <= place < WINDOW:
                    total += float(kernels.weights[kernel, tap]) * float(window[place])
            outputs.append(total)
        positive = sum(output > 0 for output in outputs) / len(outputs)
        found.append((positive, max(outputs)))
    return found


def test_features_equal_a_literal_computation() -> None:
    kernels = some_kernels()
    windows = normalised(np.random.default_rng(7).lognormal(size=(70, WINDOW)))
    features = kernels.features(windows)
    assert features.shape == (70, 2 * len(kernels.lengths))
    for row in (0, 63, 64, 69):
        expected = np.array(literal_features(kernels, windows[row]))
        np.testing.assert_allclose(features[row], expected.T.ravel(), rtol=1e-5, atol=1e-5)


def test_the_stored_kernels_follow_the_distribution_of_rocket() -> None:
    model = stored_model()
    kernels = model.kernels
    assert (len(kernels.lengths), len(model.coefficients)) == (500, 1000)
    assert set(kernels.lengths.tolist()) == {7, 9, 11}
    reach = (kernels.lengths - 1) * kernels.dilations
    assert reach.max() < WINDOW
    assert kernels.dilations.min() == 1
    assert set((kernels.paddings - reach // 2)[kernels.paddings > 0].tolist()) == {0}
    behind = np.arange(11) >= kernels.lengths[:, np.newaxis]
    assert not kernels.weights[behind].any()
    np.testing.assert_allclose(kernels.weights.sum(axis=1), 0, atol=1e-5)
