"""The runs of a history: what each place that keeps them can do, which stay, and what they hold."""

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

MOST_ALIKE = 20
"""How many runs are read to learn how much runs differ."""


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

    def read(self, digest: str) -> bytes:
        """Return an object, unpacked and checked.

        Raises
        ------
        InputError
            If it is missing or damaged.
        """

    def update(self, record: KeptRun | None, retention: Retention) -> Update:
        """Keep a run, if one is given, and drop what retention does not cover.

        Others may do this at the same time: nothing of theirs is lost. Doing it again changes
        nothing.

        Raises
        ------
        InputError
            If the place cannot be written, or it has the same run with other results.
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
    """Keep the results of one run.

    Parameters
    ----------
    store : Store
        Where to keep them.
    key : str
        Key of the suite.
    commit : str
        Full hash of the commit that was measured.
    suite : Suite
        The results.
    run : str
        Distinguishes several runs of this commit; by default, the measurements do.
    plan : Plan, optional
        The plan that the run followed.
    retention : Retention
        Which runs stay.
    now : callable
        The clock: seconds since 1970.

    Returns
    -------
    Update
        `added` is None if the history already had this run; then nothing has changed.

    Raises
    ------
    InputError
        If the store cannot be written, a name is not valid, or the history has this run with
        other results.
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

    They have no rounds, because no other run was measured beside this one.

    Raises
    ------
    InputError
        If they are missing or damaged.
    """
    text = store.read(entry.results.digest).decode(errors="replace")
    source = Path(f"history of {entry.suite}: commit {entry.commit}, run {entry.run}")
    return FORMATS["series"].value.read(Document(source, text))


def load_plan(store: Store, entry: HistoryEntry) -> Plan | None:
    """Return the plan that a run followed; None if no plan was kept."""
    if entry.plan is None:
        return None
    text = store.read(entry.plan.digest).decode(errors="replace")
    return plan_from_json(text, source=f"history of {entry.suite}: commit {entry.commit}")


def newest_first(store: Store, key: str | None = None) -> list[HistoryEntry]:
    """Return the entries of a suite, or of all, the newest first."""
    entries = [entry for entry in store.entries() if key is None or entry.suite == key]
    return sorted(entries, key=lambda entry: entry.age_key, reverse=True)


def alike(
    store: Store,
    key: str,
    fingerprint: Fingerprint,
    *,
    among: Collection[str] | None,
    but: str = "",
    limit: int = MOST_ALIKE,
) -> tuple[Suite, ...]:
    """Return the newest runs in the same environment: they show how much runs differ.

    Parameters
    ----------
    store : Store
        Where they are.
    key : str
        Key of the suite.
    fingerprint : Fingerprint
        The surroundings.
    among : collection of str, optional
        The commits whose runs count (see `Past.shared`), because they decide how large a change
        must be. None: all.
    but : str
        A commit whose runs do not count: the one that is judged.
    limit : int
        How many at most.
    """
    entries = [
        entry
        for entry in newest_first(store, key)
        if entry.commit != but
        and (among is None or entry.commit in among)
        and not entry.environment.differences(fingerprint)
    ]
    return tuple(load_run(store, entry) for entry in entries[:limit])


def series_bytes(suite: Suite) -> bytes:
    """Return a suite in the series format: the same suite, the same bytes."""
    return series_text(suite).encode()


def _keep(contents: bytes, objects: dict[str, bytes]) -> Object:
    digest = digest_of(contents)
    objects[digest] = pack(contents)
    return Object(digest, len(objects[digest]))
