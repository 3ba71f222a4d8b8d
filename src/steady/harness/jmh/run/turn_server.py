"""The turn server: a local socket from which two forks request their turns.

A fork first sends a line with its token, its side and its process id. Then it sends a request of
one byte for each turn. After an iteration, a report precedes the request
(`steady.harness.jmh.run.stopper.ForkReport`). The server answers with one byte when the turn
begins; the byte also states whether the next iteration is the last one of the warm-up, or of the
measurement. Each side has its own token, so a fork cannot act for the other one.
"""

import re
import secrets
import selectors
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from steady.execution.turn_order import SIDES, Course, State, Stopwatch, TurnOrder
from steady.harness.jmh.run.one_processor import SharedProcessor
from steady.harness.jmh.run.stopper import ForkReport, Stopper
from steady.harness.trial import Trial
from steady.text.numbers import count

_BASE = "base"


@dataclass(eq=False, slots=True)
class ForeignMessages:
    """Count of messages without a valid password, which fail a fork.

    Their sender is unknown. Since base is already part of the repository, tampering is attributed
    to head: its fork fails (or that of the only version), never one of base.

    Parameters
    ----------
    messages : int
        Number of messages since the last failed fork.
    """

    messages: int = 0

    def add(self) -> None:
        """Count a message."""
        self.messages += 1

    def reason_to_fail(self, trial: Trial) -> str:
        """Return why a fork with a result fails nevertheless; empty if it does not."""
        if not self.messages or trial.version == _BASE:
            return ""
        messages, self.messages = count(self.messages, "message"), 0
        return (
            f"tampering: {messages} without the password of a fork reached steady while it ran; "
            "check which programs the benchmarks start, and which processes and ports they access"
        )


_ADDRESS = "127.0.0.1"
_GO = b"!"
_LAST = b"."
_WITH_NEW_THREADS = b"+"
_REQUEST = re.compile(rb"([^?+]{0,128})([?+])")
"""An optional report, and the byte of the request: ``+`` if threads have begun."""
_PROCESS = re.compile(rb"\d{1,9}")
_LONGEST_NAME = 96
_LONGEST_SCORE = 128
_MAX_CLIENTS = 32


@dataclass(eq=False, slots=True)
class _Client:
    """A connection.

    Parameters
    ----------
    socket : socket
        Its socket.
    side : int, optional
        Its side, once it has identified itself.
    unread : bytes
        Received bytes that have not been processed.
    """

    socket: socket.socket
    side: int | None = None
    unread: bytes = b""


