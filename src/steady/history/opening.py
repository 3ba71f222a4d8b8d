"""The store for an address: a branch, or plain files in a folder or where `fsspec` reaches."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from steady.errors import InputError
from steady.files import write_bytes
from steady.history.entry import ENTRY_PATH, HistoryEntry, encode, entry_path, object_path, unpack
from steady.history.git_command import Remote
from steady.history.git_store import DEFAULT_BRANCH, GitStore
from steady.history.remote_files import RemoteFiles
from steady.history.store import KeptRun, Retention, Store, Update, decide, index_of


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
            try:
                (self._root / path).unlink(missing_ok=True)
            except OSError as error:
                raise InputError(
                    f"cannot be removed ({error.strerror})", source=self._root / path
                ) from None

    def _read(self, path: str) -> bytes | None:
        try:
            return (self._root / path).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(
                f"cannot be read ({error.strerror})", source=self._root / path
            ) from None


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
        index = index_of(self._files.read(paths), self.name, "/")
        self.passed_over = index.passed_over
        return index.entries

    def read(self, digest: str) -> bytes:
        """Return an object, unpacked and checked."""
        path = object_path(digest)
        read = self._files.read([path])
        if path not in read:
            raise InputError(
                f"{path} is not there; delete the run that names it by `steady history prune`, or "
                "record it again",
                source=self.name,
            )
        return unpack(read[path], digest, self.name)

    def update(self, record: KeptRun | None, retention: Retention) -> Update:
        """Keep a run, if one is given, and drop what retention does not cover."""
        update = decide(self.entries(), record, retention)
        if record is not None:
            # Also if the run is known: an earlier attempt may have written only half of it.
            self._write_missing(record)
            if update.added is not None:
                self._files.write({entry_path(update.added.identity): encode(update.added)})
            self._write_missing(record)
        if update.dropped:
            self._drop(update.dropped)
        return update

    def _write_missing(self, record: KeptRun) -> None:
        packed = {object_path(digest): data for digest, data in record.objects.items()}
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
    if url.startswith("artifact:"):
        raise InputError(
            "a history in an artifact is for the Action alone; download it (`gh run download RUN "
            "--name NAME --dir FOLDER`), and name that folder",
            source=url,
        )
    return FileStore(Folder(place.folder / url))
