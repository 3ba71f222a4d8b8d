"""What every place that keeps a history can do, and what one change of it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from steady.errors import InputError
from steady.history.entry import HistoryEntry
from steady.history.retention import Retention


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run that is to be kept.

    Parameters
    ----------
    entry : HistoryEntry
        Its place in the index.
    objects : mapping of str to bytes
        By digest, packed: all that the entry names.
    """

    entry: HistoryEntry
    objects: Mapping[str, bytes] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Update:
    """What a change does to a history.

    Parameters
    ----------
    added : HistoryEntry, optional
        None where nothing is new, because the run was there already.
    dropped : tuple of HistoryEntry
        What retention let go, oldest first.
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
        As messages call it.
    passed_over : tuple of str
        What `entries` found and could not use, one sentence each.
    """

    name: str
    passed_over: tuple[str, ...]

    def entries(self) -> tuple[HistoryEntry, ...]:
        """Return the index, in no particular order; empty where nothing was ever kept."""
        ...

    def read(self, digest: str) -> bytes:
        """Return an object, unpacked and checked.

        Raises
        ------
        InputError
            If it is not there, or damaged.
        """
        ...

    def update(self, record: KeptRun | None, retention: Retention) -> Update:
        """Keep a run, if one is given, and let go what retention does not cover.

        Others may do so at the same time: nothing of theirs is lost, and doing it again changes
        nothing.

        Raises
        ------
        InputError
            If the place cannot be written, or the same run is there with other results.
        """
        ...


def decide(entries: Sequence[HistoryEntry], record: KeptRun | None, retention: Retention) -> Update:
    """Return what recording a run does to a history that holds `entries`.

    Raises
    ------
    InputError
        If the run is there already, with other results.
    """
    known = {entry.identity: entry for entry in entries}
    added = None
    spared = []
    if record is not None:
        entry = record.entry
        spared = [entry.identity]
        present = known.setdefault(entry.identity, entry)
        if present is entry:
            added = entry
        elif _content(present) != _content(entry):
            raise InputError(
                f"run {entry.run} of suite {entry.suite} at commit {entry.commit[:12]} is in the "
                "history already, with other results; give each job of a matrix a key of its own, "
                "and each run its own name"
            )
    return Update(added, retention.dropped(known.values(), spared))


def _content(entry: HistoryEntry) -> tuple[str, ...]:
    return tuple(kept.digest for kept in entry.objects)
