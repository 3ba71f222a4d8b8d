"""Which run is the baseline, in clones of every depth."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from git_scenario import GIT_ENVIRON, Repository, run_git
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.errors import InputError
from steady.history import (
    Fingerprint,
    HistoryEntry,
    Place,
    Retention,
    Store,
    Update,
    find_baseline,
    open_past,
)
from steady.history.ancestry import Past
from steady.history.baseline import Baseline
from steady.history.entry import Object
from steady.history.git_command import Git
from steady.history.store import KeptRun

MakeEntry = Callable[..., HistoryEntry]


class Index(Store):
    """A store of nothing but an index."""

    name = "index"
    passed_over: tuple[str, ...] = ()

    def __init__(self, *entries: HistoryEntry) -> None:
        self._entries = entries

    def entries(self) -> tuple[HistoryEntry, ...]:
        return self._entries

    def read(self, digest: str) -> bytes:
        raise NotImplementedError

    def update(self, record: KeptRun | None, retention: Retention) -> Update:
        raise NotImplementedError


class Line(Past):
    """A past without merges: commit 9 comes after 8, and so on; the base branch ends at 5."""

    @property
    def merge_base(self) -> str | None:
        return min(self.head, self.base or self.head)

    def before(self, commit: str, limit: int) -> dict[str, int]:
        last = int(commit, 16)
        return {f"{n:040x}": last - n for n in range(last, max(-1, last - limit - 1), -1)}


class Diamond(Past):
    """A past with a merge whose sides differ in length."""

    def _parents(self, _: str) -> dict[str, list[str]]:
        return {"merge": ["left", "begin"], "left": ["middle"], "middle": ["begin"]}


def test_the_shortest_way_to_a_commit_is_its_distance() -> None:
    found = Diamond(cast("Git", None), "merge", None).before("merge", 9)
    assert list(found.items()) == [("merge", 0), ("left", 1), ("begin", 1), ("middle", 2)]


HEAD, BASE = f"{9:040x}", f"{5:040x}"


def find(*entries: HistoryEntry, base: str | None = BASE, **options: object) -> Baseline:
    """Find the baseline of commit 9."""
    return find_baseline(Index(*entries), "core", Line(cast("Git", None), HEAD, base), **options)  # type: ignore[arg-type]


def test_the_merge_base_if_it_has_results(make_entry: MakeEntry) -> None:
    baseline = find(make_entry(9), make_entry(8), make_entry(5), make_entry(4))
    assert baseline.chosen is not None
    assert (baseline.chosen.entry.commit, baseline.chosen.distance) == (BASE, 0)
    assert baseline.sentence == "Baseline: commit 000000000000, the merge base."


def test_else_its_nearest_ancestor_and_how_far_away(make_entry: MakeEntry) -> None:
    baseline = find(make_entry(8), make_entry(3), make_entry(4, "other"), make_entry(1))
    assert baseline.chosen is not None
    assert (baseline.chosen.entry.run, baseline.chosen.distance) == ("run-3", 2)
    assert "2 commits before the merge base 000000000000, as the nearest with" in baseline.sentence
    assert find(make_entry(4)).sentence.startswith("Baseline: commit 000000000000, 1 commit before")


def test_without_a_base_branch_it_is_the_commit_before(make_entry: MakeEntry) -> None:
    baseline = find(make_entry(9), make_entry(7), base=None)
    assert baseline.chosen is not None
    assert baseline.chosen.distance == 2
    assert baseline.sentence == "Baseline: commit 000000000000, 2 commits before 000000000000."


def test_none_is_told(make_entry: MakeEntry) -> None:
    baseline = find(make_entry(9), make_entry(1), limit=3)
    assert baseline.chosen is None
    assert baseline.sentence == (
        "No baseline: the history has no results of suite core at commit 000000000000 or within 3 "
        "commits before it."
    )


AMD, INTEL = Fingerprint(cpu=("AMD",)), Fingerprint(cpu=("Intel",))


def test_of_several_runs_the_one_on_the_same_machine_and_then_the_newest(
    make_entry: MakeEntry,
) -> None:
    runs = [
        make_entry(number, commit=BASE, environment=environment)
        for number, environment in ((1, AMD), (2, AMD), (3, INTEL))
    ]
    for fingerprint, run in ((AMD, "run-2"), (INTEL, "run-3"), (None, "run-3")):
        baseline = find(*runs, fingerprint=fingerprint)
        assert baseline.chosen is not None
        assert baseline.chosen.entry.run == run
        assert baseline.chosen.differences == ()


def test_another_machine_is_told_and_by_setting_ruled_out(make_entry: MakeEntry) -> None:
    near, far = make_entry(5, environment=INTEL), make_entry(2, environment=AMD)
    baseline = find(near, far, fingerprint=AMD)
    assert baseline.chosen is not None
    assert baseline.chosen.entry == near
    assert baseline.sentence == (
        "Baseline: commit 000000000000, the merge base. It ran in other surroundings (CPU: Intel "
        "there, AMD "
        "here). The nearest with the same surroundings is commit 000000000000, 3 commits before "
        "the merge base 000000000000, as the nearest with results."
    )
    strict = find(near, far, fingerprint=AMD, require_same=True)
    assert strict.chosen is not None
    assert strict.chosen.entry == far
    none = find(near, fingerprint=AMD, require_same=True)
    assert none.chosen is None
    assert "no results on the same surroundings of suite core" in none.sentence


@settings(max_examples=50)
@given(st.sets(st.integers(0, 9)), st.integers(0, 9), st.integers(0, 9))
def test_no_nearer_run_is_passed_over(numbers: set[int], base: int, limit: int) -> None:
    entries = [
        HistoryEntry(suite="core", commit=f"{n:040x}", run="1", time=n, results=Object("a" * 64, 1))
        for n in numbers
    ]
    baseline = find(*entries, base=f"{base:040x}", limit=limit)
    wanted = [n for n in numbers if n <= base and n != 9 and base - n <= limit]
    chosen = None if baseline.chosen is None else int(baseline.chosen.entry.commit, 16)
    assert chosen == (max(wanted) if wanted else None)


@pytest.fixture
def merged(repository: Repository) -> tuple[Repository, dict[str, str]]:
    """Return a repository whose pull request 7 left main one commit ago, and its commits.

    main: first - second - third, with side merged into second; the pull request began at second.
    """
    made = {"first": repository.git("rev-parse", "HEAD")}
    repository.git("checkout", "--quiet", "-b", "side")
    made["side"] = repository.commit("side")
    repository.git("checkout", "--quiet", "main")
    made["between"] = repository.commit("between")
    repository.git("merge", "--quiet", "--no-ff", "-m", "second", "side")
    made["second"] = repository.git("rev-parse", "HEAD")
    repository.git("checkout", "--quiet", "-b", "topic")
    made["topic"] = repository.commit("topic")
    repository.git("checkout", "--quiet", "main")
    made["third"] = repository.commit("third")
    repository.git("checkout", "--quiet", "--detach", "main")
    repository.git("merge", "--quiet", "--no-ff", "-m", "merge of 7", "topic")
    made["merge"] = repository.git("rev-parse", "HEAD")
    repository.git("push", "--quiet", "origin", "main", "topic", "HEAD:refs/pull/7/merge")
    return repository, made


def checkout(repository: Repository, folder: Path, commit: str) -> Path:
    """Make a clone as actions/checkout does: one commit, and no branch."""
    folder.mkdir()
    run_git(folder, "init", "--quiet")
    run_git(folder, "remote", "add", "origin", repository.url)
    run_git(folder, "fetch", "--quiet", "--no-tags", "--depth=1", "origin",
            f"+{commit}:refs/remotes/pull/7/merge")  # fmt: skip
    run_git(folder, "checkout", "--quiet", "--force", "refs/remotes/pull/7/merge")
    return folder


def test_a_whole_clone_is_asked_itself(merged: tuple[Repository, dict[str, str]]) -> None:
    repository, made = merged
    place = Place(repository.clone, environ=GIT_ENVIRON)
    with open_past("topic", "main", place) as past:
        assert (past.head, past.base) == (made["topic"], made["third"])
        assert past.merge_base == made["second"]
        baseline = list(past.before(made["second"], 1).items())
        assert baseline == [(made["second"], 0), (made["between"], 1), (made["side"], 1)]
        assert past.before(made["third"], 9)[made["first"]] == 3


@pytest.mark.parametrize(("head", "base"), [("merge", "third"), ("topic", "second")])
def test_a_shallow_clone_of_one_commit_is_enough(
    merged: tuple[Repository, dict[str, str]], tmp_path: Path, head: str, base: str
) -> None:
    repository, made = merged
    clone = checkout(repository, tmp_path / "checkout", made[head])
    with open_past("HEAD", "main", Place(clone, environ=GIT_ENVIRON)) as past:
        assert past.head == made[head]
        assert past.merge_base == made[base]
        assert made["first"] in past.before(made[base], 9)
    assert run_git(clone, "rev-list", "--count", "--all") == "1", "the clone is as it was"


def test_without_a_clone_the_remote_is_asked(merged: tuple[Repository, dict[str, str]]) -> None:
    repository, made = merged
    with open_past(made["topic"], "main", Place(remote=repository.remote)) as past:
        assert past.merge_base == made["second"]
    with open_past("refs/pull/7/merge", None, Place(remote=repository.remote)) as past:
        assert past.head == made["merge"]
        assert past.base is None


def test_branches_that_met_long_ago(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steady.history.ancestry.FIRST_DEPTH", 3)
    first = repository.git("rev-parse", "HEAD")
    repository.git("checkout", "--quiet", "-b", "topic")
    for number in range(5):
        repository.commit(f"topic {number}")
    repository.git("push", "--quiet", "origin", "topic")
    with open_past("topic", "main", Place(remote=repository.remote)) as past:
        assert past.merge_base == first


def test_branches_that_never_met(repository: Repository, make_entry: MakeEntry) -> None:
    repository.git("checkout", "--quiet", "--orphan", "other")
    repository.commit()
    with open_past("other", "main", Place(repository.clone, environ=GIT_ENVIRON)) as past:
        baseline = find_baseline(Index(make_entry(1)), "core", past)
    assert baseline.chosen is None
    assert baseline.sentence.endswith("and the base branch share no commit.")


@pytest.mark.parametrize("name", ["--upload-pack=touch x", "a b", "a:b", "+a", "a..b^{/x}"])
def test_a_name_that_is_none(repository: Repository, name: str) -> None:
    with (
        pytest.raises(InputError, match=r"does not have commit|not a commit"),
        open_past(name, "main", Place(repository.clone, environ=GIT_ENVIRON)),
    ):
        pass


def test_a_commit_that_nobody_pushed(repository: Repository, tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match=r"cannot be fetched.*push that commit first"),
        open_past("a" * 40, "main", Place(remote=repository.remote)),
    ):
        pass
    with (
        pytest.raises(InputError, match="the clone does not have commit 'absent'"),
        open_past("absent", "main", Place(repository.clone, environ=GIT_ENVIRON)),
    ):
        pass
