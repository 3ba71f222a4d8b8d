"""Run a test binary and everything that it starts, from start to end."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import IO

from steady.engine.fork_log import both_ends
from steady.engine.processes import Group, kill_group, start_group, uninterrupted
from steady.errors import InputError

NO_TESTS = "-test.run=^$"

_LOOKS_SECONDS = 0.1
"""Seconds between two checks of a process that may be stopped early."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended.

    Parameters
    ----------
    code : int
        Its exit code; if negative, the signal that ended it.
    output : str
        Its output, including errors; of a very long one, both ends.
    timed_out : bool
        Whether it was stopped because it took too long.
    """

    code: int
    output: str
    timed_out: bool = False


def start(binary: Path, *arguments: str, timeout: float, stop: Event | None = None) -> Ended:
    """Run a test binary in its own folder; nothing that it started is left afterwards.

    Parameters
    ----------
    binary : Path
        The test binary.
    *arguments : str
        Its arguments.
    timeout : float
        Seconds after which it is stopped.
    stop : Event, optional
        Stops it early; for threads, which Ctrl-C does not reach.

    Raises
    ------
    InputError
        If it cannot be started.
    """
    # A file, not a pipe: a process of the group could keep a pipe open for ever.
    with tempfile.TemporaryFile() as output:
        process = None
        try:
            with uninterrupted():
                process = launched(binary, arguments, output, subprocess.STDOUT)
            timed_out = not _ends(process, timeout, stop)
        finally:
            if process is not None:
                kill_group(process)
                process.wait()
        text = both_ends(output).decode("utf-8", "replace")
        return Ended(process.returncode, text, timed_out)


def launched(
    binary: Path, arguments: Sequence[str], output: int | IO[bytes], errors: int | IO[bytes]
) -> Group:
    """Start a test binary in its own folder, as the leader of a process group.

    Raises
    ------
    InputError
        If it cannot be started.
    """
    command = [str(binary), NO_TESTS, *arguments]
    try:
        return start_group(command, subprocess.DEVNULL, output, errors, binary.parent)
    except OSError as error:
        raise InputError(
            f"cannot be run ({error.strerror}); build it with go test -c on this machine",
            source=binary,
        ) from None


def _ends(process: Group, timeout: float, stop: Event | None) -> bool:
    """Wait for the end of a process; return False if it takes too long."""
    deadline = time.monotonic() + timeout
    # Without a reason to look, no core is woken while a benchmark is measured.
    pause = timeout if stop is None else _LOOKS_SECONDS
    while stop is None or not stop.is_set():
        left = deadline - time.monotonic()
        try:
            process.wait(max(min(pause, left), 0.0))
        except subprocess.TimeoutExpired:
            if left <= pause:
                return False
        else:
            break
    return True
