"""The operations of every place that keeps a history, its index, and which runs stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from steady.errors import InputError
from steady.history.entry import HistoryEntry, decode, entry_path

MEBIBYTE = 2**20


@dataclass(frozen=True, slots=True)
class Retention:
    """How much is kept.

    Parameters
    ----------
    runs : int
        Number of newest runs of each suite that stay; at least 1.
    megabytes : float
        MiB that all objects may take together, packed. If they take more, the oldest runs of all
        suites go first, but the newest run of each suite always stays.
    """

    runs: int = 30
    megabytes: float = 50.0

    def __post_init__(self) -> None:
        if self.runs < 1:
            raise InputError(f"{self.runs} runs are to be kept: expected at least 1")
        if not 0 < self.megabytes < float("inf"):
            raise InputError(f"{self.megabytes} MiB are to be kept: expected a size above 0")

    def dropped(
        self, entries: Iterable[HistoryEntry], spared: Collection[str] = ()
    ) -> tuple[HistoryEntry, ...]:
        """Return the entries to drop, oldest first.

        Parameters
        ----------
        entries : iterable of HistoryEntry
            All entries.
        spared : collection of str
            Identities that stay in any case, such as the run that is being recorded.
        """
        seen, firsts = Counter[str](), set(spared)
        kept: list[HistoryEntry] = []
        gone: list[HistoryEntry] = []
        # The newest first.
        for entry in sorted(entries, key=lambda e: (e.identity in spared, *e.age_key))[::-1]:
            if not seen[entry.suite]:
                firsts.add(entry.identity)
            seen[entry.suite] += 1
            (kept if seen[entry.suite] <= self.runs else gone).append(entry)
        gone += self._too_large(kept, firsts)
        return tuple(sorted(gone, key=lambda e: e.age_key))

    def _too_large(
        self, newest_first: list[HistoryEntry], firsts: Collection[str]
    ) -> list[HistoryEntry]:
        """Return the entries that do not fit; an object of several runs counts once."""
        users = Counter(kept for entry in newest_first for kept in entry.objects)
        size = sum(kept.size for kept in users)
        gone = []
        for entry in reversed(newest_first):
            if size > self.megabytes * MEBIBYTE and entry.identity not in firsts:
                gone.append(entry)
                users.subtract(entry.objects)
                size -= sum(kept.size for kept in entry.objects if not users[kept])
        return gone


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run to keep.

    Parameters
    ----------
    entry : HistoryEntry
        Its place in the index.
    objects : mapping of str to bytes
        All objects that the entry names, packed, by digest.
    """

    entry: HistoryEntry
    objects: Mapping[str, bytes] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Update:
    """The effect of a change on a history.

    Parameters
    ----------
    added : HistoryEntry, optional
        None if nothing is new, because the history already had the run.
    dropped : tuple of HistoryEntry
        The runs that retention dropped, oldest first.
    """

    added: HistoryEntry | None = None
    dropped: tuple[HistoryEntry, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to do."""
        return self.added is None and not self.dropped


class Store(Protocol):
    """A place that keeps runs.

    Attributes
    ----------
    name : str
        Its name in messages.
    passed_over : tuple of str
        Files that `entries` found and could not use, one sentence each.
    """

    name: str
    passed_over: tuple[str, ...]

    def entries(self) -> tuple[HistoryEntry, ...]:
        """Return the index, in no particular order; empty if nothing was ever kept."""
        ...

    def read(self, digest: str) -> bytes:
        """Return an object, unpacked and checked.

        Raises
        ------
        InputError
            If it is missing or damaged.
        """
        ...

    def update(self, record: KeptRun | None, retention: Retention) -> Update:
        """Keep a run, if one is given, and drop what retention does not cover.

        Others may do this at the same time: nothing of theirs is lost. Doing it again changes
        nothing.

        Raises
        ------
        InputError
            If the place cannot be written, or it has the same run with other results.
        """
        ...


def index_of(
    files: Mapping[str, bytes], name: str, separator: str
) -> tuple[tuple[HistoryEntry, ...], tuple[str, ...]]:
    """Read the files of an index.

    Parameters
    ----------
    files : mapping of str to bytes
        Contents by path.
    name, separator : str
        What messages call the store, and the text between this name and a path.

    Returns
    -------
    tuple of (tuple of HistoryEntry, tuple of str)
        The runs; and files that do not count, with one sentence each: a broken file must not
        prevent comparing with the other runs, or pruning them.
    """
    entries, passed_over = [], []
    for path in sorted(files):
        place = f"{name}{separator}{path}"
        try:
            entry = decode(files[path], place)
        except InputError as error:
            passed_over.append(f"{error}; until then it is left out")
            continue
        if path == entry_path(entry.identity):
            entries.append(entry)
        else:
            why = "its name does not fit its content: delete that file, and record that run again"
            passed_over.append(f"{place}: is left out, because {why}")
    return tuple(entries), tuple(passed_over)


def decide(entries: Sequence[HistoryEntry], record: KeptRun | None, retention: Retention) -> Update:
    """Return what recording a run does to a history that holds `entries`.

    Raises
    ------
    InputError
        If the history already has the run, with other results.
    """
    known = {entry.identity: entry for entry in entries}
    if record is None:
        return Update(None, retention.dropped(known.values()))
    entry = record.entry
    present = known.setdefault(entry.identity, entry)
    if [kept.digest for kept in present.objects] != [kept.digest for kept in entry.objects]:
        raise InputError(
            f"run {entry.run} of suite {entry.suite} at commit {entry.commit[:12]} is in the "
            "history already, with other results; give each job of a matrix a key of its own, "
            "and each run its own name"
        )
    added = entry if present is entry else None
    return Update(added, retention.dropped(known.values(), [entry.identity]))
