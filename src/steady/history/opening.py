"""Find the store for an address."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from steady.errors import InputError
from steady.history.files import FileStore
from steady.history.folder import Folder
from steady.history.git_command import Remote
from steady.history.git_store import DEFAULT_BRANCH, GitStore
from steady.history.remote_files import RemoteFiles
from steady.history.store import Store
from steady.registry import Registered, Registry

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


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of store.

    Parameters
    ----------
    recognizes : callable
        Whether an address is of this kind.
    make : callable
        Makes the store from address, place and an empty temporary folder.
    """

    recognizes: Callable[[str], bool]
    make: Callable[[str, Place, Path], Store]


def _git(url: str, place: Place, scratch: Path) -> Store:
    branch = url.removeprefix("git:") or DEFAULT_BRANCH
    remote = place.remote
    if isinstance(remote, str):
        remote = Remote.of_clone(place.folder, remote, place.environ)
    return GitStore(remote, branch, scratch)


def _fsspec(url: str, _: Place, __: Path) -> Store:
    return FileStore(RemoteFiles(url))


def _artifact(url: str, _: Place, __: Path) -> Store:
    raise InputError(
        "a history in an artifact is for the Action alone; download it (`gh run download RUN "
        "--name NAME --dir FOLDER`), and name that folder",
        source=url,
    )


def _folder(url: str, place: Place, _: Path) -> Store:
    return FileStore(Folder(place.folder / url))


STORES: Registry[Kind] = Registry(
    "history store",
    Registered(
        "git",
        "a branch of its own in the repository: git:steady-data",
        "docs/history.md",
        Kind(lambda url: url.startswith("git:") and not url.startswith("git://"), _git),
    ),
    Registered(
        "fsspec",
        "an address that fsspec knows: s3://bucket/folder, gs://..., abfs://...",
        "filesystem-spec.readthedocs.io",
        Kind(lambda url: bool(_ADDRESS.match(url)), _fsspec),
    ),
    Registered(
        "artifact",
        "an artifact of workflows, in the Action alone: artifact:steady-history",
        "docs/history.md",
        Kind(
            lambda url: url.startswith("artifact:") and not url.startswith("artifact://"), _artifact
        ),
    ),
    Registered("folder", "a folder of this machine", "docs/history.md", Kind(bool, _folder)),
)


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
    kind = next(entry.value for entry in STORES.values() if entry.value.recognizes(url or "."))
    with tempfile.TemporaryDirectory(prefix="steady-history-") as scratch:
        yield kind.make(url, where, Path(scratch))
