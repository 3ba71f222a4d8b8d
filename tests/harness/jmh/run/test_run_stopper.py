"""Live stopping of two forks: when both end, and which iterations are kept."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import sleep

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jmh_forks import trial
from test_turn_order import Client

from steady.engine import StopRule, Trial
from steady.engine.unplanned import RULE as UNPLANNED
from steady.execution.live_stop import Stopped
from steady.execution.turn_order import SIDES, Course, State
from steady.execution.warm_up import PATIENCE
from steady.execution.warm_up import SHORTEST_JUDGED as JUDGED
from steady.harness.jmh.run.scores import times_as_one
from steady.harness.jmh.run.stopper import ForkReport, Stopper, WarmUp, with_separate_warmup
from steady.harness.jmh.run.turn_server import TurnServer
from steady.model import ExecutionConfiguration, Identity
from tests.looped import looped

RULE = StopRule("georges", "cv", 0.05)
WINDOW = 10  # iterations of the rule's window
BOUND = ExecutionConfiguration(1, 20, 30, 0.1, 0.1)
WARM, COLD = 1.0, 9.0


def pair(mode: str = "avgt") -> list[Trial]:
    one = replace(trial(Identity("org.Bench.a", mode)), configuration=BOUND, seconds=5.0)
    return [replace(one, number=number) for number in SIDES]


def fed(stop: Stopper, base: Sequence[float], head: Sequence[float]) -> Stopper:
    for scores in zip(base, head, strict=True):
        for side in SIDES:
            stop.feed(side, ForkReport(scores[side]))
    return stop


@looped(
    ("bound", "first"),
    [
        (BOUND, BOUND),
        (ExecutionConfiguration(1, 0, 50, 10.0, 0.1), ExecutionConfiguration(1, 44, 50, 0.1, 0.1)),
        (ExecutionConfiguration(1, 0, 4, 10.0, 0.1), ExecutionConfiguration(1, 0, 4, 0.1, 0.1)),
    ],
)
def test_separate_warm_up(bound: ExecutionConfiguration, first: ExecutionConfiguration) -> None:
    assert with_separate_warmup(bound, RULE) == first


def test_both_end_once_both_are_warm_and_stable() -> None:
    late = [COLD] * 6 + [WARM] * 40
    stop = fed(Stopper(RULE, pair()), [WARM] * 46, late)
    assert stop.stopped is not None
    assert stop.stopped.start == 6
    # Throughput is inverted.
    rising = [1 / score for score in late]
    faster = fed(Stopper(RULE, pair("thrpt")), rising, rising).stopped
    assert faster is not None
    assert faster.start == 6
    # After each decision, one more iteration runs, in which JMH ends the warm-up or the fork.
    assert stop.warmup == stop.stopped.warmup == 6 + WINDOW + 1
    assert stop.stopped.iterations == RULE.minimum + 1
    assert stop.last == stop.stopped.warmup + stop.stopped.iterations
    assert stop.warmup_scores(1) == late[: stop.warmup]


def test_turns_of_an_iteration_are_judged_together() -> None:
    # Single turns vary widely; those of an iteration together are always equal.
    turns = [0.5, 1.5, 2.0, 0.8, 1.0] * 40
    whole = fed(Stopper(RULE, pair()), [WARM] * 60, [WARM] * 60)
    short = Stopper(RULE, pair(), turns=5, turn_seconds=0.02)
    assert whole.stopped is not None
    assert whole.warmup is not None
    assert short.configuration == ExecutionConfiguration(1, 20, 150, 0.1, 0.02)
    fed(short, [WARM] * whole.warmup + turns, [WARM] * whole.warmup + turns)
    assert short.stopped is not None
    assert short.stopped.warmup == whole.stopped.warmup
    assert short.stopped.iterations - 1 == 5 * (whole.stopped.iterations - 1)
    assert short.stopped.reason == whole.stopped.reason


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=30), st.floats(0.1, 10))
def test_time_per_operation_of_combined_iterations(times: list[float], seconds: float) -> None:
    operations = [seconds / time for time in times]
    expected = seconds * len(times) / math.fsum(operations)
    [one] = times_as_one(np.array([times]), more_is_better=False)
    assert one == pytest.approx(expected)
    [same] = times_as_one(np.array([operations]) / seconds, more_is_better=True)
    assert same == pytest.approx(expected)


def test_decisions_wait_for_both_sides_and_the_configuration_is_an_upper_bound() -> None:
    stop = Stopper(RULE, pair())
    for _ in range(40):
        stop.feed(0, ForkReport(WARM))
    assert stop.last is None
    unsteady = [1.0 + i % 2 for i in range(50)]
    stop = fed(Stopper(RULE, pair()), unsteady, unsteady)
    assert stop.stopped is not None
    assert (stop.last, stop.stopped.warmup, stop.stopped.iterations) == (50, 20, 30)


@looped("count", range(1, 30))
@looped("steady", [True, False])
def test_without_a_configured_warm_up_it_uses_measured_iterations(count: int, steady: bool) -> None:
    one = replace(pair()[0], configuration=ExecutionConfiguration(1, 0, count, 0.1, 0.1))
    stop = Stopper(RULE, [one])
    done = 0
    while stop.last is None or done < stop.last:
        stop.feed(0, ForkReport(1.0 if steady else 1.0 + done % 2))
        done += 1
        assert done <= count
    assert stop.stopped is not None
    assert stop.stopped.iterations >= min(RULE.minimum, count)
    if not steady:
        assert done == count


@looped(("mode", "score"), [("avgt", math.nan), ("thrpt", 0.0)])
def test_invalid_scores_end_both_forks(mode: str, score: float) -> None:
    stop = fed(Stopper(RULE, pair(mode)), [1.0, score], [1.0, 1.0])
    assert "finite" in stop.problem
    # JMH requires at least one measured iteration.
    assert (stop.warmup, stop.last) == (3, 4)
    assert stop.stopped is None


def heard_by(clients: Sequence[Client], course: Course, warmup: int) -> list[bytes]:
    """Return the answers that one of two cooperating processes gets; `warmup` is in turns."""
    heard: list[bytes] = []
    last = course.end
    order = Course(warmup, course.measured)
    for client in clients:
        client.asks()
    for place in range(course.end):
        if place >= last:
            break
        one, other = clients if order.first(place) == 0 else clients[::-1]
        answers = []
        for client in (one, other):
            answers.append(client.waits())
            client.socket.sendall(b"1.5E-3?")
        assert len(set(answers)) == 1
        heard.append(answers[0])
        if answers[0] == b"." and place >= warmup:
            last = place + 1
    assert [client.waits() for client in clients] == [b"!", b"!"]  # both may end
    return heard


def test_last_iterations_are_announced() -> None:
    stop = Stopper(RULE, pair(), turns=3)
    course = Course(BOUND.warmup_iterations, stop.configuration.iterations)
    with TurnServer(course, stop=stop) as server:
        clients = [Client(server.address(side)) for side in SIDES]
        heard = heard_by(clients, course, warmup=WINDOW + 1)
        assert all(server.took_turns(side) for side in SIDES)
    assert stop.warmup == WINDOW + 1
    assert [place for place, answer in enumerate(heard) if answer == b"."] == [
        stop.warmup - 1,
        stop.warmup + 3 * RULE.minimum,
    ]
    assert stop.last == len(heard)


def test_fork_without_a_partner_ends_soon() -> None:
    stop = Stopper(RULE, pair())
    with TurnServer(Course(20, 30), stop=stop) as server:
        one, other = (Client(server.address(side)) for side in SIDES)
        one.asks()
        other.asks()
        assert one.waits() == b"!"
        other.close()
        while server._order.state(1) is not State.GONE:
            sleep(0.01)
        # The last iteration of the warm-up, and the only measured one.
        for answer in (b".", b".", b"!"):
            one.socket.sendall(b"1.0?")
            assert one.waits() == answer
    assert stop.stopped is None


def test_fork_that_continues_after_its_end_is_not_blocked() -> None:
    stop = Stopper(RULE, pair())
    with TurnServer(Course(0, 1), stop=stop) as server:
        clients = [Client(server.address(side)) for side in SIDES]
        for client in clients:
            client.asks()
        for client in clients:
            client.waits()
            client.socket.sendall(b"1.0?")
        for client in clients:
            assert client.waits() == b"!"
            client.socket.sendall(b"1.0?")
            assert client.waits() == b"!"


ITERATION = 0.1
SECONDS = 10.0
LONGEST = ExecutionConfiguration(1, 400, 10, ITERATION, ITERATION)
OPERATIONS = 1000


def iterations(
    level: Callable[[int], float],
    *,
    noise: float = 0.0,
    compiling: Callable[[int], float] = lambda _: 0.0,
) -> Iterator[ForkReport]:
    """Yield reports: processor time per operation is `level`; elapsed time is that times noise."""
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
    each: float = ITERATION,
) -> tuple[Stopper, Stopped]:
    """Simulate two forks with a fake clock until both end; the first iteration may be slow."""
    base = iterations(level) if base is None else base
    now = 100.0
    one = replace(trial(Identity("org.Bench.a", "avgt")), configuration=LONGEST)
    pair = [replace(one, number=n, seconds=seconds / 2, timeout=100.0) for n in (0, 1)]
    stop = Stopper(UNPLANNED, pair, clock=lambda: now)
    now += 0.5
    stop.begin()
    while stop.last is None:
        for side, told in enumerate((next(base), next(head))):
            now += each if stop.warmup_scores(1) else max(first, each)
            stop.feed(side, told if stop.warmup is None else ForkReport(told.score))
    assert stop.stopped is not None
    return stop, stop.stopped


def level(_: int) -> float:
    return 1.0


def test_constant_forks_are_warm_after_three_seconds() -> None:
    stop, stopped = run(iterations(level))
    assert not stop.cold
    assert stopped.cold_seconds == 0
    assert stopped.warmup == pytest.approx(3.0 / ITERATION, abs=2)


def test_slow_first_iteration_does_not_count_towards_the_time_limit() -> None:
    stop, stopped = run(iterations(level), seconds=7.8, first=1.1)
    assert not stop.cold
    assert stopped.warmup > 15
    slow, stopped = run(iterations(level), seconds=1.0, first=1.1)
    assert slow.cold, "the first iteration alone takes all the time"
    assert stopped.warmup <= 2
    assert stopped.iterations == 2, "the minimum is measured in any case"


def test_forks_with_long_iterations_have_enough_time_to_be_judged() -> None:
    stop, stopped = run(iterations(level), each=1.0)
    assert not stop.cold
    assert stopped.warmup < JUDGED
    never, stopped = run(iterations(level), each=6.0)
    assert never.cold, "they would exceed their timeout before"
    assert stopped.iterations == 2


def test_forks_are_not_warm_while_compilers_work() -> None:
    stop, stopped = run(iterations(level, compiling=lambda place: 0.2 if place < 40 else 0.0))
    assert not stop.cold
    assert 40 < stopped.warmup < 60
    _, trickle = run(iterations(level, compiling=lambda _: 0.0003))
    assert trickle.warmup == pytest.approx(3.0 / ITERATION, abs=2)


def test_processor_time_decides_if_elapsed_time_is_noisy() -> None:
    _, stopped = run(iterations(level, noise=1.0), iterations(level, noise=1.0))
    assert stopped.warmup < 60


def test_forks_that_keep_getting_faster_are_cold_and_end_after_twice_their_time() -> None:
    def falling(place: int) -> float:
        return 100.0 * 0.97**place

    stop, stopped = run(iterations(falling))
    assert stop.cold
    assert stopped.start is None
    assert stopped.cold_seconds == pytest.approx(PATIENCE * SECONDS / 2, rel=0.2)
    assert stopped.iterations <= 2
    assert stopped.reason.startswith("not steady within")
    assert "time limit reached" in stopped.reason
    # The extended time limit ends before the timeout of the fork.
    _, long = run(iterations(falling), iterations(falling), seconds=150.0)
    assert long.cold_seconds < 100.0


def test_fork_that_becomes_slow_again_is_cold() -> None:
    stop, stopped = run(iterations(lambda place: 1.0 if place < 35 else 60.0))
    assert not stop.cold
    assert stopped.start is not None
    assert stopped.cold_seconds > 0


def test_reports_are_parsed() -> None:
    assert ForkReport.parse(b"12.5") == ForkReport(12.5)
    assert ForkReport.parse(b"1.5E-7 10 200 3000") == ForkReport(1.5e-7, 10.0, 200.0, 3000)
    for bad in (b"", b"x", b"1 2", b"1 2 3 4 5", b"1 2.5 3 4"):
        with pytest.raises(ValueError, match=r"."):
            ForkReport.parse(bad)


def test_reports_without_processor_times() -> None:
    one = WarmUp()
    for _ in range(20):
        one.add(ForkReport(1.0))
    assert math.isnan(one.cost)
    assert not one.compiling
    one.add(ForkReport(1.0, 5.0, 100.0, 10))
    one.add(ForkReport(1.0, 5.0, 150.0, 20))
    assert one.cost == 5.0
    one.add(ForkReport(1.0, 5.0, 140.0, 30))  # a thread has ended, so its time is missing
    assert math.isnan(one.cost)
