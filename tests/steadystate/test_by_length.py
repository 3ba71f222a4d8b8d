"""The detector `by-length`: its choice, and short series with a known start."""

import numpy as np

from steady.model import FloatArray
from steady.steadystate import LONG_ENOUGH, METHODS, SHORTEST, detect, detector_for
from tests.looped import looped
from tests.steadystate.series import warming_up


def test_the_length_determines_the_detector() -> None:
    assert next(iter(METHODS)) == "by-length"
    expected = {10: "", SHORTEST - 1: "", SHORTEST: "onset", LONG_ENOUGH - 1: "onset"}
    expected |= {LONG_ENOUGH: "kb-kssd", 3000: "kb-kssd"}
    for length, name in expected.items():
        assert detector_for(length) == name
        for seed in range(3):
            values = warming_up(length, seed)
            state = detect(values, "by-length")
            if name:
                assert state == detect(values, name)
            else:
                assert state.start is None
                assert state.reason == f"too few iterations: {length}, but 30 are needed"


def warmed_up(rng: np.random.Generator, length: int, start: int) -> FloatArray:
    """Return a series that starts at twice its level and reaches the level at `start`."""
    fall = np.clip(1 - np.arange(length) / max(start, 1), 0, None)
    return np.asarray((1 + fall) * np.exp(0.01 * rng.standard_normal(length)))


@looped("length", [30, 60, 150, 300])
def test_detected_starts_are_better_than_a_constant(length: int) -> None:
    """The constant is the mean of the true starts, which is unknown to users."""
    rng = np.random.default_rng(length)
    starts = np.linspace(length / 10, length / 2, 12).astype(int)
    found = [detect(warmed_up(rng, length, start), "by-length").start for start in starts]
    assert None not in found
    errors = np.abs(np.array(found) - starts)
    assert np.median(errors) <= length / 20
    assert errors.mean() < np.abs(starts - starts.mean()).mean() / 2


@looped("length", [20, 60, 150, 300])
def test_a_fork_that_becomes_faster_until_its_end_is_rarely_steady(length: int) -> None:
    rng = np.random.default_rng(length)
    falling = [warmed_up(rng, length, 3 * length) for _ in range(20)]
    wrong, published = (
        sum(detect(values, name).steady for values in falling) for name in ("by-length", "kb-kssd")
    )
    assert wrong <= 4
    assert wrong < published
