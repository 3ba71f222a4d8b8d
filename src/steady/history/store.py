"""The contract of stores, the retention of runs, and their recording and loading."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from steady.errors import InputError
from steady.history.entry import (
    Fingerprint,
    HistoryEntry,
    Object,
    decode,
    digest_of,
    entry_path,
    pack,
)
from steady.model import Suite
from steady.optimize import Plan, plan_from_json, plan_to_json
from steady.readers import FORMATS, Document
from steady.readers.series_format import series_text

MEBIBYTE = 2**20

MOST_RUNS_READ = 20
"""Maximum number of runs from which the run-to-run variance is estimated."""


@dataclass(frozen=True, slots=True)
class Retention:
    """Limits on the number and size of stored runs.

    Parameters
    ----------
    runs : int
        Number of newest runs to keep of each suite; at least 1.
    megabytes : float
        Maximum compressed size of all objects together, in MiB. Beyond it, the oldest runs of all
        suites are dropped, but never the newest run of a suite.
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
            Identities of entries to keep in any case, such as the run being recorded.
        """
        seen, firsts = Counter[str](), set(spared)
        kept: list[HistoryEntry] = []
        gone: list[HistoryEntry] = []
        # Newest first.
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
        """Return the entries beyond the size limit; an object of several runs is counted once."""
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
    """A run to store.

    Parameters
    ----------
    entry : HistoryEntry
        Index entry of the run.
    objects : mapping of str to bytes
        The entry's objects, compressed, by digest.
    """

    entry: HistoryEntry
    objects: Mapping[str, bytes] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Update:
    """The changes of a history by one update.

    Parameters
    ----------
    added : HistoryEntry, optional
        The new entry; None if the history already contained the run.
    dropped : tuple of HistoryEntry
        The runs dropped due to the retention limits, oldest first.
    """

    added: HistoryEntry | None = None
    dropped: tuple[HistoryEntry, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether the update changes nothing."""
        return self.added is None and not self.dropped


class Store(Protocol):
    """A store of runs.

    Attributes
    ----------
    name : str
        Name in messages.
    skipped : tuple of str
        One sentence for each invalid file that `entries` skipped.
    """

    name: str
    skipped: tuple[str, ...]

    def entries(self) -> tuple[HistoryEntry, ...]:
        """Return the index, in no particular order; empty if nothing is stored."""

    def read(self, digest: str) -> bytes:
        """Return an object, decompressed and verified.

        Raises
        ------
        InputError
            If it is missing or damaged.
        """

    def update(self, record: KeptRun | None, retention: Retention) -> Update:
        """Store a run, if given, and drop runs beyond the retention limits.

        Concurrent updates are safe: no process loses another's runs. The operation is idempotent.

        Raises
        ------
        InputError
            If the store cannot be written, or contains the same run with different results.
        """


def index_of(
    files: Mapping[str, bytes], name: str, separator: str
) -> tuple[tuple[HistoryEntry, ...], tuple[str, ...]]:
    """Read the files of an index.

    Parameters
    ----------
    files : mapping of str to bytes
        Contents by path.
    name, separator : str
        Name of the store in messages, and the separator between this name and a path.

    Returns
    -------
    tuple of (tuple of HistoryEntry, tuple of str)
        The runs, and one sentence for each invalid file. An invalid file does not prevent using or
        pruning the other runs.
    """
    entries, skipped = [], []
    for path in sorted(files):
        place = f"{name}{separator}{path}"
        try:
            entry = decode(files[path], place)
        except InputError as error:
            skipped.append(f"{error}; until then it is skipped")
            continue
        if path == entry_path(entry.identity):
            entries.append(entry)
        else:
            why = "its name does not match its content: delete that file, and record that run again"
            skipped.append(f"{place}: is skipped, because {why}")
    return tuple(entries), tuple(skipped)


