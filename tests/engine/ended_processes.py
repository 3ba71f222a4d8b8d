"""Whether processes are still there."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; a zombie is dead, whoever has to bury it."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = ""
    with suppress(OSError):  # it has just ended, or this system has no such file
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state != "Z"


def gone(pid: int) -> bool:
    """Wait some seconds for the end of a process; return whether it came."""
    deadline = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_alive(pid)
