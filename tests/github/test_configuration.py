"""Committing the configuration: real PyGithub, the stand-in, and a real repository behind it."""

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest
import standin
from standin import CUT, REPOSITORY, StandIn
from standin_git import GitRepository

from steady.github import connect
from steady.github.client import RetryBudget
from steady.github.commit_content import Change
from steady.github.configuration import (
    Committed,
    NotCommittedError,
    Target,
    commit_configuration,
    made_by_steady,
)
from steady.github.context import Context
from tests.looped import looped

TOKEN = "ghs_the-token-nobody-may-see"
BRANCH = "steady/plan-default"
MARKER = "<!-- steady:default:plan-pull-request -->"
OVERLAY = ".steady/overlay/META-INF/BenchmarkList"
SUBJECT = "Update the benchmark plan"

NUMBERS = count()


def begin_anew(git: GitRepository) -> None:
    """Reset all commits and pull requests."""
    git.begun(git.folder.with_name(f"{next(NUMBERS)}.git"))


def change(plan: str = "{}\n", *, overlay: bool = False) -> Change:
    """Return the files that a plan would add to the repository."""
    files = {".steady/plan.json": plan.encode(), ".steady/jmh/1.args": b"Main\n"}
    if overlay:
        files[OVERLAY] = b"list\n"
    outdated = (OVERLAY, ".steady/jmh/*.args", ".steady/run.sh")
    return Change(files, outdated, proof=".steady/plan.json")


def propose(
    state: StandIn, what: Change | None = None, *, body: str = "the receipt", base: str = "main"
) -> Committed:
    """Propose a change by pull request."""
    return commit(
        state, what, Target(base, BRANCH, SUBJECT, lambda _: f"{MARKER}\n{body}\n", MARKER)
    )


def push(
    state: StandIn,
    what: Change | None = None,
    branch: str = "main",
    waits: list[float] | None = None,
) -> Committed:
    """Push a change to a branch."""
    return commit(state, what, Target("main", branch), waits)


def commit(
    state: StandIn, what: Change | None, target: Target, waits: list[float] | None = None
) -> Committed:
    """Commit a change."""
    retries = RetryBudget(sleep=([] if waits is None else waits).append)
    client, context = connect(TOKEN, state.url), Context("push", REPOSITORY, state.url)
    return commit_configuration(client, context, what or change(), SUBJECT, target, retries)


def writes(state: StandIn) -> list[str]:
    """Return the write requests since the last call."""
    sent = [f"{r.method} {r.path}" for r in state.requests if r.method != "GET"]
    state.requests.clear()
    return sent


def test_the_first_run_opens_a_pull_request_and_the_second_writes_nothing(
    github: StandIn, git: GitRepository
) -> None:
    main = git.tip("main")
    done = propose(github)
    assert done.news == "opened a pull request"
    assert git.tip("main") == main
    assert done.commit == git.tip(BRANCH)
    assert git.git("log", "-1", "--format=%P", BRANCH) == main
    assert git.files(BRANCH) == {
        "README.md": "hello",
        "src/A.java": "class A {}",
        ".steady/plan.json": "{}",
        ".steady/jmh/1.args": "Main",
    }
    assert git.git("ls-tree", BRANCH, ".steady/jmh/1.args").startswith("100644 ")
    tree = git.git("rev-parse", f"{BRANCH}^{{tree}}")
    assert git.message(BRANCH) == f"{SUBJECT}\n\nSteady-Plan: {tree}\n"
    [pull] = git.pulls
    assert done.pull_request == pull["html_url"]
    assert (pull["title"], pull["base"]["ref"]) == (SUBJECT, "main")
    assert pull["body"] == f"{MARKER}\nthe receipt\n"
    assert {request.token for request in github.requests} == {TOKEN}

    writes(github)
    pull["body"] = pull["body"].replace("\n", "\r\n")  # as submitted by a web form
    assert propose(github) == Committed("the pull request is up to date", "", done.pull_request)
    assert writes(github) == []


