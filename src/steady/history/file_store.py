"""A history of plain files: in a folder, or in any store that `fsspec` knows."""

from __future__ import annotations

from collections.abc import Sequence

from steady.errors import InputError
from steady.history.entry import HistoryEntry, encode
from steady.history.folder import Folder
from steady.history.index import index_of
from steady.history.objects import ENTRY_PATH, entry_path, object_path, unpack
from steady.history.remote_files import RemoteFiles
from steady.history.retention import Retention
from steady.history.store import KeptRun, Update, decide


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
