"""Two forks that are judged while they run: when both end, and what is kept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from time import sleep

import pytest
from jmh_forks import trial
from test_run_turns import Client

from steady.model import ExecutionConfiguration, Identity
from steady.run import StopRule, Trial
from steady.run.joint_stop import JointStop, as_measured
from steady.run.live_stop import LiveStop
from steady.run.turn_server import TurnServer
from steady.run.turns import SIDES, Course, State

RULE = StopRule("georges", "cv", 0.05)
WINDOW = 10  # iterations of a window that georges judges
BOUND = ExecutionConfiguration(1, 20, 30, 0.1, 0.1)
WARM, COLD = 1.0, 9.0


class Clock:
    """Seconds that pass only where a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def pair(mode: str = "avgt", seconds: float = 5.0) -> list[Trial]:
    one = replace(trial(Identity("org.Bench.a", mode)), configuration=BOUND, seconds=seconds)
    return [replace(one, number=number) for number in SIDES]


def fed(stop: JointStop, base: Sequence[float], head: Sequence[float]) -> JointStop:
    for scores in zip(base, head, strict=True):
        for side in SIDES:
            stop.take(side, scores[side])
    return stop


def test_the_warm_up_is_measured() -> None:
    assert as_measured(BOUND) == ExecutionConfiguration(1, 0, 50, 0.1, 0.1)


def test_both_end_when_the_last_one_is_warm_and_both_are_stable() -> None:
    late = [COLD] * 6 + [WARM] * 40
    stop = fed(JointStop(RULE, pair()), [WARM] * 46, late)
    assert stop.stopped is not None
    assert stop.stopped.start == stop.stopped.warmup == 6
    assert stop.last == 6 + stop.stopped.iterations
    # One further iteration follows the one by which it was decided, in which JMH ends a fork.
    assert stop.stopped.iterations == WINDOW + 1


def test_a_pair_is_judged_as_one_fork_is_if_both_are_alike() -> None:
    times = [COLD] * 4 + [WARM + 0.01 * (i % 3) for i in range(46)]
    alone = LiveStop(RULE, BOUND)
    for time in times:
        alone.feed(time)
    both = fed(JointStop(RULE, pair()), times, times)
    assert alone.stopped is not None
    assert both.stopped is not None
    assert replace(both.stopped, iterations=both.stopped.iterations - 1) == alone.stopped


def test_throughput_is_turned_round() -> None:
    rising = [1 / COLD] * 6 + [1 / WARM] * 40
    stop = fed(JointStop(RULE, pair("thrpt")), rising, rising)
    assert stop.stopped is not None
    assert stop.stopped.warmup == 6


def test_nothing_is_decided_between_two_sides() -> None:
    stop = JointStop(RULE, pair())
    for _ in range(40):
        stop.take(0, WARM)
    assert stop.last is None


def test_the_configuration_is_the_most() -> None:
    unsteady = [1.0 + i % 2 for i in range(50)]
    stop = fed(JointStop(RULE, pair()), unsteady, unsteady)
    assert stop.stopped is not None
    assert (stop.last, stop.stopped.warmup, stop.stopped.iterations) == (50, 20, 30)


@pytest.mark.parametrize(("mode", "score"), [("avgt", math.nan), ("thrpt", 0.0)])
def test_a_score_that_cannot_be_judged_ends_both(mode: str, score: float) -> None:
    stop = fed(JointStop(RULE, pair(mode)), [1.0, score], [1.0, 1.0])
    assert "finite" in stop.problem
    assert stop.last == 3
    assert stop.stopped is None


class TestTime:
    def timed(self, seconds: float) -> tuple[JointStop, Clock]:
        clock = Clock()
        rule = StopRule("georges", "cv", 0.0001, timed=True)
        return JointStop(rule, pair(seconds=seconds / 2), clock), clock

    def run(self, stop: JointStop, clock: Clock, scores: Sequence[float]) -> JointStop:
        """Run a fork whose start takes a second, and each pair of iterations 0.2 s."""
        clock.now += 1.0
        stop.begin()
        for score in scores:
            if stop.last is None:
                clock.now += 0.2
                fed(stop, [score], [score])
        clock.now += 0.2
        return stop

    def test_a_pair_ends_within_its_seconds(self) -> None:
        stop, clock = self.timed(6.0)
        self.run(stop, clock, [1.0 + i % 2 for i in range(50)])
        assert clock.now == pytest.approx(106.0, abs=0.21)
        assert stop.stopped is not None
        assert stop.stopped.start is None
        # 25 pairs of iterations fit beside the start: one ends both, and half are warm-up.
        assert stop.stopped.warmup in (12, 13)
        assert stop.stopped.warmup + stop.stopped.iterations in (24, 25)
        assert stop.stopped.reason.endswith("above 0.0001")
        assert "as much time as it may have" in stop.stopped.reason

    def test_what_is_measured_in_any_case_takes_what_it_takes(self) -> None:
        stop, clock = self.timed(0.5)
        self.run(stop, clock, [1.0 + i % 2 for i in range(50)])
        assert stop.stopped is not None
        assert (stop.stopped.warmup, stop.stopped.iterations) == (1, 6)


def test_processes_hear_which_iteration_is_their_last() -> None:
    stop = JointStop(RULE, pair())
    course = Course(0, stop.configuration.iterations)
    heard: list[bytes] = []
    with TurnServer(course, stop=stop) as server:
        clients = [Client(server.seat(side)) for side in SIDES]
        for client in clients:
            client.asks()
        for place in range(1, course.end):
            order = clients if course.first(place - 1) == 0 else clients[::-1]
            for client in order:
                heard.append(client.waits())
                client.socket.sendall(b"1.5E-3?")
            if heard[-1] == b".":
                break
        assert [client.waits() for client in clients] == [b"!", b"!"]  # both may end
        assert all(server.took_turns(side) for side in SIDES)
    assert heard[-3:] == [b"!", b".", b"."]
    assert stop.last == len(heard) // 2 == WINDOW + 1


def test_a_process_that_is_left_alone_ends_soon() -> None:
    stop = JointStop(RULE, pair())
    with TurnServer(Course(0, 50), stop=stop) as server:
        one, other = (Client(server.seat(side)) for side in SIDES)
        one.asks()
        other.asks()
        assert one.waits() == b"!"
        other.close()
        while server._order.state(1) is not State.GONE:
            sleep(0.01)
        one.socket.sendall(b"1.0?")
        assert one.waits() == b"."
        one.socket.sendall(b"1.0?")
        assert one.waits() == b"!"
    assert stop.stopped is None


def test_a_process_that_goes_on_after_its_end_is_not_held_up() -> None:
    stop = JointStop(RULE, pair())
    with TurnServer(Course(0, 1), stop=stop) as server:
        clients = [Client(server.seat(side)) for side in SIDES]
        for client in clients:
            client.asks()
        for client in clients:
            client.waits()
            client.socket.sendall(b"1.0?")
        for client in clients:
            assert client.waits() == b"!"
            client.socket.sendall(b"1.0?")
            assert client.waits() == b"!"