def test_executable_sources_keep_their_mode_and_links_stay_unchanged(
    github: StandIn, git: GitRepository
) -> None:
    blob = git.blob(b"old\n")
    entries = [
        {"path": f"{name}.java", "mode": mode, "sha": blob}
        for name, mode in (("A", "100755"), ("B", "100644"), ("C", "120000"))
    ]
    tree = git.tree(git.tip("main"), entries)
    tip = git.commit_tree(tree, [str(git.tip("main"))], "work\n", "Ada")
    git.git("update-ref", "refs/heads/main", tip)
    names = ("A.java", "B.java", "C.java")
    sources = Change(dict.fromkeys(names, b"new\n"), before=dict.fromkeys(names, b"old\n"))
    done = push(github, sources)
    assert done.news == (
        "pushed to `main`; skipped files that changed since this run began: C.java"
    )
    modes = [line.split()[0] for line in git.git("ls-tree", "main", *names).splitlines()]
    assert modes == ["100755", "100644", "120000"]
    assert [git.files("main")[name] for name in names] == ["new", "new", "old"]
    assert push(github, sources).commit == "", "no changes remain"


def test_enterprise_server_is_supported(tmp_path: Path) -> None:
    with standin.github(enterprise=True) as server:
        git = server.part(GitRepository).begun(tmp_path / "repository.git")
        assert propose(server).commit == git.tip(BRANCH)
        assert propose(server, change("[]\n")).news == "updated the pull request"
        assert push(server).commit == git.tip("main")


def test_a_new_plan_advances_the_branch_and_merges_the_base(
    github: StandIn, git: GitRepository
) -> None:
    first = propose(github, change(overlay=True))
    second = propose(github, change("1\n"), body="another receipt")
    assert second.news == "updated the pull request"
    assert second.pull_request == first.pull_request
    log = git.git("log", "--format=%H", f"main..{BRANCH}").split()
    assert log == [second.commit, first.commit]
    assert OVERLAY not in git.files(BRANCH)
    assert "another receipt" in git.pulls[0]["body"]

    main = git.push("main", {"README.md": "goodbye\n"})
    git.pulls[0] |= {"title": "My own title", "body": "My own words."}
    third = propose(github, change("2\n"))
    assert git.files(BRANCH)["README.md"] == "goodbye"
    assert git.git("log", "-1", "--format=%P", third.commit).split() == [second.commit, main]
    fourth = propose(github, change("3\n"))
    assert git.git("log", "-1", "--format=%P", fourth.commit) == third.commit
    differing = git.git("diff", "--name-only", "main", BRANCH).split()
    assert differing == [".steady/jmh/1.args", ".steady/plan.json"]
    assert (git.pulls[0]["title"], git.pulls[0]["body"]) == ("My own title", "My own words.")


def test_closed_merged_and_open_pull_requests(github: StandIn, git: GitRepository) -> None:
    propose(github)
    git.pulls[0]["state"] = "closed"
    writes(github)
    assert propose(github).news == "opened a pull request"
    assert writes(github) == [f"POST /repos/{REPOSITORY}/pulls"]

    git.pulls[1]["state"] = "closed"
    git.git("update-ref", "refs/heads/main", str(git.tip(BRANCH)))
    assert propose(github) == Committed("the configuration on `main` is up to date")
    assert writes(github) == []

    opened = propose(github, change("[]\n"))
    assert opened.news == "opened a pull request"
    git.push("main", {".steady/plan.json": "[1]\n"})
    assert propose(github, change("[1]\n")).news == (
        "the configuration on `main` is up to date; "
        f"{opened.pull_request} proposes an earlier one: close it"
    )
    assert git.pulls[2]["state"] == "open"


