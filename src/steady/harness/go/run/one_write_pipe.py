"""A pipe that holds a single write: whoever writes again waits until a reader has taken the first.

Linux only: its pipes keep writes apart (``O_DIRECT``), and can be made as small as one of them.

Source: pipe(7), "Packet mode"; fcntl(2), ``F_SETPIPE_SZ``.
"""

from __future__ import annotations

import os
import sys
from functools import cache

LONGEST = 4096
"""Bytes of a write (``PIPE_BUF``); a longer one counts as several."""


def one_write_pipe() -> tuple[int, int]:
    """Return the two ends of a new pipe, to read and to write; reading never waits.

    Raises
    ------
    OSError
        If this system does not have such pipes.
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


@cache
def holds_one_write() -> bool:
    """Tell, by a trial, whether this system has such pipes and can wait for a process."""
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
