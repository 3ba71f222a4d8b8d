"""The order of turns: the rule itself, and the server with scripted processes."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.execution.turn_order import SIDES, Course, State, Stopwatch, TurnOrder
from steady.harness.jmh.run.turn_server import TurnServer
from tests.looped import looped

IN_TURN = Course(warmup=3, measured=5)


def played(course: Course, choices: Sequence[int], ends: dict[int, int] | None = None) -> list[str]:
    """Run both processes to their end; `choices` decides which running process finishes first.

    Returns
    -------
    list of str
        ``+0`` if side 0 begins an iteration, and ``-0`` if it ends one. A side in `ends` dies in
        that iteration.
    """
    order, events = TurnOrder(course), list[str]()
    working, begun = list(SIDES), [0, 0]
    picks = iter(choices)
    while working:
        side = working.pop(next(picks, 0) % len(working))
        if begun[side]:
            events.append(f"-{side}")
        if (ends or {}).get(side) == begun[side]:
            order.leaves(side)
        else:
            order.asks(side)
        for going in order.grant():
            if begun[going] < course.end:
                begun[going] += 1
                events.append(f"+{going}")
                working.append(going)
    return events


orders = st.lists(st.integers(0, 1), max_size=40)


class TestOrder:
    @given(orders)
    def test_measured_iterations_alternate_abba_and_never_overlap(self, choices: list[int]) -> None:
        events = played(IN_TURN, choices)
        assert "".join(e for e in events if e[0] == "+").replace("+", "") == (
            "011010" + "0110100101"
        )
        assert [e[0] for e in events] == ["+", "-"] * 16

    @given(orders, st.integers(0, 1), st.integers(0, 8))
    def test_the_death_of_one_process_releases_the_other_at_any_time(
        self, choices: list[int], dead: int, iteration: int
    ) -> None:
        events = played(IN_TURN, choices, {dead: iteration})
        assert events.count(f"+{1 - dead}") == events.count(f"-{1 - dead}") == IN_TURN.end
        assert events.count(f"+{dead}") == iteration

    @given(orders, st.integers(0, 8), st.integers(0, 8))
    def test_the_death_of_both_processes_ends_the_turns(
        self, choices: list[int], one: int, two: int
    ) -> None:
        events = played(IN_TURN, choices, {0: one, 1: two})
        assert (events.count("+0"), events.count("+1")) == (one, two)

    def test_without_warm_up_and_with_one_iteration(self) -> None:
        assert played(Course(0, 1), []) == ["+0", "-0", "+1", "-1"]


def test_interleaved_iterations_are_counted() -> None:
    order = TurnOrder(Course(1, 1))
    for _ in range(6):
        for side in SIDES:
            if order.state(side) in (State.STARTING, State.RUNNING):
                order.asks(side)
            order.grant()
    assert [order.state(side) for side in SIDES] == [State.GONE] * 2
    assert [order.took_turns(side) for side in SIDES] == [True, True]
    alone = TurnOrder(Course(0, 2))
    alone.asks(0)
    alone.leaves(1)
    assert alone.grant() == [0]
    assert [alone.took_turns(side) for side in SIDES] == [False, False]


def test_a_stopwatch_does_not_count_pauses() -> None:
    now = [0.0]
    watch = Stopwatch(lambda: now[0])
    seen = []
    for command in ("", "run", "run", "pause", "pause", "run"):
        if command:
            getattr(watch, command)()
        now[0] += 1.0
        seen.append(watch.seconds)
    assert seen == [0.0, 1.0, 2.0, 2.0, 2.0, 3.0]


class Client:
    """A client process, which is closed at the end of its test."""

    clients: ClassVar[list[Client]] = []

    def __init__(self, seat: str, name: bytes | None = None) -> None:
        port, token, side = seat.split("-")
        self.socket = socket.create_connection(("127.0.0.1", int(port)), timeout=10)
        self.clients.append(self)
        self.socket.sendall(f"{token}-{side}\n".encode() if name is None else name)

    def asks(self) -> None:
        self.socket.sendall(b"?")

    def may_go(self) -> bool:
        """Return whether the process may continue, after a short wait."""
        self.socket.settimeout(0.1)
        try:
            return self.socket.recv(1) == b"!"
        except TimeoutError:
            return False

    def waits(self) -> bytes:
        self.socket.settimeout(10)
        return self.socket.recv(1)

    def close(self) -> None:
        self.socket.close()


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while Client.clients:
        Client.clients.pop().close()


@contextmanager
def both(course: Course) -> Iterator[tuple[TurnServer, Client, Client]]:
    with TurnServer(course) as server:
        yield server, Client(server.address(0)), Client(server.address(1))


@contextmanager
def a_turn_of_the_first() -> Iterator[TurnServer]:
    """Run a turn while others may connect; the next turn is that of the second process."""
    with both(Course(0, 1)) as (server, first, second):
        first.asks()
        second.asks()
        assert first.waits() == b"!"
        yield server
        first.asks()
        assert second.waits() == b"!"


class TestServer:
    def test_two_processes_take_turns(self) -> None:
        seen: list[str] = []

        def run(seat: str) -> None:
            client = Client(seat)
            for place in range(IN_TURN.end + 1):
                client.asks()
                assert client.waits() == b"!"
                if place < IN_TURN.end:
                    seen.append(f"+{seat[-1]}")
                    time.sleep(0.002)
                    seen.append(f"-{seat[-1]}")
            client.close()

        with TurnServer(IN_TURN) as server:
            threads = [threading.Thread(target=run, args=(server.address(s),)) for s in SIDES]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert [server.took_turns(side) for side in SIDES] == [True, True]
        assert seen == played(IN_TURN, [])

    def test_the_first_process_waits_for_the_second_one(self) -> None:
        with TurnServer(Course(0, 1)) as server:
            first = Client(server.address(0))
            first.asks()
            assert not first.may_go()
            second = Client(server.address(1))
            second.asks()
            assert first.waits() == b"!"
            assert not second.may_go()
            first.asks()
            assert second.waits() == b"!"
            assert not first.may_go()  # it ends together with the other process
            second.asks()
            assert first.waits() == second.waits() == b"!"

    @looped("how", ["closed", "left"])
    def test_a_process_without_partner_continues(self, how: str) -> None:
        with both(Course(0, 2)) as (server, first, second):
            first.asks()
            second.asks()
            assert first.waits() == b"!"
            first.close() if how == "closed" else server.leave(0)
            for _ in range(2):
                assert second.waits() == b"!"
                second.asks()
            assert second.waits() == b"!"
            assert [server.took_turns(side) for side in SIDES] == [False, False]

    def test_a_process_that_ended_before_connecting_is_not_awaited(self) -> None:
        with TurnServer(Course(0, 1)) as server:
            first = Client(server.address(0))
            first.asks()
            server.leave(1)
            assert first.waits() == b"!"
            assert Client(server.address(1)).waits() == b""

    def test_connections_without_the_token_are_ignored(self) -> None:
        with a_turn_of_the_first() as server:
            for name in (b"wrong-0\n", b"\n", b"x" * 100, b"\xff\xfe\n"):
                assert Client(server.address(0), name).waits() == b""
            Client(server.address(0), b"?").close()  # it might still have identified itself

    def test_strangers_cannot_use_up_all_connections(self) -> None:
        with a_turn_of_the_first() as server:
            assert [Client(server.address(0), b"") for _ in range(40)][-1].waits() == b""

    def test_a_side_has_one_connection(self) -> None:
        with a_turn_of_the_first() as server:
            assert Client(server.address(0)).waits() == b""

    def test_waiting_does_not_count(self) -> None:
        with both(Course(0, 1)) as (server, first, second):
            for side in SIDES:
                server.begin(side)
            second.asks()
            time.sleep(0.3)
            first.asks()
            assert first.waits() == b"!"
            time.sleep(0.2)
            one, two = (server.seconds(side) for side in SIDES)
            assert one >= 0.45
            assert two < 0.25

    def test_a_closed_server_releases_waiting_processes(self) -> None:
        before = threading.active_count()
        with both(Course(0, 1)) as (_, first, second):
            first.asks()
            time.sleep(0.05)
        assert first.waits() == second.waits() == b""
        assert threading.active_count() == before
