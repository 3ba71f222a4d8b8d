"""A folder of source files: which there are, and what stands in them.

Nothing is run. Links are not followed, and no file is waited for.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from stat import S_ISREG

from steady import door
from steady.errors import InputError

_PASSED_OVER = frozenset({"bin", "build", "node_modules", "out", "target"})
"""Folders with what tools have generated; so are those whose names begin with a dot."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a folder is looked at; without limits, all of it.

    Parameters
    ----------
    files : float
        Files of any kind that are listed.
    file_bytes : float
        Size of the largest file that is read.
    all_bytes : float
        What all files together may hold that are read.
    """

    files: float = inf
    file_bytes: float = inf
    all_bytes: float = inf


UNLIMITED = Limits()


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a file.

    Parameters
    ----------
    path : str
        Relative to the folder that was searched, with ``/``.
    line : int
        Counted from 1.
    """

    path: str
    line: int


class SourceFolder:
    """Files below a folder, without links, hidden folders, and folders of build output.

    Parameters
    ----------
    root : Path
        The folder.
    limits : Limits
        How much of it is looked at.

    Raises
    ------
    InputError
        If it is not a folder.
    """

    def __init__(self, root: Path, limits: Limits) -> None:
        if not root.is_dir():
            raise InputError("is not a folder; give the one that holds the sources", source=root)
        self.root = root
        self._limits = limits
        self._bytes_left = limits.all_bytes

    def paths(self, ending: str) -> Iterator[Path]:
        """Yield the files whose names have this ending, in order."""
        listed = 0
        for folder, folders, names in os.walk(self.root):
            ours = (n for n in folders if not n.startswith(".") and n not in _PASSED_OVER)
            folders[:] = sorted(ours)
            listed += len(names)
            if listed > self._limits.files:
                return
            for path in (Path(folder, name) for name in sorted(names) if name.endswith(ending)):
                if not path.is_symlink():
                    yield path

    def read(self, path: Path) -> bytes:
        """Return what a file holds.

        Raises
        ------
        InputError
            If it cannot be read, is not a regular file, or is beyond the limits.
        """
        try:
            status = path.stat()
            # To open a pipe would wait for whoever writes to it.
            if not S_ISREG(status.st_mode):
                raise InputError("is not a regular file", source=path)
            if status.st_size > min(self._limits.file_bytes, self._bytes_left):
                raise InputError("is more than what is read of sources", source=path)
            self._bytes_left -= status.st_size
            return door.content(path, status.st_size, self.root)
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror})", source=path) from None