class TurnServer:
    """A server from which two forks request turns, within its context.

    Parameters
    ----------
    course : Course
        The iterations of each fork.
    shared_processor : SharedProcessor, optional
        Pins their threads to one processor.
    stop : Stopper, optional
        Judges the scores and ends the forks; without it, all iterations of the course run.
    foreign : ForeignMessages, optional
        Counts connections with an unknown token.

    Raises
    ------
    OSError
        On entry, if no port is free.
    """

    def __init__(
        self,
        course: Course,
        shared_processor: SharedProcessor | None = None,
        stop: Stopper | None = None,
        foreign: ForeignMessages | None = None,
    ) -> None:
        self._order = TurnOrder(course)
        self._shared_processor = shared_processor
        self._stop = stop
        self._foreign = ForeignMessages() if foreign is None else foreign
        self._tokens = tuple(secrets.token_hex(16) for _ in SIDES)
        self._lock = threading.Lock()
        self._clients: dict[int, _Client] = {}
        self._watches = tuple(Stopwatch() for _ in SIDES)

    def __enter__(self) -> Self:
        self._listener = socket.create_server((_ADDRESS, 0), backlog=16)
        self._wakeup, self._wakeup_sender = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        for ready in (self._listener, self._wakeup):
            ready.setblocking(False)
            self._selector.register(ready, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._serve, name="steady: turns", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._wakeup_sender.close()  # ends the thread, which closes all other sockets
        self._thread.join()

    def address(self, side: int) -> str:
        """Return port, token and side, from which a fork connects."""
        return f"{self._listener.getsockname()[1]}-{self._tokens[side]}-{side}"

    def begin(self, side: int) -> None:
        """Start the stopwatch of a side."""
        self._watches[side].run()

    def seconds(self, side: int) -> float:
        """Return the seconds that a side has run, excluding those in which it waited for a turn."""
        with self._lock:
            return self._watches[side].seconds

    def leave(self, side: int) -> None:
        """Record the end of a side."""
        with self._lock:
            self._order.leaves(side)
            self._grant_turns()

    def took_turns(self, side: int) -> bool:
        """Return whether all measured iterations of a side were turns."""
        with self._lock:
            return self._order.took_turns(side)

    def _serve(self) -> None:
        try:
            while True:
                for key, _ in self._selector.select():
                    if key.fileobj is self._wakeup:
                        return
                    with self._lock:
                        self._accept() if key.data is None else self._receive(key.data)
        finally:
            with self._lock:  # waiting forks continue once their connection closes
                for key in list(self._selector.get_map().values()):
                    key.fileobj.close()  # type: ignore[union-attr]
                self._clients.clear()
            self._selector.close()

    def _accept(self) -> None:
        with suppress(OSError):
            connection, _ = self._listener.accept()
            if len(self._selector.get_map()) > _MAX_CLIENTS:
                connection.close()
                return
            connection.setblocking(False)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._selector.register(connection, selectors.EVENT_READ, _Client(connection))

    def _receive(self, client: _Client) -> None:
        try:
            heard = client.socket.recv(256)
        except BlockingIOError:
            return
        except OSError:
            heard = b""
        client.unread += heard
        if not heard or (client.side is None and not self._identify(client)):
            self._disconnect(client)
        elif client.side is not None:
            end = 0
            for request in _REQUEST.finditer(client.unread):
                end = request.end()
                self._handle_request(client, client.side, request)
            client.unread = client.unread[end:]
            if len(client.unread) > _LONGEST_SCORE:
                self._disconnect(client)

    def _identify(self, client: _Client) -> bool:
        """Read the identification of a client; return whether it may still be valid."""
        first, end, rest = client.unread.partition(b"\n")
        if not end:
            return len(first) < _LONGEST_NAME
        name, _, process = first.partition(b" ")
        names = [f"{token}-{side}".encode() for side, token in enumerate(self._tokens)]
        sides = [side for side in SIDES if secrets.compare_digest(name, names[side])]
        if not sides:
            self._foreign.add()
            return False
        (side,) = sides
        if self._order.state(side) is State.GONE:
            return False
        if side in self._clients:
            return False
        self._clients[side] = client
        if self._shared_processor is not None and _PROCESS.fullmatch(process):
            self._shared_processor.add_process(side, int(process))
        client.side, client.unread = side, rest
        return True

    def _handle_request(self, client: _Client, side: int, request: re.Match[bytes]) -> None:
        if self._order.state(side) is State.GONE:
            self._answer(client)
            return
        self._watches[side].pause()
        self._order.asks(side)
        if self._shared_processor is not None and self._order.place(side) > 0:
            self._shared_processor.finish_iteration(
                side, threads_began=request[2] == _WITH_NEW_THREADS
            )
        if self._stop is not None:
            self._judge(self._stop, side, request[1])
        self._grant_turns()

    def _judge(self, stop: Stopper, side: int, score: bytes) -> None:
        """Judge a report, and end a fork whose partner has ended."""
        if score:
            with suppress(ValueError):
                stop.feed(side, ForkReport.parse(score))
        if stop.warmup is not None:
            self._order.end_warmup_after(stop.warmup)
        if stop.last is not None:
            self._order.end_after(stop.last)
        elif stop.forks > 1 and self._order.state(1 - side) is State.GONE:
            self._order.end_soon(side)

    def _grant_turns(self) -> None:
        """Grant all turns that are possible now."""
        while sides := self._order.grant():
            for side in sides:
                self._watches[side].run()
                if self._stop is not None:
                    self._stop.begin()
                last = self._stop is not None and self._order.is_last(side)
                self._answer(self._clients[side], _LAST if last else _GO)

    def _answer(self, client: _Client, answer: bytes = _GO) -> None:
        with suppress(OSError):  # the fork has ended; its connection is about to close
            client.socket.send(answer)

    def _disconnect(self, client: _Client) -> None:
        self._selector.unregister(client.socket)
        client.socket.close()
        if client.side is not None:
            self._watches[client.side].run()
            self._order.leaves(client.side)
            self._grant_turns()
