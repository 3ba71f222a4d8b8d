"""The choice of the baseline, in clones of every depth."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from git_scenario import COMMITS, GIT_ENVIRON, Repository, make_entry, run_git
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.errors import InputError
from steady.history import Fingerprint, HistoryEntry, Place, Store, find_baseline, open_ancestry
from steady.history.ancestry import Ancestry
from steady.history.baseline import MAX_DISTANCE, Baseline
from steady.history.git_command import Git
from tests.looped import looped


def index(*entries: HistoryEntry) -> Store:
    """Return a store with only an index."""
    return cast("Store", SimpleNamespace(entries=lambda: entries))


class Line(Ancestry):
    """A linear history: commit 9 follows 8, and so on; the base branch ends at 5."""

    @property
    def merge_base(self) -> str | None:
        return min(self.head, self.base or self.head)

    def before(self, commit: str, limit: int) -> dict[str, int]:
        last = int(commit, 16)
        return {f"{n:040x}": last - n for n in range(last, max(-1, last - limit - 1), -1)}


class Diamond(Ancestry):
    """A history with a merge of branches of different lengths."""

    def _parents(self, _: str) -> dict[str, list[str]]:
        return {"merge": ["left", "begin"], "left": ["middle"], "middle": ["begin"]}


def test_distances_are_those_of_shortest_paths() -> None:
    found = Diamond(cast("Git", None), "merge", None).before("merge", 9)
    assert list(found.items()) == [("merge", 0), ("left", 1), ("begin", 1), ("middle", 2)]


HEAD, BASE = COMMITS[9], COMMITS[5]


def find(*entries: HistoryEntry, base: str | None = BASE, **options: Any) -> Baseline:
    """Find the baseline of commit 9."""
    past = Line(cast("Git", None), HEAD, base)
    return find_baseline(index(*entries), "core", past, **options)


def at(*numbers: int) -> list[HistoryEntry]:
    """Return entries at commits of these numbers."""
    return [make_entry(number) for number in numbers]


NEAREST = "before the merge base 000000000000, as the nearest with results"
MERGE_BASE = "Baseline: commit 000000000000, the merge base."
AMD, INTEL = Fingerprint(cpu=("AMD",)), Fingerprint(cpu=("Intel",))
NEAR, FAR = make_entry(5, environment=INTEL), make_entry(2, environment=AMD)
THREE = [make_entry(n, commit=BASE, environment=e) for n, e in ((1, AMD), (2, AMD), (3, INTEL))]
OTHER = f"{MERGE_BASE} It ran in a different environment (CPU: Intel there, AMD here)."


@looped(
    ("entries", "options", "chosen", "sentence"),
    [
        (at(9, 8, 5, 4), {}, ("run-5", 0), MERGE_BASE),
        (
            *([*at(8, 3, 1), make_entry(4, "other")], {}, ("run-3", 2)),
            f"Baseline: commit 000000000000, 2 commits {NEAREST}.",
        ),
        (at(4), {}, ("run-4", 1), f"Baseline: commit 000000000000, 1 commit {NEAREST}."),
        (
            *(at(9, 7), {"base": None}, ("run-7", 2)),
            "Baseline: commit 000000000000, 2 commits before 000000000000.",
        ),
        (
            *(at(9, 1), {"limit": 3}, None),
            "No baseline: the history has no results of suite core at commit 000000000000 or "
            "within 3 commits before it.",
        ),
        # Of several runs, one on the same machine, and then the newest.
        (THREE, {"fingerprint": AMD}, ("run-2", 0), MERGE_BASE),
        (THREE, {"fingerprint": INTEL}, ("run-3", 0), MERGE_BASE),
        (THREE, {}, ("run-3", 0), MERGE_BASE),
        # Another machine is reported, and excluded on request.
        (
            *([NEAR, FAR], {"fingerprint": AMD}, ("run-5", 0)),
            f"{OTHER} The nearest with the same environment is commit 000000000000, 3 commits "
            f"{NEAREST}.",
        ),
        (
            *([NEAR], {"fingerprint": AMD}, ("run-5", 0)),
            f"{OTHER} No earlier run has the same environment.",
        ),
        (
            *([NEAR, FAR], {"fingerprint": AMD, "require_same": True}, ("run-2", 3)),
            "Baseline: commit 000000000000, 3 commits before the merge base 000000000000.",
        ),
        (
            *([NEAR], {"fingerprint": AMD, "require_same": True}, None),
            "No baseline: the history has no results of suite core in the same environment at "
            f"commit 000000000000 or within {MAX_DISTANCE} commits before it.",
        ),
    ],
)
def test_the_baseline_is_the_merge_base_or_its_nearest_ancestor_with_results(
    entries: list[HistoryEntry],
    options: dict[str, Any],
    chosen: tuple[str, int] | None,
    sentence: str,
) -> None:
    baseline = find(*entries, **options)
    found = baseline.chosen and (baseline.chosen.entry.run, baseline.chosen.distance)
    assert (found, baseline.sentence) == (chosen, sentence)


@settings(max_examples=50)
@given(st.sets(st.integers(0, 9)), st.integers(0, 9), st.integers(0, 9))
def test_no_run_is_nearer_than_the_baseline(numbers: set[int], base: int, limit: int) -> None:
    baseline = find(*at(*numbers), base=COMMITS[base], limit=limit)
    wanted = [n for n in numbers if n <= base and n != 9 and base - n <= limit]
    chosen = None if baseline.chosen is None else int(baseline.chosen.entry.commit, 16)
    assert chosen == (max(wanted) if wanted else None)


@dataclass(frozen=True)
class Merged:
    """A repository whose pull request 7 branched off main one commit ago, and its commits.

    main: first - second - third, with side merged into second; the pull request began at second.
    """

    repository: Repository
    commits: dict[str, str]


@pytest.fixture
def merged(repository: Repository) -> Merged:
    git = repository.git
    made = {"first": git("rev-parse", "HEAD")}
    git("checkout", "--quiet", "-b", "side")
    made["side"] = repository.commit("side")
    git("checkout", "--quiet", "main")
    made["between"] = repository.commit("between")
    git("merge", "--quiet", "--no-ff", "-m", "second", "side")
    made["second"] = git("rev-parse", "HEAD")
    git("checkout", "--quiet", "-b", "topic")
    made["topic"] = repository.commit("topic")
    git("checkout", "--quiet", "main")
    made["third"] = repository.commit("third")
    git("checkout", "--quiet", "--detach", "main")
    git("merge", "--quiet", "--no-ff", "-m", "merge of 7", "topic")
    made["merge"] = git("rev-parse", "HEAD")
    git("push", "--quiet", "origin", "main", "topic", "HEAD:refs/pull/7/merge")
    return Merged(repository, made)


def checkout(repository: Repository, folder: Path, commit: str) -> Path:
    """Create a clone like actions/checkout: one commit, and no branch."""
    folder.mkdir()
    run_git(folder, "init", "--quiet")
    run_git(folder, "remote", "add", "origin", repository.url)
    run_git(folder, "fetch", "--quiet", "--no-tags", "--depth=1", "origin",
            f"+{commit}:refs/remotes/pull/7/merge")  # fmt: skip
    run_git(folder, "checkout", "--quiet", "--force", "refs/remotes/pull/7/merge")
    return folder


def test_ancestry_is_read_from_the_clone_or_the_remote(merged: Merged, tmp_path: Path) -> None:
    made, remote = merged.commits, merged.repository.remote
    with open_ancestry(
        "topic", "main", Place(merged.repository.clone, environ=GIT_ENVIRON)
    ) as past:
        assert (past.head, past.base) == (made["topic"], made["third"])
        assert past.merge_base == made["second"]
        baseline = list(past.before(made["second"], 1).items())
        assert baseline == [(made["second"], 0), (made["between"], 1), (made["side"], 1)]
        assert past.before(made["third"], 9)[made["first"]] == 3
    # A shallow clone of one commit is sufficient, and stays unchanged.
    for head, base in (("merge", "third"), ("topic", "second")):
        clone = checkout(merged.repository, tmp_path / head, made[head])
        with open_ancestry("HEAD", "main", Place(clone, environ=GIT_ENVIRON)) as past:
            assert (past.head, past.merge_base) == (made[head], made[base])
            assert made["first"] in past.before(made[base], 9)
        assert run_git(clone, "rev-list", "--count", "--all") == "1"
    # Without a clone, the remote is used.
    with open_ancestry(made["topic"], "main", Place(remote=remote)) as past:
        assert past.merge_base == made["second"]
    with open_ancestry("refs/pull/7/merge", None, Place(remote=remote)) as past:
        assert (past.head, past.base) == (made["merge"], None)


def test_a_distant_merge_base_is_found(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steady.history.ancestry.FIRST_DEPTH", 3)
    first = repository.git("rev-parse", "HEAD")
    repository.git("checkout", "--quiet", "-b", "topic")
    for number in range(5):
        repository.commit(f"topic {number}")
    repository.git("push", "--quiet", "origin", "topic")
    with open_ancestry("topic", "main", Place(remote=repository.remote)) as past:
        assert past.merge_base == first


def test_unrelated_branches_have_no_baseline(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "--orphan", "other")
    repository.commit()
    with open_ancestry("other", "main", Place(repository.clone, environ=GIT_ENVIRON)) as past:
        baseline = find_baseline(index(make_entry(1)), "core", past)
    assert baseline.chosen is None
    assert baseline.sentence.endswith("and the base branch have no common commit.")


def test_unknown_commits_are_reported(repository: Repository) -> None:
    clone = Place(repository.clone, environ=GIT_ENVIRON)
    no_name = r"does not have commit|not a commit"
    refused = dict.fromkeys(
        ("--upload-pack=touch x", "a b", "a:b", "+a", "a..b^{/x}"), (clone, no_name)
    )
    refused["absent"] = clone, "the clone does not have commit 'absent'"
    unpushed = r"cannot be fetched.*push that commit first"
    refused["a" * 40] = Place(remote=repository.remote), unpushed
    for name, (place, words) in refused.items():
        with pytest.raises(InputError, match=words), open_ancestry(name, "main", place):
            pass