def decide(entries: Sequence[HistoryEntry], record: KeptRun | None, retention: Retention) -> Update:
    """Return the update of a history with `entries` that records a run.

    Raises
    ------
    InputError
        If the history already contains the run with different results.
    """
    known = {entry.identity: entry for entry in entries}
    if record is None:
        return Update(None, retention.dropped(known.values()))
    entry = record.entry
    present = known.setdefault(entry.identity, entry)
    if [kept.digest for kept in present.objects] != [kept.digest for kept in entry.objects]:
        raise InputError(
            f"run {entry.run} of suite {entry.suite} at commit {entry.commit[:12]} is already in "
            "the history with different results; give each job of a matrix its own key, and each "
            "run its own name"
        )
    added = entry if present is entry else None
    return Update(added, retention.dropped(known.values(), [entry.identity]))


def record(
    store: Store,
    key: str,
    commit: str,
    suite: Suite,
    *,
    run: str = "",
    plan: Plan | None = None,
    retention: Retention = Retention(),
    now: Callable[[], float] = time.time,
) -> Update:
    """Store the results of one run.

    Parameters
    ----------
    store : Store
        Store for the results.
    key : str
        Key of the suite.
    commit : str
        Full hash of the measured commit.
    suite : Suite
        The results.
    run : str
        Name that distinguishes several runs of this commit; by default derived from the
        measurements.
    plan : Plan, optional
        The plan that the run followed.
    retention : Retention
        Retention limits.
    now : callable
        Function that returns the Unix time in seconds.

    Returns
    -------
    Update
        The update; `added` is None if the history already contained this run.

    Raises
    ------
    InputError
        If the store cannot be written, a name is invalid, or the history contains this run with
        different results.
    """
    objects: dict[str, bytes] = {}
    results = _keep(series_bytes(suite), objects)
    kept_plan = None if plan is None else _keep(plan_to_json(plan).encode(), objects)
    entry = HistoryEntry(
        suite=key,
        commit=commit,
        run=run or results.digest[:16],
        time=int(now()),
        results=results,
        plan=kept_plan,
        environment=Fingerprint.of(suite),
        benchmarks=len(suite),
    )
    return store.update(KeptRun(entry, objects), retention)


def load_run(store: Store, entry: HistoryEntry) -> Suite:
    """Return the results of an entry.

    They have no rounds, because the run was not interleaved with another one.

    Raises
    ------
    InputError
        If they are missing or damaged.
    """
    text = store.read(entry.results.digest).decode(errors="replace")
    source = Path(f"history of {entry.suite}: commit {entry.commit}, run {entry.run}")
    return FORMATS["series"].value.read(Document(source, text))


def load_plan(store: Store, entry: HistoryEntry) -> Plan | None:
    """Return the plan that a run followed, or None if no plan was stored."""
    if entry.plan is None:
        return None
    text = store.read(entry.plan.digest).decode(errors="replace")
    return plan_from_json(text, source=f"history of {entry.suite}: commit {entry.commit}")


def newest_first(store: Store, key: str | None = None) -> list[HistoryEntry]:
    """Return the entries of one suite or of all suites, newest first."""
    entries = [entry for entry in store.entries() if key is None or entry.suite == key]
    return sorted(entries, key=lambda entry: entry.age_key, reverse=True)


def runs_in_same_environment(
    store: Store,
    key: str,
    fingerprint: Fingerprint,
    *,
    among: Collection[str] | None,
    exclude: str = "",
    limit: int = MOST_RUNS_READ,
) -> tuple[Suite, ...]:
    """Return the newest runs in the same environment, to estimate the run-to-run variance.

    Parameters
    ----------
    store : Store
        Store with the runs.
    key : str
        Key of the suite.
    fingerprint : Fingerprint
        The environment.
    among : collection of str, optional
        Trusted commits (see `Ancestry.shared`), because their runs determine the size of a
        detectable change; None for all.
    exclude : str
        Commit whose runs are excluded: the one to be judged.
    limit : int
        Maximum number of runs.
    """
    entries = [
        entry
        for entry in newest_first(store, key)
        if entry.commit != exclude
        and (among is None or entry.commit in among)
        and not entry.environment.differences(fingerprint)
    ]
    return tuple(load_run(store, entry) for entry in entries[:limit])


def series_bytes(suite: Suite) -> bytes:
    """Return a suite in the series format; the bytes are deterministic."""
    return series_text(suite).encode()


def _keep(contents: bytes, objects: dict[str, bytes]) -> Object:
    digest = digest_of(contents)
    objects[digest] = pack(contents)
    return Object(digest, len(objects[digest]))