def test_other_peoples_commits_on_our_branch_are_kept(github: StandIn, git: GitRepository) -> None:
    propose(github)
    ours, message = str(git.tip(BRANCH)), git.message(BRANCH)
    main = git.push("main", {"README.md": "goodbye\n"})
    git.git("branch", "feature", "main")
    feature = git.push("feature", {"feature.txt": "mine\n"})
    for words, merge in (("by hand\n", None), (message, None), ("Merge 'feature'\n", feature)):
        git.git("update-ref", f"refs/heads/{BRANCH}", ours)
        theirs = git.push(BRANCH, {"README.md": "by hand\n"}, words, merge=merge)
        with pytest.raises(NotCommittedError, match="has commits that steady did not make"):
            propose(github, change("[]\n"))
        assert git.tip(BRANCH) == theirs
    # GitHub's "Update branch" merges the base, which is not a user's commit.
    git.git("update-ref", f"refs/heads/{BRANCH}", ours)
    git.push(BRANCH, {"README.md": "goodbye\n"}, "Merge branch 'main'\n", merge=main)
    assert propose(github, change("[]\n")).news == "updated the pull request"
    assert git.files(BRANCH)["README.md"] == "goodbye"


def test_any_content_is_committed_unchanged(github: StandIn, git: GitRepository) -> None:
    contents = {
        "not UTF-8": b"\xff\xfe not UTF-8\n",
        "zero": b"a\0b",
        "large": "µ\n".encode() * 200_000,
        "crlf": b"a\r\nb",
    }
    done = push(github, Change(contents))
    for name, content in contents.items():
        (git.folder / "expected").write_bytes(content)
        expected = git.git("hash-object", str(git.folder / "expected"))
        assert git.git("rev-parse", f"{done.commit}:{name}") == expected
    assert push(github, Change(contents)).commit == ""


def test_files_of_an_earlier_plan_are_removed_and_users_files_are_kept(
    github: StandIn, git: GitRepository
) -> None:
    mine = (".steady/notes.md", ".steady/jmh/notes.md", ".steady/jmh/deeper/2.args")
    git.push("main", {OVERLAY: "a stranger's\n", **dict.fromkeys(mine, "mine\n")})
    push(github)
    assert git.files("main")[OVERLAY] == "a stranger's", "no earlier plan can have written it"
    git.push("main", {".steady/run.sh": "#!/bin/sh\n", ".steady/jmh/2.args": "Main\n"})
    push(github)
    ours = ("README.md", "src/A.java", ".steady/plan.json", ".steady/jmh/1.args")
    assert set(git.files("main")) == {*ours, *mine}


def test_pushing_to_a_branch(github: StandIn, git: GitRepository) -> None:
    first = push(github)
    assert (first.news, first.pull_request) == ("pushed to `main`", "")
    assert git.tip("main") == first.commit
    writes(github)
    assert push(github) == Committed("the configuration on `main` is up to date")
    assert writes(github) == []
    new = push(github, change("[]\n"), branch="bench/plans")  # the branch does not exist yet
    assert git.tip("bench/plans") == new.commit
    assert git.git("log", "-1", "--format=%P", new.commit) == first.commit
    again = push(github, change("[]\n"), branch="bench/plans")
    assert again.news == "the configuration on `bench/plans` is up to date"
    assert git.pulls == []


def test_each_target_branch_has_a_separate_pull_request(
    github: StandIn, git: GitRepository
) -> None:
    git.git("branch", "trunk", "main")
    git.default_branch = "trunk"
    propose(github, base="")  # a run without a branch
    git.git("branch", "release/1.x", "main")
    git.push("release/1.x", {"README.md": "one\n"})
    done = propose(github, change("[]\n"), base="release/1.x")
    assert done.commit == git.tip(f"{BRANCH}@release/1.x")
    assert [(p["base"]["ref"], p["head"]["ref"]) for p in git.pulls] == [
        ("trunk", BRANCH),
        ("release/1.x", f"{BRANCH}@release/1.x"),
    ]
    assert git.git("rev-list", "--count", f"main..{BRANCH}") == "1"


