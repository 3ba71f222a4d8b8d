"""Run a test binary and everything that it starts, from start to end."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from steady.run.processes import kill_group

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
        All its output, including errors.
    timed_out : bool
        Whether it was stopped because it took too long.
    """

    code: int
    output: str
    timed_out: bool = False


def run_to_end(
    command: Sequence[str], folder: Path, timeout: float, stop: Event | None = None
) -> Ended:
    """Run a program in its own process group; no process of the group is left afterwards.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    folder : Path
        Its working directory.
    timeout : float
        Seconds after which it is stopped.
    stop : Event, optional
        Stops it early; for threads, which Ctrl-C does not reach.

    Raises
    ------
    OSError
        If it cannot be started.
    """
    # A file, not a pipe: a process of the group could keep a pipe open for ever.
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(  # noqa: S603 - the user's own benchmarks
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        timed_out = False
        try:
            _wait(process, timeout, stop)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            kill_group(process)
            process.wait()
        output.seek(0)
        return Ended(process.returncode, output.read().decode("utf-8", "replace"), timed_out)


def _wait(process: subprocess.Popen[bytes], timeout: float, stop: Event | None) -> None:
    if stop is None:
        process.wait(timeout)
        return
    deadline = time.monotonic() + timeout
    while not stop.is_set():
        try:
            process.wait(min(_LOOKS_SECONDS, max(deadline - time.monotonic(), 0.0)))
        except subprocess.TimeoutExpired:
            if time.monotonic() >= deadline:
                raise
        else:
            return
