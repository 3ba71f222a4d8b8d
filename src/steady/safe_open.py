"""Safe opening of untrusted files.

A job with permissions reads results, plans and settings from folders in which a pull request can
place arbitrary files. A symbolic link could expose any file that the job can read, a pipe would
block, and a device may be endless. Such a job restricts the folders of its input files by
`restrict_to`.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader, BufferedWriter
from pathlib import Path
from stat import S_ISREG

from steady.errors import InputError

_FOLDERS: list[Path] = []
"""Allowed folders; all folders if empty."""

_NEVER_WAIT: int = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_BINARY: int = getattr(os, "O_BINARY", 0)


def allowed_folders() -> tuple[Path, ...]:
    """Return the allowed folders; empty if all are allowed."""
    return tuple(_FOLDERS)


@contextmanager
def restrict_to(*places: Path) -> Iterator[None]:
    """Restrict opening to files in some folders; without any, allow all folders."""
    before = allowed_folders()
    _FOLDERS[:] = [Path(os.path.realpath(place)) for place in places]
    try:
        yield
    finally:
        _FOLDERS[:] = before


@contextmanager
def also_allow(place: Path) -> Iterator[None]:
    """Add a folder to the allowed ones, if opening is restricted."""
    before = allowed_folders()
    with restrict_to(*before, *([place] if before else [])):
        yield


def open_untrusted(path: Path, within: Path | None = None) -> BufferedReader:
    """Open a file for reading.

    Parameters
    ----------
    path : Path
        Path of the file. Links are followed, but not out of the allowed folders, nor into a
        ``.git`` folder.
    within : Path, optional
        Additional folder that must contain the file after links are resolved. Used for files that
        the user has not named, such as one beside the results.

    Raises
    ------
    InputError
        If it is not a regular file, or is outside of the allowed folders.
    OSError
        If it cannot be opened.
    """
    homes = [_FOLDERS] if _FOLDERS else []
    if within is not None:
        homes.append([Path(os.path.realpath(within))])
    if not homes:
        return path.open("rb")
    if not S_ISREG(path.stat().st_mode):  # opening a device may have side effects
        raise _not_a_file(path)
    handle = os.open(path, os.O_RDONLY | _NEVER_WAIT | _BINARY)
    file = os.fdopen(handle, "rb")
    try:
        status, real = os.fstat(handle), Path(os.path.realpath(path))
        if not S_ISREG(status.st_mode):
            raise _not_a_file(path)
        # Detects that the path was replaced between the calls.
        same = os.path.samestat(status, real.lstat())
        # The `.git` folder of a checkout may contain the token that fetched it.
        gits = ".git" in real.parts and ".git" not in path.parts
        if gits or not same or not all(any(map(real.is_relative_to, home)) for home in homes):
            raise InputError(
                "is a link that leads out of the folder; put the file itself there", source=path
            )
    except BaseException:
        file.close()
        raise
    return file


def open_regular(path: Path) -> BufferedReader:
    """Open a run's file for reading, unless the code under test replaced it with a pipe."""
    return open_untrusted(path, Path(path.absolute().anchor))


def read_regular(path: Path) -> bytes:
    """Return the content of a run's file; see `open_regular`."""
    with open_regular(path) as file:
        return file.read()


def open_for_append(path: Path) -> BufferedWriter:
    """Open a run's file for appending, after deleting anything that is not a regular file.

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


def read_untrusted(path: Path, limit: int, within: Path | None = None) -> bytes:
    """Return the first `limit` + 1 bytes of a file; see `open_untrusted`."""
    with open_untrusted(path, within) as file:
        return file.read(limit + 1)


def _not_a_file(path: Path) -> InputError:
    return InputError("is not a regular file; put a copy of it there", source=path)
