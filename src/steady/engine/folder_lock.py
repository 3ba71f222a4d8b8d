"""One run at a time in a folder: a lock that the system releases when its owner dies."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from steady.errors import InputError

_HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file during the context; its folder is made if it does not exist.

    If the file system does not support locks, nothing is locked.

    Raises
    ------
    InputError
        If another process holds it.
    OSError
        If the file cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = _held(path)
    try:
        yield
    finally:
        if sys.platform == "win32":  # an open file cannot be removed there
            os.close(handle)
            with suppress(OSError):
                path.unlink()
        else:
            path.unlink(missing_ok=True)
            os.close(handle)


def _held(path: Path) -> int:
    """Open and lock the file at this path, not one that its owner has just removed."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(handle)
        except OSError as error:
            if error.errno in _HELD:
                os.close(handle)
                raise InputError(
                    "another `steady run` is writing into this folder; wait until it has ended, "
                    "or choose another folder",
                    source=path.parent,
                ) from None
            return handle
        with suppress(OSError):
            if os.path.samestat(os.fstat(handle), path.stat()):
                return handle
        os.close(handle)
