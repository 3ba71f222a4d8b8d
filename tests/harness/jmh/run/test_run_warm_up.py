"""When two forks without a plan are warm: by their times, by what they cost, and by compilers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from jmh_forks import trial

from steady.engine.live_stop import Stopped
from steady.engine.unplanned import RULE
from steady.harness.jmh.run.joint_stop import PATIENCE, JointStop
from steady.harness.jmh.run.warm_up import ForkReport, WarmUp
from steady.model import ExecutionConfiguration, Identity

ITERATION = 0.1
SECONDS = 10.0
BOUND = ExecutionConfiguration(1, 400, 10, ITERATION, ITERATION)
OPERATIONS = 1000


def iterations(
    level: Callable[[int], float],
    *,
    noise: float = 0.0,
    compiling: Callable[[int], float] = lambda _: 0.0,
) -> Iterator[ForkReport]:
    """Yield iterations: what operations cost by `level`, and by the clock that times noise."""
    random = np.random.default_rng(1)
    compiled = others = 0.0
    operations = place = 0
    while True:
        compiled += compiling(place) * 1e5
        others += level(place) * OPERATIONS
        operations += OPERATIONS
        time = level(place) * math.exp(noise * random.standard_normal())
        yield ForkReport(time, compiled, others, operations)
        place += 1


def run(
    head: Iterator[ForkReport],
    base: Iterator[ForkReport] | None = None,
    seconds: float = SECONDS,
    first: float = ITERATION,
) -> tuple[JointStop, Stopped]:
    """Run two forks by a clock of their own, until both end; their first iteration may be slow."""
    base = iterations(level) if base is None else base
    now = 100.0
    one = replace(trial(Identity("org.Bench.a", "avgt")), configuration=BOUND)
    pair = [replace(one, number=n, seconds=seconds / 2, timeout=100.0) for n in (0, 1)]
    stop = JointStop(RULE, pair, clock=lambda: now)
    now += 0.5
    stop.begin()
    while stop.last is None:
        for side, told in enumerate((next(base), next(head))):
            now += ITERATION if stop.warmup_scores(1) else first
            stop.take(side, told if stop.warmup is None else ForkReport(told.score))
    assert stop.stopped is not None
    return stop, stop.stopped


def level(_: int) -> float:
    return 1.0


def test_two_level_forks_are_warm_after_three_seconds() -> None:
    stop, stopped = run(iterations(level))
    assert not stop.cold
    assert stopped.cold_seconds == 0
    assert stopped.warmup == pytest.approx(3.0 / ITERATION, abs=2)


def test_forks_whose_first_iteration_is_slow_have_their_time_all_the_same() -> None:
    stop, stopped = run(iterations(level), seconds=7.8, first=1.1)
    assert not stop.cold
    assert stopped.warmup > 15
    slow, stopped = run(iterations(level), seconds=1.0, first=1.1)
    assert slow.cold, "two seconds are no time for one that takes as long"
    assert stopped.warmup <= 2


def test_while_compilers_work_nobody_is_warm() -> None:
    stop, stopped = run(iterations(level, compiling=lambda place: 0.2 if place < 40 else 0.0))
    assert not stop.cold
    assert 40 < stopped.warmup < 60
    _, trickle = run(iterations(level, compiling=lambda _: 0.0003))
    assert trickle.warmup == pytest.approx(3.0 / ITERATION, abs=2)


def test_what_it_costs_counts_where_the_clock_is_disturbed() -> None:
    _, stopped = run(iterations(level, noise=1.0), iterations(level, noise=1.0))
    assert stopped.warmup < 60


def test_forks_that_still_become_faster_are_cold_and_end_after_twice_their_time() -> None:
    def falling(place: int) -> float:
        return 100.0 * 0.97**place

    stop, stopped = run(iterations(falling))
    assert stop.cold
    assert stopped.start is None
    assert stopped.cold_seconds == pytest.approx(PATIENCE * SECONDS / 2, rel=0.2)
    assert stopped.iterations <= 2
    assert stopped.reason.startswith("not steady within")
    # Patience ends before the fork would be killed.
    _, long = run(iterations(falling), iterations(falling), seconds=150.0)
    assert long.cold_seconds < 100.0


def test_a_fork_that_relapses_while_it_is_measured_is_cold() -> None:
    stop, stopped = run(iterations(lambda place: 1.0 if place < 35 else 60.0))
    assert not stop.cold
    assert stopped.start is not None
    assert stopped.cold_seconds > 0


def test_what_a_fork_tells() -> None:
    assert ForkReport.parse(b"12.5") == ForkReport(12.5)
    assert ForkReport.parse(b"1.5E-7 10 200 3000") == ForkReport(1.5e-7, 10.0, 200.0, 3000)
    for bad in (b"", b"x", b"1 2", b"1 2 3 4 5", b"1 2.5 3 4"):
        with pytest.raises(ValueError, match=r"."):
            ForkReport.parse(bad)


def test_without_what_it_spent_only_times_count() -> None:
    one = WarmUp()
    for _ in range(20):
        one.take(ForkReport(1.0))
    assert math.isnan(one.cost)
    assert not one.compiling
    one.take(ForkReport(1.0, 5.0, 100.0, 10))
    one.take(ForkReport(1.0, 5.0, 150.0, 20))
    assert one.cost == 5.0
    one.take(ForkReport(1.0, 5.0, 140.0, 30))  # a thread has ended, and its time is gone
    assert math.isnan(one.cost)
