"""Find the store for an address."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from steady.errors import InputError
from steady.history.file_store import FileStore
from steady.history.folder import Folder
from steady.history.git_command import Remote
from steady.history.git_store import DEFAULT_BRANCH, GitStore
from steady.history.remote_files import RemoteFiles
from steady.history.store import Store

DEFAULT_STORE = f"git:{DEFAULT_BRANCH}"

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?:::|://)")


@dataclass(frozen=True, slots=True)
class Place:
    """The surroundings in which an address is read.

    Parameters
    ----------
    folder : Path
        The user's folder: relative paths start here, and it belongs to the clone.
    remote : Remote or str
        For branches: the repository itself, or the name of the clone's remote.
    environ : mapping of str to str
        The environment in which Git runs.
    """

    folder: Path = field(default_factory=Path)
    remote: Remote | str = "origin"
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)


@contextmanager
def open_store(url: str, place: Place | None = None) -> Iterator[Store]:
    """Open the store at an address; nothing is written yet.

    Parameters
    ----------
    url : str
        ``git:BRANCH``, an address that `fsspec` knows, or a folder.
    place : Place, optional
        The surroundings of the address; by default the current folder.

    Raises
    ------
    InputError
        If the address cannot be used.
    MissingToolError
        If Git or a package is not installed.
    """
    where = Place() if place is None else place
    with tempfile.TemporaryDirectory(prefix="steady-history-") as scratch:
        yield _store(url, where, Path(scratch))


def _store(url: str, place: Place, scratch: Path) -> Store:
    """Return the store that an address means; `scratch` is an empty temporary folder."""
    if url.startswith("git:") and not url.startswith("git://"):
        remote = place.remote
        if isinstance(remote, str):
            remote = Remote.of_clone(place.folder, remote, place.environ)
        return GitStore(remote, url.removeprefix("git:") or DEFAULT_BRANCH, scratch)
    if _ADDRESS.match(url):
        return FileStore(RemoteFiles(url))
    if url.startswith("artifact:"):
        raise InputError(
            "a history in an artifact is for the Action alone; download it (`gh run download RUN "
            "--name NAME --dir FOLDER`), and name that folder",
            source=url,
        )
    return FileStore(Folder(place.folder / url))
