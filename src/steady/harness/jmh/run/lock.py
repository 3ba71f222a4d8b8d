"""JMH's lock: one JMH at a time on a machine.

JMH holds it while it runs. Interleaved forks need two JMHs at the same time, so steady takes
the lock itself, by the same system call as Java, and both JMHs ignore it.
"""

import errno
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from steady.harness.trial import BusyError, TrialError

BUSY = (
    "another JMH is running on this machine and holds JMH's lock (jmh.lock in the folder for "
    "temporary files)"
)

_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
_own: set[Path] = set()
"""Locks held by this process, which the operating system would let it acquire again."""
_own_lock = threading.Lock()

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # like Java's FileChannel


@contextmanager
def jmh_lock(path: Path | None) -> Iterator[None]:
    """Hold the lock during the context, if the file system supports locks.

    Parameters
    ----------
    path : Path or None
        The lock file; None if it is disabled.

    Raises
    ------
    BusyError
        If another JMH holds it.
    TrialError
        If the file is inaccessible.
    """
    if path is None:
        yield
        return
    with _own_lock:
        if path in _own:
            raise BusyError(BUSY)
        handle = _taken(path)
        _own.add(path)
    try:
        yield
    finally:
        with _own_lock:
            _own.remove(path)
            os.close(handle)


def _taken(path: Path) -> int:
    try:
        handle = _open(path)
    except OSError as error:
        raise TrialError(f"JMH's lock {path} cannot be opened: {error.strerror}") from None
    try:
        _lock(handle)
    except OSError as error:
        if error.errno in _TAKEN:
            os.close(handle)
            raise BusyError(BUSY) from None
    return handle


def _open(path: Path) -> int:
    """Open the file; create it accessible to every user."""
    with suppress(FileNotFoundError):
        return os.open(path, os.O_RDWR)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    with suppress(OSError):
        path.chmod(0o666)
    return handle
