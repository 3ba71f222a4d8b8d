"""The stop for short runs beside a literal one, and on series of which the truth is known."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import fmean, median

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.model import FloatArray
from steady.papers.stops import FlatStop
from steady.steadystate import ONLINE, detect
from steady.steadystate.online import spread_of_blocks

ITERATIONS = 150


def literal(values: list[float], tolerance: float) -> int | None:
    """Return after how many iterations the definition says yes, judging every prefix anew."""
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
def test_it_is_the_literal_rule(seed: int, size: float, fall: float) -> None:
    values = noise(seed, size, 60) * (1 + fall * np.exp(-np.arange(60) / 10))
    found, expected = first_yes(values, tolerance=0.05), literal(values.tolist(), 0.05)
    assert found == expected
    start = detect(values, "flat", tolerance=0.05).start
    assert start == (None if expected in (None, len(values)) else expected)


def test_a_trend_is_not_flat() -> None:
    for seed in range(20):
        falling = noise(seed, 0.01) * np.geomspace(10, 1, ITERATIONS)
        assert first_yes(falling, held=30) is None


def test_a_step_is_waited_for() -> None:
    for seed in range(20):
        steps = noise(seed, 0.02)
        steps[:5] *= 30
        steps[5:14] *= 4
        found = first_yes(steps, held=20)
        assert found is not None
        assert found - 14 >= int(2 / 3 * found) * 0.75  # at most one block of five holds the step
        assert found < 80


def test_a_busy_machine_delays_but_does_not_fail_for_ever() -> None:
    found = []
    for seed in range(20):
        random = np.random.default_rng(seed)
        busy = 1 + random.exponential(0.3, 300)
        busy[random.random(300) < 0.05] *= 8
        found.append(first_yes(busy))
    assert sum(seen is not None for seen in found) >= 18


def test_however_noisy_a_fifth_is_too_much() -> None:
    halves = noise(1, 0.5) * np.where(np.arange(ITERATIONS) % 60 < 30, 1.0, 4.0)
    spread, excused = spread_of_blocks(halves[:75].tolist())
    assert excused > 0.2
    assert spread > excused or spread > 0.2
    assert spread_of_blocks([1.0] * 10) == (0.0, 0.0)
    assert spread_of_blocks([0.0] * 10) == (0.0, 0.0)
    assert spread_of_blocks([0.0] * 5 + [1.0] * 5) == (math.inf, 0.0)


def test_a_yes_that_is_held_back_does_not_count() -> None:
    stop = FlatStop()
    for _ in range(20):
        assert not stop.feed(1.0, hold=True)
    assert stop.start is None
    assert stop.feed(1.0)
    assert stop.start == 21
