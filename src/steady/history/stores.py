"""Open the store at an address: a branch, or files in a folder."""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from steady import safe_open
from steady.errors import InputError
from steady.files import write_bytes
from steady.history.entry import ENTRY_PATH, HistoryEntry, encode, entry_path, object_path, unpack
from steady.history.git_command import Remote
from steady.history.git_store import DEFAULT_BRANCH, GitStore
from steady.history.store import KeptRun, Retention, Store, Update, decide, index_of

_LARGEST = 512 * 2**20
"""Maximum size of a compressed file of a history, in bytes."""


class FileStore:
    """A `Store` of files in a folder, which is created if necessary.

    There is no lock. A run's objects are written before its entry, and verified again afterwards. A
    process that removes objects then checks for new entries, and restores the objects that they
    need. So a run in the index always has its objects, for any interleaving of two processes.

    Parameters
    ----------
    root : Path
        The folder; paths in the index are relative to it, with ``/``.
    """

    def __init__(self, root: Path) -> None:
        if root.exists() and not root.is_dir():
            raise InputError("is a file; name a folder for the history", source=root)
        self.name = str(root)
        self.skipped: tuple[str, ...] = ()
        self._root = root

    def entries(self) -> tuple[HistoryEntry, ...]:
        """Return the index."""
        found = (self._root / "entries").rglob("*")
        paths = [path.relative_to(self._root).as_posix() for path in found if path.is_file()]
        files = self._read_all(sorted(filter(ENTRY_PATH.fullmatch, paths)))
        entries, self.skipped = index_of(files, self.name, "/")
        return entries

    def read(self, digest: str) -> bytes:
        """Return an object, decompressed and verified."""
        path = object_path(digest)
        packed = self._read(path)
        if packed is None:
            remedy = "delete the run that needs it with `steady history prune`, or record it again"
            raise InputError(f"{path} is missing; {remedy}", source=self.name)
        return unpack(packed, digest, self.name)

    def update(self, record: KeptRun | None, retention: Retention) -> Update:
        """Store a run, if given, and drop runs beyond the retention limits."""
        update = decide(self.entries(), record, retention)
        objects = {} if record is None else record.objects
        packed = {object_path(digest): data for digest, data in objects.items()}
        # Needed for a known run too: an earlier attempt may have been interrupted.
        self._write_missing(packed)
        if update.added is not None:
            self._write({entry_path(update.added.identity): encode(update.added)})
            self._write_missing(packed)
        if update.dropped:
            self._drop(update.dropped)
        return update

    def _write_missing(self, packed: Mapping[str, bytes]) -> None:
        there = self._read_all(packed)
        self._write({path: data for path, data in packed.items() if there.get(path) != data})

    def _drop(self, dropped: Sequence[HistoryEntry]) -> None:
        self._remove([entry_path(entry.identity) for entry in dropped])
        candidates = {object_path(kept.digest) for entry in dropped for kept in entry.objects}
        unused = sorted(candidates - self._used())
        backup = self._read_all(unused)
        self._remove(unused)
        needed = self._used() & set(backup)
        self._write({path: backup[path] for path in sorted(needed)})

    def _used(self) -> set[str]:
        return {object_path(kept.digest) for entry in self.entries() for kept in entry.objects}

    def _read(self, path: str) -> bytes | None:
        with self._converted_errors("read", path), suppress(FileNotFoundError):
            return safe_open.read_untrusted(self._root / path, _LARGEST, self._root)
        return None

    def _read_all(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of the files that exist."""
        return {path: data for path in paths if (data := self._read(path)) is not None}

    def _write(self, files: Mapping[str, bytes]) -> None:
        """Write files, each completely or not at all."""
        for path, data in files.items():
            write_bytes(self._root / path, data)

    def _remove(self, paths: Iterable[str]) -> None:
        """Remove files; missing files are ignored."""
        for path in paths:
            with self._converted_errors("removed", path):
                (self._root / path).unlink(missing_ok=True)

    @contextmanager
    def _converted_errors(self, what: str, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            problem = f"cannot be {what} ({error.strerror})"
            raise InputError(problem, source=self._root / path) from None


@dataclass(frozen=True, slots=True)
class Place:
    """The context for resolving an address.

    Parameters
    ----------
    folder : Path
        Folder in the user's clone; relative paths start here.
    remote : Remote or str
        For branches: the remote repository, or the name of a remote of the clone.
    environ : mapping of str to str
        Environment variables of Git.
    """

    folder: Path = field(default_factory=Path)
    remote: Remote | str = "origin"
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)


@contextmanager
def open_store(url: str, place: Place | None = None) -> Iterator[Store]:
    """Open the store at an address without writing.

    Parameters
    ----------
    url : str
        ``git:BRANCH``, or a folder.
    place : Place, optional
        Context of the address; by default the current folder.

    Raises
    ------
    InputError
        If the address is invalid.
    MissingToolError
        If Git is not installed.
    """
    where = Place() if place is None else place
    with tempfile.TemporaryDirectory(prefix="steady-history-") as scratch:
        yield _store(url, where, Path(scratch))


def _store(url: str, place: Place, scratch: Path) -> Store:
    """Return the store at an address; `scratch` is an empty temporary folder."""
    if "://" in url:
        problem = "a history is in a branch, such as git:steady-data, or in a folder; name one"
        raise InputError(problem, source=url)
    if url.startswith("git:"):
        remote = place.remote
        if isinstance(remote, str):
            remote = Remote.of_clone(place.folder, remote, place.environ)
        return GitStore(remote, url.removeprefix("git:") or DEFAULT_BRANCH, scratch)
    return FileStore(place.folder / url)
