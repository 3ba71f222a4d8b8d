"""Every store does the same: what one test says holds for folder and branch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from steady import optimize
from steady.errors import InputError
from steady.history import (
    Fingerprint,
    Place,
    Retention,
    Store,
    alike,
    load_plan,
    load_run,
    newest_first,
    open_store,
    record,
)
from steady.history.entry import digest_of, object_path, pack
from steady.history.opening import FileStore
from steady.history.store import series_bytes
from steady.model import Suite

Make = Callable[..., Suite]
COMMITS = [f"{number:040x}" for number in range(10)]


@pytest.fixture(params=["folder", "git:steady-data"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path, repository: object
) -> Iterator[Store]:  # fmt: skip
    """Open each kind of store."""
    url = request.param
    place = Place(repository.clone if "git" in url else tmp_path)  # type: ignore[attr-defined]
    with open_store(url, place) as opened:
        yield opened


def clock(number: int) -> Callable[[], float]:
    """Return a clock that stands still."""
    return lambda: 1_700_000_000.0 + number


def test_a_run_comes_back_as_it_was(store: Store, make_suite: Make) -> None:
    suite = make_suite(1)
    plan = optimize(suite)
    assert store.entries() == ()
    update = record(store, "core", COMMITS[0], suite, run="7-1", plan=plan, now=clock(0))
    assert update.added is not None
    assert len(load_run(store, update.added)) == 3
    (entry,) = store.entries()
    assert update.added == entry
    assert (entry.suite, entry.commit, entry.run, entry.benchmarks) == (
        "core",
        COMMITS[0],
        "7-1",
        3,
    )
    loaded = load_run(store, entry)
    assert list(loaded) == list(suite)
    for ours, theirs in zip(suite.benchmarks, loaded.benchmarks, strict=True):
        assert np.array_equal(ours.measurements, theirs.measurements)
        assert ours.configuration == theirs.configuration
    assert load_plan(store, entry) == plan
    assert f"commit {COMMITS[0]}" in loaded.sources[0]


def test_the_same_run_again_changes_nothing(store: Store, make_suite: Make) -> None:
    for number in (1, 2):
        update = record(store, "core", COMMITS[0], make_suite(1), run="7-1", now=clock(number))
    assert update.added is None
    (entry,) = store.entries()
    assert entry.time == 1_700_000_001
    with pytest.raises(InputError, match="in the history already, with other results"):
        record(store, "core", COMMITS[0], make_suite(2), run="7-1")
    record(store, "core", COMMITS[0], make_suite(2), run="7-2")
    record(store, "other", COMMITS[0], make_suite(2), run="7-1")
    assert len(store.entries()) == 3


def test_runs_without_a_name_are_told_apart_by_what_was_measured(
    store: Store, make_suite: Make
) -> None:
    added = [record(store, "core", COMMITS[0], make_suite(seed)).added for seed in (1, 1, 2)]
    assert [entry is not None for entry in added] == [True, False, True]


def test_old_runs_go_with_all_that_was_theirs(store: Store, make_suite: Make) -> None:
    plan = optimize(make_suite(0))
    keep = Retention(runs=2)
    for number, commit in enumerate(COMMITS[:4]):
        update = record(
            store, "core", commit, make_suite(number), plan=plan, retention=keep, now=clock(number)
        )
    assert [entry.commit for entry in update.dropped] == [COMMITS[1]]
    assert [entry.commit for entry in newest_first(store, "core")] == [COMMITS[3], COMMITS[2]]
    with pytest.raises(InputError, match="is not there"):
        store.read(digest_of(series_bytes(make_suite(0))))
    assert [load_plan(store, entry) for entry in store.entries()] == [plan, plan]
    pruned = store.update(None, Retention(runs=1))
    assert [entry.commit for entry in pruned.dropped] == [COMMITS[2]]
    assert store.update(None, Retention(runs=1)).empty


def test_runs_come_newest_first(store: Store, make_suite: Make) -> None:
    for number in (2, 0, 1):
        record(store, "core", COMMITS[number], make_suite(number), now=clock(number))
    record(store, "other", COMMITS[9], make_suite(9), now=clock(9))
    entries = newest_first(store, "core")
    assert [entry.commit for entry in entries] == [COMMITS[2], COMMITS[1], COMMITS[0]]

    def teaching(limit: int, among: list[str] | None) -> list[str]:
        """Return the results of the runs that teach how much runs differ."""
        suites = alike(store, "core", Fingerprint(), among=among, limit=limit)
        return [series_bytes(suite).decode() for suite in suites]

    newest = [series_bytes(make_suite(number)).decode() for number in (2, 1, 0)]
    assert teaching(2, None) == newest[:2]
    assert teaching(2, [COMMITS[0]]) == newest[2:]


def test_a_broken_entry_is_passed_over_and_told(tmp_path: Path, make_suite: Make) -> None:
    store = FileStore(tmp_path / "history")
    for number in range(3):
        record(store, "core", COMMITS[number], make_suite(number), now=clock(number))
    (original, *_) = (tmp_path / "history/entries").rglob("*.json")
    for name, content in (("a", original.read_bytes()), ("b", b"{}")):
        path = tmp_path / f"history/entries/{name * 2}/{name * 64}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    assert len(store.entries()) == 3
    assert len(store.passed_over) == 2
    assert len(store.update(None, Retention(runs=1)).dropped) == 2
    assert store.update(None, Retention(runs=1)).empty


def test_a_damaged_object_is_told(tmp_path: Path, make_suite: Make) -> None:
    store = FileStore(tmp_path / "history")
    record(store, "core", COMMITS[0], make_suite(1))
    (entry,) = store.entries()
    path = tmp_path / "history" / object_path(entry.results.digest)
    path.write_bytes(pack(b"something else"))
    with pytest.raises(InputError, match="is damaged"):
        load_run(store, entry)
    path.unlink()
    with pytest.raises(InputError, match="is not there"):
        load_run(store, entry)
    # Recording the run again mends it.
    assert record(store, "core", COMMITS[0], make_suite(1)).added is None
    assert len(load_run(store, entry)) == 3


def test_whoever_removes_an_object_puts_back_what_a_new_run_needs(
    tmp_path: Path, make_suite: Make
) -> None:
    plan = optimize(make_suite(0))
    folder = tmp_path / "history"

    class Slow(FileStore):
        """A folder in which somebody records between our last look and our removal."""

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
    with pytest.raises(InputError, match="is not there"):
        ours.read(digest_of(series_bytes(make_suite(0))))


def test_a_history_that_cannot_be_written_is_a_mistake(tmp_path: Path, make_suite: Make) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="name a folder"), open_store("file", Place(tmp_path)):
        pass
    with (
        open_store("file/below", Place(tmp_path)) as store,
        pytest.raises(InputError, match=r"cannot be (read|written)"),
    ):
        record(store, "core", COMMITS[0], make_suite())


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("s3://bucket/x", "a history is in a branch, such as git:steady-data, or in a folder"),
        ("git://host/x", "a history is in a branch"),
        ("git:-x", "cannot be the name of a branch"),
        ("git:a..b", "cannot be the name of a branch"),
    ],
)
def test_an_address_that_leads_nowhere(url: str, words: str, repository: object) -> None:
    place = Place(repository.clone)  # type: ignore[attr-defined]
    with pytest.raises(InputError, match=words), open_store(url, place):
        pass
