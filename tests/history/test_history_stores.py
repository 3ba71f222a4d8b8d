"""Contract tests of all stores: folder and branch."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from git_scenario import COMMITS, Repository, lay, make_suite

from steady import optimize
from steady.errors import InputError
from steady.history import (
    Fingerprint,
    Place,
    Retention,
    Store,
    load_plan,
    load_run,
    newest_first,
    open_store,
    record,
    runs_in_same_environment,
)
from steady.history.entry import digest_of, encode, object_path, pack
from steady.history.store import series_bytes
from steady.history.stores import FileStore


@dataclass(frozen=True)
class Opened:
    """A store, and a function that adds files to it directly."""

    store: Store
    lay: Callable[[Mapping[str, bytes]], None]


@pytest.fixture(params=["folder", "git:steady-data"])
def opened(
    request: pytest.FixtureRequest, tmp_path: Path, repository: Repository
) -> Iterator[Opened]:
    """Open each kind of store."""
    by_hand: dict[str, Callable[[Mapping[str, bytes]], None]]
    by_hand = {"folder": partial(lay, tmp_path / "folder"), "git:steady-data": repository.lay}
    place = Place(repository.clone if "git" in request.param else tmp_path)
    with open_store(request.param, place) as store:
        yield Opened(store, by_hand[request.param])


@pytest.fixture
def store(opened: Opened) -> Store:
    return opened.store


def clock(number: int) -> Callable[[], float]:
    """Return a constant clock."""
    return lambda: 1_700_000_000.0 + number


def test_runs_survive_a_round_trip(store: Store) -> None:
    suite = make_suite(1)
    plan = optimize(suite)
    assert store.entries() == ()
    update = record(store, "core", COMMITS[0], suite, run="7-1", plan=plan, now=clock(0))
    assert update.added is not None
    assert len(load_run(store, update.added)) == 3
    (entry,) = store.entries()
    assert update.added == entry
    assert (entry.suite, entry.commit, entry.run) == ("core", COMMITS[0], "7-1")
    assert entry.benchmarks == 3
    loaded = load_run(store, entry)
    assert list(loaded) == list(suite)
    for ours, theirs in zip(suite.benchmarks, loaded.benchmarks, strict=True):
        assert np.array_equal(ours.measurements, theirs.measurements)
        assert ours.configuration == theirs.configuration
    assert load_plan(store, entry) == plan
    assert f"commit {COMMITS[0]}" in loaded.sources[0]


def test_the_same_run_again_changes_nothing(store: Store) -> None:
    for number in (1, 2):
        update = record(store, "core", COMMITS[0], make_suite(1), run="7-1", now=clock(number))
    assert update.added is None
    (entry,) = store.entries()
    assert entry.time == 1_700_000_001
    with pytest.raises(InputError, match="already in the history with different results"):
        record(store, "core", COMMITS[0], make_suite(2), run="7-1")
    record(store, "core", COMMITS[0], make_suite(2), run="7-2")
    record(store, "other", COMMITS[0], make_suite(2), run="7-1")
    assert len(store.entries()) == 3
    # Without a name, runs are distinguished by their measurements.
    added = [record(store, "none", COMMITS[0], make_suite(seed)).added for seed in (1, 1, 2)]
    assert [entry is not None for entry in added] == [True, False, True]


def test_old_runs_are_dropped_with_their_objects(store: Store) -> None:
    plan = optimize(make_suite(0))
    keep = Retention(runs=2)
    for number, commit in enumerate(COMMITS[:4]):
        update = record(
            store, "core", commit, make_suite(number), plan=plan, retention=keep, now=clock(number)
        )
    assert [entry.commit for entry in update.dropped] == [COMMITS[1]]
    assert [entry.commit for entry in newest_first(store, "core")] == [COMMITS[3], COMMITS[2]]
    with pytest.raises(InputError, match="is missing"):
        store.read(digest_of(series_bytes(make_suite(0))))
    assert [load_plan(store, entry) for entry in store.entries()] == [plan, plan]
    late = record(store, "core", COMMITS[4], make_suite(4), retention=keep, now=clock(-1))
    assert late.added not in late.dropped, "independently of the clock"
    pruned = store.update(None, Retention(runs=1))
    assert {entry.commit for entry in pruned.dropped} == {COMMITS[4]}
    assert store.update(None, Retention(runs=1)).empty


def test_runs_are_listed_newest_first(store: Store) -> None:
    for number in (2, 0, 1):
        record(store, "core", COMMITS[number], make_suite(number), now=clock(number))
    record(store, "other", COMMITS[9], make_suite(9), now=clock(9))
    entries = newest_first(store, "core")
    assert [entry.commit for entry in entries] == [COMMITS[2], COMMITS[1], COMMITS[0]]

    def teaching(limit: int, among: list[str] | None) -> list[str]:
        """Return the results of the runs used for the run-to-run variance."""
        suites = runs_in_same_environment(store, "core", Fingerprint(), among=among, limit=limit)
        return [series_bytes(suite).decode() for suite in suites]

    newest = [series_bytes(make_suite(number)).decode() for number in (2, 1, 0)]
    assert teaching(2, None) == newest[:2]
    assert teaching(2, [COMMITS[0]]) == newest[2:]


def test_invalid_files_are_skipped_and_reported(opened: Opened) -> None:
    store = opened.store
    for number in range(3):
        record(store, "core", COMMITS[number], make_suite(number), now=clock(number))
    whole = store.entries()
    bad = {"a": encode(whole[0]), "b": b"{}", "c": b"\xff"}
    opened.lay({f"entries/{name * 2}/{name * 64}.json": data for name, data in bad.items()})
    assert store.entries() == whole
    misnamed, empty, binary = store.skipped
    assert f"entries/aa/{'a' * 64}.json: is skipped, because its name does not" in misnamed
    assert re.search(r"entries/bb/b{64}\.json.*delete that file", empty)
    assert "is not UTF-8 text" in binary
    pruned = store.update(None, Retention(runs=1))
    assert {entry.commit for entry in pruned.dropped} == set(COMMITS[:2])
    assert store.update(None, Retention(runs=1)).empty
    (left,) = store.entries()
    assert len(load_run(store, left)) == 3


def test_damaged_objects_are_reported(opened: Opened) -> None:
    record(opened.store, "core", COMMITS[0], make_suite(1))
    (entry,) = opened.store.entries()
    opened.lay({object_path(entry.results.digest): pack(b"forged")})
    assert opened.store.entries() == (entry,)
    with pytest.raises(InputError, match=r": objects/.* is damaged"):
        load_run(opened.store, entry)


def test_recording_a_run_again_repairs_it(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "history")
    record(store, "core", COMMITS[0], make_suite(1))
    (entry,) = store.entries()
    (tmp_path / "history" / object_path(entry.results.digest)).unlink()
    with pytest.raises(InputError, match="is missing"):
        load_run(store, entry)
    assert record(store, "core", COMMITS[0], make_suite(1)).added is None
    assert len(load_run(store, entry)) == 3


def test_objects_needed_by_a_concurrent_run_are_restored(tmp_path: Path) -> None:
    plan = optimize(make_suite(0))
    folder = tmp_path / "history"

    class Slow(FileStore):
        """A folder in which another process records a run before our removal."""

        def _remove(self, paths: Iterable[str]) -> None:
            chosen = list(paths)
            if any(path.startswith("objects") for path in chosen):
                other = FileStore(folder)
                record(other, "late", COMMITS[5], make_suite(5), plan=plan, now=clock(5))
            super()._remove(chosen)

    ours = Slow(folder)
    record(ours, "core", COMMITS[0], make_suite(0), plan=plan, now=clock(0))
    record(ours, "core", COMMITS[1], make_suite(1), retention=Retention(runs=1), now=clock(1))
    (late,) = newest_first(ours, "late")
    assert load_plan(ours, late) == plan
    with pytest.raises(InputError, match="is missing"):
        ours.read(digest_of(series_bytes(make_suite(0))))


def test_an_unwritable_history_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="name a folder"), open_store("file", Place(tmp_path)):
        pass
    with (
        open_store("file/below", Place(tmp_path)) as store,
        pytest.raises(InputError, match=r"cannot be (read|written)"),
    ):
        record(store, "core", COMMITS[0], make_suite())


def test_invalid_addresses_are_reported(repository: Repository) -> None:
    kept = "a history is in a branch, such as git:steady-data, or in a folder"
    unnamed = "cannot be the name of a branch"
    refused = {"s3://bucket/x": kept, "git://host/x": kept, "git:-x": unnamed, "git:a..b": unnamed}
    for url, words in refused.items():
        with pytest.raises(InputError, match=words), open_store(url, Place(repository.clone)):
            pass
