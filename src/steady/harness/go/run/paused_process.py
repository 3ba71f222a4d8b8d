"""A test binary that pauses after each write until its output is read.

Its standard output is a pipe with room for a single write: the next write blocks until the first
has been read. Its standard error is a file, and never blocks.

This works only on Linux, whose pipes separate writes (``O_DIRECT``) and can be as small as one
write. Any process of the same user can open the pipe as ``/proc/PROCESS/fd/1`` and write into it.
This cannot be prevented, but it is detected (``inotify``).

Source: pipe(7), "Packet mode"; fcntl(2), ``F_SETPIPE_SZ``; inotify(7), ``IN_OPEN``.
"""

import ctypes
import os
import select
import sys
import tempfile
import time
from collections.abc import Collection
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import Self

from steady.execution.fork_log import MOST_READ, both_ends
from steady.execution.lanes import Lane, pin_program
from steady.execution.processes import Group, kill_group, uninterrupted
from steady.harness.go.run.test_binaries import launched_binary
from steady.programs.process import Ended

LONGEST = 4096
"""Longest write in bytes (``PIPE_BUF``); longer ones are split."""


def one_write_pipe() -> tuple[int, int]:
    """Return the reading and the writing end of a new pipe; reads never block.

    Raises
    ------
    OSError
        If the system does not support such pipes.
    """
    if sys.platform != "linux":
        raise OSError("its pipes hold more than one write")
    import fcntl

    reader, writer = os.pipe()
    try:
        fcntl.fcntl(writer, fcntl.F_SETFL, os.O_DIRECT)
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, LONGEST)
        os.set_blocking(reader, False)
    except OSError:
        os.close(reader)
        os.close(writer)
        raise
    return reader, writer


_IN_OPEN = 0x20  # <sys/inotify.h>


class OpenWatch:
    """A watch for processes that open a pipe by its name; inheriting it is not reported.

    Parameters
    ----------
    reader : int
        The reading end of the pipe.
    """

    def __init__(self, reader: int) -> None:
        library = ctypes.CDLL(None)
        self._news: int = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        library.inotify_add_watch(self._news, f"/proc/self/fd/{reader}".encode(), _IN_OPEN)

    @property
    def any(self) -> bool:
        """Whether the pipe was opened; False if the system has no more watches."""
        try:
            return bool(os.read(self._news, LONGEST))
        except OSError:
            return False

    def close(self) -> None:
        """End the watch."""
        if self._news >= 0:
            os.close(self._news)


@cache
def supports_one_write_pipes() -> bool:
    """Return whether the system supports such pipes and can wait for a process."""
    try:
        os.close(os.pidfd_open(os.getpid()))
        reader, writer = one_write_pipe()
    except (AttributeError, OSError):
        return False
    try:
        os.set_blocking(writer, False)
        os.write(writer, b"1")
        os.write(writer, b"2")
    except BlockingIOError:
        return os.read(reader, LONGEST) == b"1"
    finally:
        os.close(reader)
        os.close(writer)
    return False


_MOST_MILLISECONDS = 2**31 - 1


class PausedProcess:
    """A running process of a test binary; the end of a ``with`` statement ends it.

    Parameters
    ----------
    binary : Path
        The test binary.
    *arguments : str
        Its arguments.
    timeout : float
        Seconds after which it is stopped; only time spent waiting for it counts.
    lane : Lane, optional
        The place of its pair among simultaneous ones.

    Raises
    ------
    InputError
        If it does not start.
    """

    def __init__(
        self, binary: Path, *arguments: str, timeout: float, lane: Lane | None = None
    ) -> None:
        self._left = timeout
        self._output = bytearray()
        self._timed_out = False
        with ExitStack() as stack:
            self._errors = stack.enter_context(tempfile.TemporaryFile())
            self._reader, writer = one_write_pipe()
            stack.callback(os.close, self._reader)
            self._watch = OpenWatch(self._reader)
            stack.callback(self._watch.close)
            try:
                with uninterrupted():
                    self._process = launched_binary(binary, arguments, writer, self._errors)
                    stack.callback(_kill, self._process)
                    if lane is not None:
                        lane.add(self._process)
            finally:
                os.close(writer)
            self._exit = os.pidfd_open(self._process.pid)
            stack.callback(os.close, self._exit)
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def alive(self) -> bool:
        """Whether the process was alive at the last check."""
        return self._process.returncode is None

    @property
    def was_opened(self) -> bool:
        """Whether another process opened its output, so that its results may be forged."""
        return self._watch.any

    def pin(self, processors: Collection[int]) -> None:
        """Pin it to some processors; it does not notice this."""
        pin_program(self._process, processors)

    def wait(self) -> bool:
        """Wait for a write; return False if the process has ended or exceeded its timeout."""
        if self.alive and not self._readable():
            self._timed_out = not self._ready({self._exit: select.POLLIN}, self._left)
            if not self._timed_out:
                with suppress(BlockingIOError):
                    self._taken()  # its last write; its children may write later
            self.end()
        return self.alive

    def take(self) -> bytes:
        """Wait for the next write and read it; empty if the process ended or timed out."""
        return self._taken() if self.wait() else b""

    def ends(self, seconds: float) -> bool:
        """Return whether the process ends within some seconds without further reads."""
        return not self.alive or bool(self._ready({self._exit: select.POLLIN}, seconds))

    def end(self) -> Ended:
        """Kill the process and all processes that it started, unless it has ended."""
        if self.alive:
            _kill(self._process)
        output = bytes(self._output) + both_ends(self._errors)
        return Ended(self._process.returncode, output.decode("utf-8", "replace"), self._timed_out)

    def _taken(self) -> bytes:
        written = os.read(self._reader, LONGEST)
        self._output += written
        if len(self._output) > 2 * MOST_READ:
            del self._output[MOST_READ // 2 : -MOST_READ // 2]
        return written

    def _readable(self) -> bool:
        """Wait until the process writes, ends, closes its output, or exceeds its timeout.

        Returns whether there is output to read.
        """
        events = self._ready({self._reader: select.POLLIN, self._exit: select.POLLIN}, self._left)
        return bool(events.get(self._reader, 0) & select.POLLIN)

    def _ready(self, files: dict[int, int], seconds: float) -> dict[int, int]:
        poll = select.poll()
        for file, events in files.items():
            poll.register(file, events)
        begin = time.monotonic()
        ready = dict(poll.poll(min(max(seconds, 0.0) * 1000, _MOST_MILLISECONDS)))
        self._left -= time.monotonic() - begin
        return ready


def _kill(process: Group) -> None:
    if process.returncode is None:  # its id is not reused before it is reaped
        kill_group(process)
    process.wait()
