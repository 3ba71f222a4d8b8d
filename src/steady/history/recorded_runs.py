"""The runs of a history, recorded and read again."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from pathlib import Path

from steady.history.entry import Fingerprint, HistoryEntry, Object, digest_of, pack
from steady.history.store import KeptRun, Retention, Store, Update
from steady.model import Suite
from steady.optimize import Plan, plan_from_json, plan_to_json
from steady.readers import FORMATS, Document
from steady.readers.series_format import series_text

MOST_ALIKE = 20
"""How many runs are read to learn how much runs differ."""


def record(
    store: Store,
    key: str,
    commit: str,
    suite: Suite,
    *,
    run: str = "",
    plan: Plan | None = None,
    retention: Retention | None = None,
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
    retention : Retention, optional
        Which runs stay; the defaults of `Retention` if left out.
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
    return store.update(KeptRun(entry, objects), Retention() if retention is None else retention)


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
