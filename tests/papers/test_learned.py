"""The learned stoppers: their models beside slow definitions, and the rule that stops a fork."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from steady.model import FloatArray
from steady.papers.rocket import Kernels, stored_model
from steady.papers.stopping import LONGEST, WINDOW, Classifier, Float32Array, WindowStop, normalised
from steady.steadystate import detect

NAMES = ("fcn", "oscnn", "rocket")

learned = pytest.mark.parametrize("name", NAMES)


class ByMean:
    """A model that calls a window stable whose second half is no lower than its first."""

    def scores(self, windows: Float32Array) -> FloatArray:
        halves = windows.reshape(len(windows), 2, -1).mean(axis=2, dtype=np.float64)
        return np.asarray(halves[:, 1] - halves[:, 0])


BY_MEAN = Classifier("by-mean", ByMean(), -0.1)


def literal_start(values: FloatArray, classifier: Classifier) -> int | None:
    """Look at one window after the other."""
    for begin in range(min(LONGEST, len(values) - WINDOW + 1)):
        window = values[begin : begin + WINDOW]
        score = classifier.scorer.scores(normalised(window[np.newaxis]))[0]
        if score >= classifier.threshold or np.ptp(window) == 0:
            return begin
    return None


def falling(length: int, until: int, seed: int = 1) -> FloatArray:
    """Noise that falls until an iteration, and then stays."""
    random = np.random.default_rng(seed)
    fall = np.maximum(0, np.linspace(1, 1 - length / until, length))
    return np.asarray(1 + fall + 0.02 * random.standard_normal(length))


def fed(stop: WindowStop, values: FloatArray) -> tuple[int | None, int]:
    """Feed until the stop says yes; return its start, and how many iterations it took."""
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
    assert state.reason == "not steady: the model calls none of the first 500 windows stable"
    assert fed(WindowStop(BY_MEAN), values) == (500, 599)
    assert fed(WindowStop(BY_MEAN), values[:598]) == (None, 598)


@learned
def test_one_window_is_enough_and_a_constant_one_is_stable(name: str) -> None:
    for length in (10, 50, 99):
        state = detect(falling(length, 5), name)
        assert state.start is None
        assert state.reason == f"too few iterations to judge: {length}, it takes 100"
    values = falling(400, 20)[200:300]
    state = detect(values, name)
    assert state.start in (0, None)
    assert detect(np.append(values, [np.nan] * 3), name) == state
    start = detect(np.append(falling(20, 18), np.full(100, 0.5)), name).start
    assert start is not None
    assert start <= 20


@learned
def test_a_higher_threshold_stops_no_sooner_and_a_model_is_small(name: str) -> None:
    values = falling(160, 80)
    starts = [detect(values, name, threshold=t).start for t in (-9.0, 0.2, 0.7, 9.0)]
    assert starts[0] == 0
    assert starts[-1] is None
    known = [math.inf if start is None else start for start in starts]
    assert known == sorted(known)
    file = Path(__file__).parents[2] / "src" / "steady" / "papers" / f"{name}.npz"
    assert file.stat().st_size < (50e3 if name == "rocket" else 600e3)


def test_windows_are_normalised_one_by_one() -> None:
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
    """Every length with and without padding, and several gaps."""
    shapes = list(itertools.product((7, 9, 11), (1, 3, 9), (False, True)))
    random = np.random.default_rng(3)
    weights = random.standard_normal((len(shapes), 11)).astype(np.float32)
    lengths, dilations, _ = (np.array(column) for column in zip(*shapes, strict=True))
    paddings = np.array([(n - 1) * d // 2 if padded else 0 for n, d, padded in shapes])
    biases = random.uniform(-1, 1, len(shapes)).astype(np.float32)
    return Kernels(lengths, dilations, paddings, biases, weights)


def literal_features(kernels: Kernels, window: Float32Array) -> list[tuple[float, float]]:
    """Lay each kernel along a window, output by output."""
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


def test_features_are_what_they_say() -> None:
    kernels = some_kernels()
    windows = normalised(np.random.default_rng(7).lognormal(size=(70, WINDOW)))
    features = kernels.features(windows)
    assert features.shape == (70, 2 * len(kernels.lengths))
    for row in (0, 63, 64, 69):
        expected = np.array(literal_features(kernels, windows[row]))
        np.testing.assert_allclose(features[row], expected.T.ravel(), rtol=1e-5, atol=1e-5)


def test_the_stored_kernels_are_rocket_s() -> None:
    model = stored_model()
    kernels = model.kernels
    assert len(kernels.lengths) == 500
    assert set(kernels.lengths.tolist()) == {7, 9, 11}
    reach = (kernels.lengths - 1) * kernels.dilations
    assert reach.max() < WINDOW
    assert kernels.dilations.min() == 1
    assert set((kernels.paddings - reach // 2)[kernels.paddings > 0].tolist()) == {0}
    behind = np.arange(11) >= kernels.lengths[:, np.newaxis]
    assert not kernels.weights[behind].any()
    np.testing.assert_allclose(kernels.weights.sum(axis=1), 0, atol=1e-5)
    assert len(model.coefficients) == 1000