def test_concurrent_pushes_are_not_lost(
    github: StandIn, git: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = iter(("first", "second"))
    waits: list[float] = []
    plain = GitRepository.tree

    def tree(self: GitRepository, base: str | None, entries: list[dict[str, str]]) -> str:
        written = plain(self, base, entries)
        if any(entry["path"].startswith(".steady/") for entry in entries):
            name = next(work, None)
            if name is not None:
                self.push("main", {name: "faster\n"})
        return written

    monkeypatch.setattr(GitRepository, "tree", tree)
    done = push(github, waits=waits)
    assert waits == [2.0, 4.0]
    assert git.tip("main") == done.commit
    assert {"first", "second", ".steady/plan.json"} <= set(git.files("main"))


def test_four_concurrent_jobs_open_one_pull_request(github: StandIn, git: GitRepository) -> None:
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: propose(github), range(4)))
    assert len(git.pulls) == 1
    assert {one.pull_request for one in done} == {git.pulls[0]["html_url"]}
    assert git.git("rev-list", "--count", f"main..{BRANCH}") == "1"
    assert {one.commit for one in done} <= {"", git.tip(BRANCH)}


@looped("carried_out", [True, False])
def test_lost_responses_cause_no_duplicates(
    github: StandIn, git: GitRepository, carried_out: bool
) -> None:
    for path in ("/git/trees$", "/git/commits$", "/git/refs$", "/pulls$"):
        begin_anew(git)
        github.fail("POST", path, 502, after=carried_out)
        done = propose(github)
        assert done.commit == git.tip(BRANCH), path
        assert len(git.pulls) == 1, path
        assert git.git("rev-list", "--count", f"main..{BRANCH}") == "1", path
    github.fail("PATCH", "/git/refs/", 502, after=carried_out, times=2)
    done = push(github)
    assert done == Committed("pushed to `main`", str(git.tip("main")))
    assert git.git("rev-list", "--count", "main") == "2"


@looped(
    ("message", "words"),
    [("null", "is not GitHub's API"), ("[null]", "is not GitHub's API"), (CUT, "did not answer")],
)
def test_an_unexpected_response_is_an_error_and_changes_nothing(
    github: StandIn, git: GitRepository, message: str, words: str
) -> None:
    begin_anew(git)
    for method, path in (
        ("GET", f"/repos/{REPOSITORY}$"), ("GET", "/git/ref/"), ("GET", "/git/commits/"),
        ("GET", "/git/trees/"), ("POST", "/git/trees$"), ("POST", "/git/commits$"),
        ("POST", "/git/refs$"), ("GET", "/pulls$"), ("POST", "/pulls$"),
    ):  # fmt: skip
        github.fail(method, path, 200, message=message, times=99)
        with pytest.raises(NotCommittedError, match=words):
            propose(github)
        github.faults.clear()
        assert git.pulls == []
    propose(github)
    assert len(git.pulls) == 1
    assert git.git("rev-list", "--count", f"main..{BRANCH}") == "1"


@looped("trailer", [True, False])
def test_steadys_own_commits_are_recognized(
    github: StandIn, git: GitRepository, trailer: bool
) -> None:
    begin_anew(git)
    propose(github)
    message = git.message(BRANCH) if trailer else "other work\n"
    plain = git.push("main", {"b": "b\n"}, message)
    git.push("main", {"c": "c\n"}, "more\n")
    other = git.push("side", {"a": "a\n"}, message)
    merge = git.push("main", {"d": "d\n"}, "Merge pull request #100\n", merge=other)
    for head in (plain, merge):
        context = Context("push", REPOSITORY, github.url, head=head)
        assert made_by_steady(connect(TOKEN, github.url), context, RetryBudget()) == trailer
