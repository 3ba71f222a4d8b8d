"""Check whether processes have ended."""

import os
import time
from pathlib import Path


def gone(pid: int) -> bool:
    """Wait some seconds for the end of a process, and return whether it has ended.

    A zombie is dead, whoever has to bury it.
    """
    deadline, status = time.monotonic() + 10, Path(f"/proc/{pid}/stat")
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            if status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.01)
    return False
