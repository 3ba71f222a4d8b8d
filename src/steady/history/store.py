"""The operations of every place that keeps a history, and the effect of a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from steady.errors import InputError
from steady.history.entry import HistoryEntry
from steady.history.retention import Retention


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


def decide(entries: Sequence[HistoryEntry], record: KeptRun | None, retention: Retention) -> Update:
    """Return what recording a run does to a history that holds `entries`.

    Raises
    ------
    InputError
        If the history already has the run, with other results.
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
