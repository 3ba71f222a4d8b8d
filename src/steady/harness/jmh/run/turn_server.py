"""The server of turns: a local socket where two processes ask for their turns.

A process first writes the token of its side and its number as a line, and then one byte each time
that it wants to go on; before that byte, it may write the score of the iteration that it has ended,
and what it has spent so far (`steady.harness.jmh.run.stopper.ForkReport`). Each side has its own token: a
fork that knows its own cannot speak for the other one.
It gets one byte when it may go on. That byte says whether its next iteration is the last one of its
kind: of the warm-up, or of those that are measured.
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
    """A count of foreign messages, which fail a fork.

    Their sender is unknown. Since the repository already contains base, tampering comes from head:
    a fork of head fails, or of the only version, and base is not affected.

    Parameters
    ----------
    messages : int
        Number of messages that have not failed a fork yet.
    """

    messages: int = 0

    def heard(self) -> None:
        """Count a message, which has no other effect."""
        self.messages += 1

    def blame(self, trial: Trial) -> str:
        """Return the reason to fail a fork in spite of its result; empty without one."""
        if not self.messages or trial.version == _BASE:
            return ""
        told, self.messages = count(self.messages, "message"), 0
        return (
            f"tampering: {told} without the password of a fork reached steady while it ran; check "
            "which programs the benchmarks start, and which processes and ports they access"
        )


_ADDRESS = "127.0.0.1"
_GO = b"!"
_LAST = b"."
_ASKED_WITH_MORE_THREADS = b"+"
_QUESTION = re.compile(rb"([^?+]{0,128})([?+])")
"""A score, if there is one, and the byte that asks: the second one, if threads have begun."""
_PROCESS = re.compile(rb"\d{1,9}")
_LONGEST_NAME = 96
_LONGEST_SCORE = 128
_MOST_LINES = 32


@dataclass(eq=False, slots=True)
class _Line:
    """A connection.

    Parameters
    ----------
    socket : socket
        Its socket.
    side : int, optional
        Its side, once it has identified itself.
    """

    socket: socket.socket
    side: int | None = None
    unread: bytes = b""


class TurnServer:
    """A server by which two processes take turns while the context lasts.

    Parameters
    ----------
    course : Course
        The iterations of each.
    shared_processor : SharedProcessor, optional
        Keeps their threads on one processor.
    stop : Stopper, optional
        Judges the scores, and decides on the last iterations. Without it, the course decides.
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
        self._lines: dict[int, _Line] = {}
        self._watches = tuple(Stopwatch() for _ in SIDES)

    def __enter__(self) -> Self:
        self._listener = socket.create_server((_ADDRESS, 0), backlog=16)
        self._bell, self._rope = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        for ready in (self._listener, self._bell):
            ready.setblocking(False)
            self._selector.register(ready, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._serve, name="steady: turns", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._rope.close()  # the thread notices, and closes all others
        self._thread.join()

    def seat(self, side: int) -> str:
        """Return the port and the token of a process."""
        return f"{self._listener.getsockname()[1]}-{self._tokens[side]}-{side}"

    def begin(self, side: int) -> None:
        """Start the stopwatch of a side."""
        self._watches[side].run()

    def seconds(self, side: int) -> float:
        """Return the seconds of a side without those in which it waited for its turn."""
        with self._lock:
            return self._watches[side].seconds

    def leave(self, side: int) -> None:
        """Take note that a side has ended."""
        with self._lock:
            self._order.leaves(side)
            self._pass_on()

    def took_turns(self, side: int) -> bool:
        """Tell whether all measured iterations of a side were turns."""
        with self._lock:
            return self._order.took_turns(side)

    def _serve(self) -> None:
        try:
            while True:
                for key, _ in self._selector.select():
                    if key.fileobj is self._bell:
                        return
                    with self._lock:
                        self._accept() if key.data is None else self._hear(key.data)
        finally:
            with self._lock:  # waiting processes continue when their connection closes
                for key in list(self._selector.get_map().values()):
                    key.fileobj.close()  # type: ignore[union-attr]
                self._lines.clear()
            self._selector.close()

    def _accept(self) -> None:
        with suppress(OSError):
            connection, _ = self._listener.accept()
            if len(self._selector.get_map()) > _MOST_LINES:
                connection.close()
                return
            connection.setblocking(False)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._selector.register(connection, selectors.EVENT_READ, _Line(connection))

    def _hear(self, line: _Line) -> None:
        try:
            heard = line.socket.recv(256)
        except BlockingIOError:
            return
        except OSError:
            heard = b""
        line.unread += heard
        if not heard or (line.side is None and not self._may_stay(line)):
            self._hang_up(line)
        elif line.side is not None:
            end = 0
            for question in _QUESTION.finditer(line.unread):
                end = question.end()
                self._asked(line, line.side, question)
            line.unread = line.unread[end:]
            if len(line.unread) > _LONGEST_SCORE:
                self._hang_up(line)

    def _may_stay(self, line: _Line) -> bool:
        """Read the identification of a connection; tell whether it may be valid."""
        first, end, rest = line.unread.partition(b"\n")
        if not end:
            return len(first) < _LONGEST_NAME
        name, _, process = first.partition(b" ")
        names = [f"{token}-{side}".encode() for side, token in enumerate(self._tokens)]
        sides = [side for side in SIDES if secrets.compare_digest(name, names[side])]
        if not sides:
            self._foreign.heard()
            return False
        (side,) = sides
        if self._order.state(side) is State.GONE:
            return False
        if side in self._lines:
            return False
        self._lines[side] = line
        if self._shared_processor is not None and _PROCESS.fullmatch(process):
            self._shared_processor.comes(side, int(process))
        line.side, line.unread = side, rest
        return True

    def _asked(self, line: _Line, side: int, question: re.Match[bytes]) -> None:
        if self._order.state(side) is State.GONE:
            self._send_on(line)
            return
        self._watches[side].pause()
        self._order.asks(side)
        if self._shared_processor is not None and self._order.place(side) > 0:
            self._shared_processor.ran(side, threads_began=question[2] == _ASKED_WITH_MORE_THREADS)
        if self._stop is not None:
            self._judge(self._stop, side, question[1])
        self._pass_on()

    def _judge(self, stop: Stopper, side: int, score: bytes) -> None:
        """Judge a score; a fork without a partner has nothing more to measure."""
        if score:
            with suppress(ValueError):
                stop.take(side, ForkReport.parse(score))
        if stop.warmup is not None:
            self._order.end_warmup_after(stop.warmup)
        if stop.last is not None:
            self._order.end_after(stop.last)
        elif stop.forks > 1 and self._order.state(1 - side) is State.GONE:
            self._order.end_soon(side)

    def _pass_on(self) -> None:
        """Grant turns until no side may continue."""
        while sides := self._order.grant():
            for side in sides:
                self._watches[side].run()
                if self._stop is not None:
                    self._stop.begin()
                last = self._stop is not None and self._order.is_last(side)
                self._send_on(self._lines[side], _LAST if last else _GO)

    def _send_on(self, line: _Line, answer: bytes = _GO) -> None:
        with suppress(OSError):  # it has ended: its connection is about to close
            line.socket.send(answer)

    def _hang_up(self, line: _Line) -> None:
        self._selector.unregister(line.socket)
        line.socket.close()
        if line.side is not None:
            self._watches[line.side].run()
            self._order.leaves(line.side)
            self._pass_on()
