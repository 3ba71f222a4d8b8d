"""Which runs are kept: the newest of every suite, up to a size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from steady.errors import InputError
from steady.history.entry import HistoryEntry

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
        newest_first = sorted(entries, key=lambda e: (e.identity in spared, *e.age_key))[::-1]
        seen: Counter[str] = Counter()
        firsts: set[str] = set(spared)
        kept: list[HistoryEntry] = []
        gone: list[HistoryEntry] = []
        for entry in newest_first:
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
            if size <= self.megabytes * MEBIBYTE:
                break
            if entry.identity in firsts:
                continue
            gone.append(entry)
            users.subtract(entry.objects)
            size -= sum(kept.size for kept in entry.objects if not users[kept])
        return gone
