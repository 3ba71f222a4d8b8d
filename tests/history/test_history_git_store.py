"""The store in a branch: its isolation, and the outcomes of pushes."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from git_scenario import COMMITS, GIT_ENVIRON, Repository, fake_git, make_suite, run_git

from steady.errors import InputError
from steady.history import Place, Remote, Retention, Update, load_run, open_store, record
from steady.history.git_command import Git
from steady.history.git_store import GitStore

BRANCH = "refs/heads/steady-data"


def state_of(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return the whole state of a clone: work tree, index, objects, branches, settings."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def hook(repository: Repository, name: str, script: str) -> None:
    """Install a hook in the bare repository."""
    path = repository.bare / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_the_branch_shares_no_commits_with_the_code(repository: Repository) -> None:
    (repository.clone / "code.txt").write_text("not committed\n")
    repository.git("add", "code.txt")
    (repository.clone / "code.txt").write_text("and more\n")
    before = state_of(repository.clone)
    place = Place(repository.clone, environ=GIT_ENVIRON)
    with open_store("git:", place) as store:
        record(store, "core", COMMITS[0], make_suite())
        assert len(store.entries()) == 1
    assert state_of(repository.clone) == before
    assert repository.branch_git("rev-list", "--count", BRANCH) == "1"
    files = repository.files()
    assert [name.split("/")[0] for name in files] == ["README.md", "entries", "objects"]
    assert repository.branch_git("for-each-ref", "--format=%(refname)").splitlines() == [
        "refs/heads/main",
        BRANCH,
    ]
    repository.branch_git("fsck", "--strict")


def test_commits_are_appended_until_a_run_is_dropped(repository: Repository) -> None:
    store = repository.store()
    keep = Retention(runs=3)
    counts = []
    for number in range(5):
        record(store, "core", COMMITS[number], make_suite(number), retention=keep)
        counts.append(int(repository.branch_git("rev-list", "--count", BRANCH)))
    assert counts == [1, 2, 3, 1, 1]
    assert repository.branch_git("log", "-1", "--format=%s", BRANCH) == (
        "Record core at 000000000000, drop 1 old runs"
    )
    files = repository.files()
    assert len(files) == 7
    assert "README.md" in files


def test_only_the_index_is_fetched_until_results_are_read(repository: Repository) -> None:
    record(repository.store("one"), "core", COMMITS[0], make_suite(1, 400))
    store = repository.store("two")
    (entry,) = store.entries()
    assert entry.results.size > 20_000

    def missing() -> list[str]:
        listed = run_git(
            repository.bare.parent / "two", "rev-list", "--objects", "--missing=print", BRANCH
        )
        return [line for line in listed.splitlines() if line.startswith("?")]

    assert len(missing()) == 1
    # Neither recording another run nor dropping one needs them.
    record(store, "core", COMMITS[1], make_suite(2, 400), retention=Retention(runs=1))
    assert len(missing()) == 1
    fresh = repository.store("three")
    assert len(load_run(fresh, fresh.entries()[0])) == 400


def test_other_files_in_the_branch_are_kept_and_ignored(
    repository: Repository,
) -> None:
    theirs = ("notes.txt", "entries/ab/notes.json", "objects/x")
    repository.lay(dict.fromkeys(theirs, b"mine"))
    store = repository.store()
    for number in range(2):
        keep = Retention(runs=1)
        record(store, "core", COMMITS[number], make_suite(number), retention=keep)
    assert len(store.entries()) == 1
    assert {"code.txt", *theirs} <= set(repository.files())


def test_concurrent_pushes_lose_no_runs(repository: Repository) -> None:
    def push(pusher: int) -> None:
        store = repository.store(f"pusher-{pusher}", sleep=time.sleep)
        for number in range(2):
            record(store, f"suite-{pusher}", COMMITS[number], make_suite(10 * pusher + number))

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(push, range(3)))
    assert sorted((entry.suite, entry.commit) for entry in repository.store().entries()) == [
        (f"suite-{pusher}", COMMITS[number]) for pusher in range(3) for number in range(2)
    ]
    repository.branch_git("fsck", "--strict")


def test_an_overtaken_update_is_computed_again(repository: Repository, tmp_path: Path) -> None:
    # Within one second, the order of runs is arbitrary.
    clock = iter(range(1000, 2000))
    ours, other = repository.store("ours"), repository.store("other")

    def keep(store: GitStore, number: int) -> Update:
        suite, two = make_suite(number), Retention(runs=2)
        return record(store, "core", COMMITS[number], suite, retention=two, now=clock.__next__)

    class Overtaken(GitStore):
        """A store that is overtaken once by another push between reading and pushing."""

        left = 1

        def _push(self, tip: str | None, commit: str) -> tuple[str, str]:
            if self.left:
                self.left -= 1
                keep(other, 5)
            return super()._push(tip, commit)

    for number in range(2):
        keep(ours, number)
    (tmp_path / "late").mkdir()
    waits: list[float] = []
    late = Overtaken(repository.remote, "steady-data", tmp_path / "late", sleep=waits.append)
    assert keep(late, 6).added is not None
    assert len(waits) == 1
    assert {entry.commit for entry in ours.entries()} == {COMMITS[5], COMMITS[6]}


def test_a_protected_branch_is_reported_in_one_sentence(repository: Repository) -> None:
    told = "GH006: Protected branch update failed for refs/heads/steady-data."
    rule = r"rejects pushes to branch steady-data \(.*GH006: Protected .*\); remove its "
    rules = "GH013: Repository rule violations found"
    waits: list[float] = []
    store = repository.store(sleep=waits.append)
    for script, words in (
        (f"echo '{told}' >&2; exit 1", rule),
        (f"echo '{rules}' >&2; exit 1", "rule violations"),
        ("exit 1", "pre-receive hook declined"),
    ):
        hook(repository, "pre-receive", script)
        with pytest.raises(InputError, match=words):
            record(store, "core", COMMITS[0], make_suite())
    assert waits == [], "no retries after a rejection"
    assert store.entries() == ()


def test_a_forbidden_rewrite_is_reported(repository: Repository) -> None:
    repository.branch_git("config", "receive.denyNonFastForwards", "true")
    store = repository.store()
    record(store, "core", COMMITS[0], make_suite(0))
    with pytest.raises(InputError, match="allow force pushes"):
        record(store, "core", COMMITS[1], make_suite(1), retention=Retention(runs=1))
    assert len(store.entries()) == 1


def test_failed_fetches_are_reported_and_interrupted_ones_retried(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    absent = Remote(f"{repository.url}/absent.git", (), GIT_ENVIRON)
    store = repository.store(remote=absent, sleep=waits.append, uniform=lambda _, longest: longest)
    message = r"absent\.git: branch steady-data cannot be fetched"
    with pytest.raises(InputError, match=message):
        store.entries()
    assert waits == []
    broken = 128, "", "fatal: the remote end hung up unexpectedly"
    monkeypatch.setattr(Git, "attempt", lambda *_: broken)
    with pytest.raises(InputError, match=message):
        store.entries()
    assert waits == [1.0, 2.0, 4.0]


@pytest.mark.parametrize("arrives", [True, False])
def test_a_push_with_unknown_outcome_is_checked(
    repository: Repository, tmp_path: Path, arrives: bool
) -> None:
    first = f'[ -e {tmp_path}/second ] && exec $GIT "$@"; touch {tmp_path}/second'
    push = '$GIT "$@" >/dev/null 2>&1' if arrives else ":"
    end = "echo 'fatal: the remote end hung up unexpectedly' >&2; exit 128"
    environ = fake_git(tmp_path / "bin", f"{first}\n{push}\n{end}")
    store = repository.store(remote=replace(repository.remote, environ=environ))
    update = record(store, "core", COMMITS[0], make_suite())
    assert update.added is not None
    assert len(store.entries()) == 1
    assert repository.branch_git("rev-list", "--count", BRANCH) == "1"


def test_the_number_of_attempts_is_limited(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = fake_git(tmp_path / "bin", r"printf '!\tx:y\t[rejected] (stale info)\n'; exit 1")
    monkeypatch.setattr("steady.history.git_store.ATTEMPTS", 3)
    waits: list[float] = []
    store = repository.store(
        remote=replace(repository.remote, environ=environ),
        monotonic=lambda: 0.0,
        sleep=waits.append,
        uniform=lambda _, longest: longest,
    )
    with pytest.raises(InputError, match="3 attempts to push branch steady-data failed"):
        record(store, "core", COMMITS[0], make_suite())
    assert waits == [0.25, 0.5, 1.0]


def test_a_killed_push_leaves_a_complete_history(repository: Repository, tmp_path: Path) -> None:
    store = repository.store()
    record(store, "core", COMMITS[0], make_suite(0))
    started = tmp_path / "started"
    hook(repository, "pre-receive", f"touch {started}; sleep 1")
    code = (
        "import sys, os; from pathlib import Path; import numpy as np\n"
        "from steady.history import Remote, record\n"
        "from steady.history.git_store import GitStore\n"
        "from steady.model import Suite\n"
        f"store = GitStore(Remote({repository.url!r}, (), os.environ), 'steady-data', "
        f"Path({str(tmp_path / 'killed')!r}))\n"
        f"record(store, 'core', {COMMITS[1]!r}, "
        "Suite.of({'a': np.ones((2, 5))}, unit='ns/op'), run='1')\n"
    )
    (tmp_path / "killed").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=GIT_ENVIRON, start_new_session=True
    )
    while not started.exists():
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    (repository.bare / "hooks/pre-receive").unlink()
    time.sleep(1.2)
    assert len(store.entries()) in (1, 2)
    record(store, "core", COMMITS[2], make_suite(2))
    assert {COMMITS[0], COMMITS[2]} <= {entry.commit for entry in store.entries()}
    repository.branch_git("fsck", "--strict", "--connectivity-only")
