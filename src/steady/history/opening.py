"""The store for an address: a branch, or plain files in a folder or where `fsspec` reaches."""

from __future__ import annotations

import importlib
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steady import door
from steady.errors import InputError, MissingToolError
from steady.files import write_bytes
from steady.history.entry import ENTRY_PATH, HistoryEntry, encode, entry_path, object_path, unpack
from steady.history.git_command import Remote
from steady.history.git_store import DEFAULT_BRANCH, GitStore
from steady.history.store import KeptRun, Retention, Store, Update, decide, index_of

_LARGEST = 512 * 2**20
"""Bytes of a file of a history, which is compressed."""

_INSTALL = "pip install 'steady-action[fsspec]'"


class RemoteFiles:
    """The files below an address; the same operations as those of `Folder`.

    Parameters
    ----------
    url : str
        ``s3://bucket/folder``, ``gs://...``, or any other address that `fsspec` knows.

    Raises
    ------
    MissingToolError
        If `fsspec`, or its package for this kind of address, is not installed.
    InputError
        If `fsspec` does not know this kind of address.
    """

    def __init__(self, url: str) -> None:
        self.name = url
        try:
            core: Any = importlib.import_module("fsspec.core")
        except ImportError:
            raise MissingToolError(f"a history at {url} needs fsspec: {_INSTALL}") from None
        try:
            system, root = core.url_to_fs(url)
        except ImportError as error:
            raise MissingToolError(f"a history at {url} needs another package: {error}") from None
        except ValueError as error:
            raise InputError(f"is not an address that fsspec knows ({error})", source=url) from None
        self._system: Any = system
        self._root = root.rstrip("/")

    def find(self, folder: str) -> list[str]:
        """Return all files below a folder."""
        # A cached listing would not show what others have written since.
        self._system.invalidate_cache()
        paths = self._try("listed", self._system.find, self._at(folder)) or []
        return [path.removeprefix(f"{self._root}/") for path in paths]

    def read(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Return the contents of the files that exist."""
        if not paths:
            return {}
        full = {self._at(path): path for path in paths}
        got = self._try("read", self._system.cat, list(full), on_error="return")
        return {path: data for at, path in full.items() if (data := self._data(got.get(at)))}

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write files; an object store shows each one completely or not at all."""
        for path, data in files.items():
            self._try("written", self._write, self._at(path), data)

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files."""
        for path in paths:
            self._try("removed", self._system.rm_file, self._at(path))

    def _at(self, path: str) -> str:
        return f"{self._root}/{path}"

    def _write(self, at: str, data: bytes) -> None:
        try:
            self._system.pipe_file(at, data)
        except FileNotFoundError:  # a file system with folders, which does not have this one yet
            self._system.makedirs(at.rpartition("/")[0], exist_ok=True)
            self._system.pipe_file(at, data)

    def _data(self, got: object) -> bytes | None:
        if got is None or isinstance(got, FileNotFoundError):
            return None
        if isinstance(got, Exception):
            raise self._problem("read", got)
        return bytes(got) if isinstance(got, bytes | bytearray | memoryview) else None

    def _try(self, what: str, call: Any, *arguments: Any, **options: Any) -> Any:
        """Call the file system; return None for a missing file, and explain other failures."""
        try:
            return call(*arguments, **options)
        except FileNotFoundError:
            return None
        except Exception as error:
            # Each file system has its own errors, such as botocore's, without a common base.
            raise self._problem(what, error) from None

    def _problem(self, what: str, error: Exception) -> InputError:
        message = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        problem = f"cannot be {what} ({message}); check the address and your credentials"
        return InputError(problem, source=self.name)


class Folder:
    """The files below a folder, which need not exist yet; paths are relative to it, with ``/``.

    Parameters
    ----------
    root : Path
        The folder.
    """

    def __init__(self, root: Path) -> None:
        if root.exists() and not root.is_dir():
            raise InputError("is a file; name a folder for the history", source=root)
        self.name = str(root)
        self._root = root

    def find(self, folder: str) -> list[str]:
        """Return all files below a folder of it; none if there is no such folder."""
        paths = (self._root / folder).rglob("*")
        return [path.relative_to(self._root).as_posix() for path in paths if path.is_file()]

    def read(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Return the contents of the files that exist."""
        return {path: data for path in paths if (data := self._read(path)) is not None}

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write files, each completely or not at all."""
        for path, data in files.items():
            write_bytes(self._root / path, data)

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files; one that is not there is not an error."""
        for path in paths:
            with self._explained("removed", path):
                (self._root / path).unlink(missing_ok=True)

    def _read(self, path: str) -> bytes | None:
        with self._explained("read", path), suppress(FileNotFoundError):
            return door.content(self._root / path, _LARGEST, self._root)
        return None

    @contextmanager
    def _explained(self, what: str, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            problem = f"cannot be {what} ({error.strerror})"
            raise InputError(problem, source=self._root / path) from None


class FileStore:
    """A `Store` of plain files.

    There is no lock. A run's objects are written before its entry, and checked again after it. A
    process that removes objects looks for new entries afterwards, and puts back what they need. So
    a run in the index always has its objects, in whatever order two processes work.

    Parameters
    ----------
    files : Folder or RemoteFiles
        The place that holds them.
    """

    def __init__(self, files: Folder | RemoteFiles) -> None:
        self.name = files.name
        self.passed_over: tuple[str, ...] = ()
        self._files = files

    def entries(self) -> tuple[HistoryEntry, ...]:
        """Return the index."""
        paths = sorted(path for path in self._files.find("entries") if ENTRY_PATH.fullmatch(path))
        entries, self.passed_over = index_of(self._files.read(paths), self.name, "/")
        return entries

    def read(self, digest: str) -> bytes:
        """Return an object, unpacked and checked."""
        path = object_path(digest)
        read = self._files.read([path])
        if path not in read:
            remedy = "delete the run that names it by `steady history prune`, or record it again"
            raise InputError(f"{path} is not there; {remedy}", source=self.name)
        return unpack(read[path], digest, self.name)

    def update(self, record: KeptRun | None, retention: Retention) -> Update:
        """Keep a run, if one is given, and drop what retention does not cover."""
        update = decide(self.entries(), record, retention)
        objects = {} if record is None else record.objects
        packed = {object_path(digest): data for digest, data in objects.items()}
        # Also if the run is known: an earlier attempt may have written only half of it.
        self._write_missing(packed)
        if update.added is not None:
            self._files.write({entry_path(update.added.identity): encode(update.added)})
            self._write_missing(packed)
        if update.dropped:
            self._drop(update.dropped)
        return update

    def _write_missing(self, packed: Mapping[str, bytes]) -> None:
        there = self._files.read(list(packed))
        self._files.write({path: data for path, data in packed.items() if there.get(path) != data})

    def _drop(self, dropped: Sequence[HistoryEntry]) -> None:
        self._files.remove(entry_path(entry.identity) for entry in dropped)
        candidates = {object_path(kept.digest) for entry in dropped for kept in entry.objects}
        unused = sorted(candidates - self._used())
        backup = self._files.read(unused)
        self._files.remove(unused)
        needed = self._used() & set(backup)
        self._files.write({path: backup[path] for path in sorted(needed)})

    def _used(self) -> set[str]:
        return {object_path(kept.digest) for entry in self.entries() for kept in entry.objects}


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
    return FileStore(Folder(place.folder / url))
