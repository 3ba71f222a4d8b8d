"""When two forks without a plan are warm: by their times, by what they cost, and by compilers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from jmh_forks import trial

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
    base: Iterator[ForkReport],
    head: Iterator[ForkReport],
    seconds: float = SECONDS,
    first: float = ITERATION,
) -> JointStop:
    """Run two forks by a clock of their own, until both end; their first iteration may be slow."""
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
    return stop


def level(_: int) -> float:
    return 1.0


def test_two_level_forks_are_warm_after_three_seconds() -> None:
    stop = run(iterations(level), iterations(level))
    assert not stop.cold
    assert stop.stopped is not None
    assert stop.stopped.cold_seconds == 0
    assert stop.warmup == pytest.approx(3.0 / ITERATION, abs=2)


def test_forks_whose_first_iteration_is_slow_have_their_time_all_the_same() -> None:
    stop = run(iterations(level), iterations(level), seconds=7.8, first=1.1)
    assert not stop.cold
    assert stop.warmup is not None
    assert stop.warmup > 15
    slow = run(iterations(level), iterations(level), seconds=1.0, first=1.1)
    assert slow.cold, "two seconds are no time for one that takes as long"
    assert slow.warmup is not None
    assert slow.warmup <= 2


def test_while_compilers_work_nobody_is_warm() -> None:
    def busy(place: int) -> float:
        return 0.2 if place < 40 else 0.0

    stop = run(iterations(level), iterations(level, compiling=busy))
    assert not stop.cold
    assert stop.warmup is not None
    assert 40 < stop.warmup < 60
    trickle = run(iterations(level), iterations(level, compiling=lambda _: 0.0003))
    assert trickle.warmup == pytest.approx(3.0 / ITERATION, abs=2)


def test_what_it_costs_counts_where_the_clock_is_disturbed() -> None:
    stop = run(iterations(level, noise=1.0), iterations(level, noise=1.0))
    assert stop.warmup is not None
    assert stop.warmup < 60


def test_forks_that_still_become_faster_are_cold_and_end_after_twice_their_time() -> None:
    def falling(place: int) -> float:
        return 100.0 * 0.97**place

    stop = run(iterations(level), iterations(falling))
    assert stop.cold
    assert stop.stopped is not None
    assert stop.stopped.start is None
    assert stop.stopped.cold_seconds == pytest.approx(PATIENCE * SECONDS / 2, rel=0.2)
    assert stop.stopped.iterations <= 2
    assert stop.stopped.reason.startswith("not steady within")
    # Patience ends before the fork would be killed.
    long = run(iterations(falling), iterations(falling), seconds=150.0)
    assert long.stopped is not None
    assert long.stopped.cold_seconds < 100.0


def test_a_fork_that_relapses_while_it_is_measured_is_cold() -> None:
    def relapse(place: int) -> float:
        return 1.0 if place < 35 else 60.0

    stop = run(iterations(level), iterations(relapse))
    assert not stop.cold
    assert stop.stopped is not None
    assert stop.stopped.start is not None
    assert stop.stopped.cold_seconds > 0


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
