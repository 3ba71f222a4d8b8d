"""A pipe that holds a single write: whoever writes again waits until a reader has taken the first.

Linux only: its pipes keep writes apart (``O_DIRECT``), and can be made as small as one of them.
There any process of the same user may open the pipe too, as ``/proc/PROCESS/fd/1``, and write into
it. Nothing forbids that, but the system tells of it.

Source: pipe(7), "Packet mode"; fcntl(2), ``F_SETPIPE_SZ``; inotify(7), ``IN_OPEN``.
"""

from __future__ import annotations

import ctypes
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


_IN_OPEN = 0x20  # <sys/inotify.h>


class Openers:
    """A watch on who opens a pipe by its name; a process that inherits it does not count.

    Parameters
    ----------
    reader : int
        An end of the pipe.
    """

    def __init__(self, reader: int) -> None:
        library = ctypes.CDLL(None)
        self._news: int = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        library.inotify_add_watch(self._news, f"/proc/self/fd/{reader}".encode(), _IN_OPEN)

    @property
    def any(self) -> bool:
        """Whether there was one; never where the system has no more watches to give."""
        try:
            return bool(os.read(self._news, LONGEST))
        except OSError:
            return False

    def close(self) -> None:
        """End the watch."""
        if self._news >= 0:
            os.close(self._news)


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
