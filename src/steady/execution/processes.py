"""Programs that end together with all processes that they start, and communicate by lines."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO

_LEAVING_SECONDS = 5.0
"""Seconds that a program may take to end after a request."""

_LONGEST_LINE = 2**20
"""Maximum length of a line in bytes; longer lines are split."""

_KEEPER = str(Path(__file__).resolve().with_name("keeper.py"))

_GET_DUMPABLE, _SET_DUMPABLE = 3, 4  # <linux/prctl.h>

_NEW_GROUP: int = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # on Windows only


class Child:
    """A program that leads its own process group.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    errors : Path
        File for its standard error.

    Raises
    ------
    OSError
        If it cannot be started.
    """

    def __init__(self, command: Sequence[str], errors: Path) -> None:
        with errors.open("wb") as file:
            self._process, self._output, self._input = _started(command, file)
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._ended = False
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def alive(self) -> bool:
        """Whether the program is running."""
        return self._process.poll() is None

    def write(self, line: str) -> None:
        """Write a line to the program's standard input.

        Raises
        ------
        OSError
            If the program has ended.
        """
        self._output.write(line.encode("ascii") + b"\n")
        self._output.flush()

    def line(self, deadline: float) -> str | None:
        """Wait for the next line of the program's output.

        Parameters
        ----------
        deadline : float
            Time on the clock `time.monotonic`.

        Returns
        -------
        str or None
            None after the end of the output.

        Raises
        ------
        TimeoutError
            If there is no line before the deadline.
        """
        if self._ended:
            return None
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except Empty:
            raise TimeoutError from None
        self._ended = line is None
        return line

    def kill(self) -> int:
        """Kill the program and all processes that it started.

        Returns
        -------
        int
            Exit code; if negative, the signal that ended the program.
        """
        if self._process.returncode is None or self._process.lifeline is not None:
            kill_group(self._process)
        code = self._process.wait()
        self._end_of_lines()
        return code

    def close(self) -> int:
        """Close the program's input, wait for its end, and kill all remaining processes.

        Returns
        -------
        int
            Exit code; if negative, the signal that ended the program.
        """
        self._end_of_lines()
        with suppress(TimeoutError):
            deadline = time.monotonic() + _LEAVING_SECONDS
            while self.line(deadline) is not None:
                pass
        return self.kill()

    def _end_of_lines(self) -> None:
        with suppress(OSError, ValueError):  # it has ended, or closed its input
            self._output.close()

    def _read(self) -> None:
        with suppress(OSError), self._input as lines:  # it has ended without reading all input
            for line in iter(partial(lines.readline, _LONGEST_LINE), b""):
                self._lines.put(line.decode("utf-8", "replace").rstrip())
        self._lines.put(None)


def _started(command: Sequence[str], errors: IO[bytes]) -> tuple[Group, IO[bytes], IO[bytes]]:
    """Start a program; return its group, its input, and its output.

    Input and output are sockets, except on Windows: a process of the same user can open the pipes
    of another process as ``/proc/PROCESS/fd/1``, but not its sockets.
    """
    if sys.platform == "win32":
        group = start_group(command, subprocess.PIPE, subprocess.PIPE, errors)
        if group.stdin is None or group.stdout is None:
            raise AssertionError("both pipes were requested")
        return group, group.stdin, group.stdout
    (ours, stdin), (theirs, stdout) = socket.socketpair(), socket.socketpair()
    with stdin, stdout, ours, theirs:
        group = start_group(command, stdin.fileno(), stdout.fileno(), errors)
        return group, ours.makefile("wb"), theirs.makefile("rb")


class Group(subprocess.Popen[bytes]):
    """A program and all processes that it starts."""

    lifeline: socket.socket | None = None
    """Socket that keeps the program alive, if it has a keeper (`steady.execution.keeper`)."""


def start_group(
    command: Sequence[str],
    stdin: int,
    stdout: int | IO[bytes],
    stderr: int | IO[bytes],
    folder: Path | None = None,
) -> Group:
    """Start a program that ends together with steady, as do all processes that it starts.

    Raises
    ------
    OSError
        If it cannot be started.
    """
    if sys.platform == "win32" or not sys.executable:
        return Group(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=folder,
            creationflags=_NEW_GROUP,
            start_new_session=True,  # without effect on Windows
        )
    ours, control = socket.socketpair()
    with control:
        group = Group(
            [sys.executable, "-ISB", _KEEPER, str(control.fileno()), *command],
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=folder,
            start_new_session=True,
            pass_fds=[control.fileno()],
        )
    group.lifeline = ours
    if (number := int(ours.recv(16) or errno.ECHILD)) != 0:
        with group:
            kill_group(group)
        raise OSError(number, os.strerror(number), command[0])
    return group


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM until the end of the context.

    A program that is started in the context can then be ended when the signal is handled.
    """
    if (
        threading.current_thread() is not threading.main_thread()
    ):  # signals reach only the main thread
        yield
        return
    held_back: list[int] = []
    former = {
        number: signal.signal(number, lambda caught, _: held_back.append(caught))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        for caught in held_back[:1]:
            signal.raise_signal(caught)


@contextmanager
def unreadable() -> Iterator[None]:
    """Protect the memory and files of this process from the user's other processes, on Linux."""
    if sys.platform != "linux":
        yield
        return
    control = ctypes.CDLL(None).prctl
    before = control(_GET_DUMPABLE, 0, 0, 0, 0)
    control(_SET_DUMPABLE, 0, 0, 0, 0)
    try:
        yield
    finally:
        control(_SET_DUMPABLE, before, 0, 0, 0)


def kill_group(group: Group) -> None:
    """Kill a program and all remaining processes that it has started."""
    if group.lifeline is not None:
        group.lifeline.close()
        with suppress(subprocess.TimeoutExpired):
            group.wait(_LEAVING_SECONDS)
            return
    if sys.platform == "win32":
        subprocess.run(  # noqa: S603 - the only argument is a number
            ["taskkill", "/F", "/T", "/PID", str(group.pid)],  # noqa: S607 - a tool of Windows
            capture_output=True,
            check=False,
        )
    else:
        with suppress(ProcessLookupError, PermissionError):  # macOS: only a zombie is left
            os.killpg(group.pid, signal.SIGKILL)
