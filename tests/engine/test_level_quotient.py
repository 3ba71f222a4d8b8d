"""Two forks are warm if what the machine does to both is all that moves them."""

from __future__ import annotations

import numpy as np

from steady.engine import StopRule
from steady.engine.level_quotient import LevelQuotient
from steady.engine.live_stop import LiveStop
from steady.model import ExecutionConfiguration, FloatArray
from steady.papers.stops import FlatStop

ITERATIONS, HELD = 60, 27


def machine(seed: int) -> FloatArray:
    """Return what others on the machine do to both: it is slower for some iterations, or is not."""
    random = np.random.default_rng(seed)
    level = np.repeat(1 + 0.3 * random.random(20), random.integers(2, 9, 20))[:ITERATIONS]
    return np.asarray(level, dtype=np.float64)


def noise(seed: int) -> FloatArray:
    random = np.random.default_rng(seed)
    return np.asarray(np.exp(0.005 * random.standard_normal(ITERATIONS)), dtype=np.float64)


def start(base: FloatArray, head: FloatArray) -> int | None:
    quotient = LevelQuotient()
    for place, (one, other) in enumerate(zip(base.tolist(), head.tolist(), strict=True)):
        quotient.feed(one, other, hold=place < HELD)
    return quotient.start


def test_what_the_machine_does_to_both_is_no_trend() -> None:
    for seed in range(5):
        busy = machine(seed)
        assert start(busy * noise(1), 3 * busy * noise(2)) == HELD + 1
        flat = FlatStop()
        assert not any(flat.feed(v, hold=n < HELD) for n, v in enumerate(busy.tolist()))


def test_forks_that_become_warm_in_step_or_apart_are_not_warm() -> None:
    places = np.arange(ITERATIONS)
    falling = 1 + 9 * np.exp(-places / 40)
    assert start(falling * noise(1), falling * noise(2)) is None
    late = np.where(places < 24, 5.0, 1.0)
    assert start(noise(1), late * noise(2)) in range(40, 60)
    early = np.where(places < 12, 5.0, 1.0)
    assert start(noise(1), early * noise(2)) in range(HELD + 1, 40)  # two thirds hold no more of it
    assert start(np.zeros(ITERATIONS), np.ones(ITERATIONS)) is None


def test_forks_with_limited_time_end_their_warm_up_by_it_and_not_while_compilers_work() -> None:
    bound = ExecutionConfiguration(1, 50, 10, 0.1, 0.1)
    busy = machine(1)
    warm = {}
    for timed in (True, False):
        stop = LiveStop(StopRule("flat", timed=timed), bound, 2)
        for place, level in enumerate(busy.tolist()):
            if stop.warm:
                break
            stop.feed(level, 2 * level, hold=place < 30)
        warm[timed] = place if stop._start is not None else None
    assert warm == {True: 31, False: None}
