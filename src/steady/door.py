"""The one door through which files are opened that somebody else may have left.

A job with rights reads results, plans and settings beside which a pull request may lay what it
likes. A link would lead to any file that the job may read, and a report would quote that; a pipe
would be waited for; a device has no end. In such a job, `only_in` says where files may lie.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader, BufferedWriter
from pathlib import Path
from stat import S_ISREG

from steady.errors import InputError

_FOLDERS: list[Path] = []
"""Where files may lie; anywhere if there is none."""

_NEVER_WAIT: int = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_BINARY: int = getattr(os, "O_BINARY", 0)


def folders() -> tuple[Path, ...]:
    """Return where files may lie now; nothing where they may lie anywhere."""
    return tuple(_FOLDERS)


@contextmanager
def only_in(*places: Path) -> Iterator[None]:
    """Open no file outside some folders; none: files may lie anywhere."""
    before = folders()
    _FOLDERS[:] = [Path(os.path.realpath(place)) for place in places]
    try:
        yield
    finally:
        _FOLDERS[:] = before


@contextmanager
def also_in(place: Path) -> Iterator[None]:
    """Let files lie in a folder of our own too, where they may not lie anywhere."""
    before = folders()
    with only_in(*before, *([place] if before else [])):
        yield


def opened(path: Path, within: Path | None = None) -> BufferedReader:
    """Open a file to be read.

    Parameters
    ----------
    path : Path
        The file. A link leads to it as usual, but not out of where files may lie, nor into Git's
        own folder.
    within : Path, optional
        A folder that it must lie in, whoever asks. It is given for a file that nobody has named,
        such as one beside the results: that may not be a link that leads out of this folder.

    Raises
    ------
    InputError
        If it is not a regular file, or lies elsewhere.
    OSError
        If it cannot be opened.
    """
    homes = [_FOLDERS] if _FOLDERS else []
    if within is not None:
        homes.append([Path(os.path.realpath(within))])
    if not homes:
        return path.open("rb")
    if not S_ISREG(path.stat().st_mode):  # to open a device may do something
        raise _not_a_file(path)
    handle = os.open(path, os.O_RDONLY | _NEVER_WAIT | _BINARY)
    file = os.fdopen(handle, "rb")
    try:
        status, real = os.fstat(handle), Path(os.path.realpath(path))
        if not S_ISREG(status.st_mode):
            raise _not_a_file(path)
        # What was opened, should somebody exchange the path meanwhile.
        same = os.path.samestat(status, real.lstat())
        # A checkout's own folder may hold the token that fetched it.
        gits = ".git" in real.parts and ".git" not in path.parts
        if gits or not same or not all(any(map(real.is_relative_to, home)) for home in homes):
            raise InputError(
                "is a link that leads out of the folder; put the file itself there", source=path
            )
    except BaseException:
        file.close()
        raise
    return file


def regular(path: Path) -> BufferedReader:
    """Open a file of a run to be read; the code under test may have put a pipe there meanwhile."""
    return opened(path, Path(path.absolute().anchor))


def whole(path: Path) -> bytes:
    """Return what a file of a run holds; see `regular`."""
    with regular(path) as file:
        return file.read()


def appended(path: Path) -> BufferedWriter:
    """Open a file of a run to write at its end; what is there and is no file makes room.

    Raises
    ------
    OSError
        If it cannot be opened.
    """
    with suppress(FileNotFoundError):
        if not S_ISREG(path.lstat().st_mode):
            path.unlink()
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NEVER_WAIT | _BINARY
    return os.fdopen(os.open(path, flags, 0o644), "ab")


def content(path: Path, limit: int, within: Path | None = None) -> bytes:
    """Return what a file holds, and at most one byte more than `limit`; see `opened`."""
    with opened(path, within) as file:
        return file.read(limit + 1)


def _not_a_file(path: Path) -> InputError:
    return InputError("is not a regular file; put a copy of it there", source=path)
