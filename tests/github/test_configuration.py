"""Committing the configuration: real PyGithub, the stand-in, and a real repository behind it."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import standin
from github import Github
from standin import REPOSITORY, StandIn
from standin_git import GitRepository

from steady.github import connect
from steady.github.commit_content import Change
from steady.github.configuration import (
    Committed,
    NotCommittedError,
    Target,
    commit_configuration,
    made_by_steady,
)
from steady.github.context import Context
from steady.github.patience import Patience

TOKEN = "ghs_the-token-nobody-may-see"
BRANCH = "steady/plan-default"
MARKER = "<!-- steady:default:plan-pull-request -->"
SUBJECT = "Update the benchmark plan"
NOT_ACCESSIBLE = "Resource not accessible by integration"
MAY_NOT_PROPOSE = "GitHub Actions is not permitted to create or approve pull requests."


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository to be copied, with one commit on its branch ``main``."""
    repository = GitRepository().at(tmp_path_factory.mktemp("template") / "repository.git")
    repository.push("main", {"README.md": "hello\n", "src/A.java": "class A {}\n"})
    return repository.folder


@pytest.fixture
def git(github: StandIn, template: Path, tmp_path: Path) -> GitRepository:
    """Return the repository behind it, with one commit on its branch ``main``."""
    repository = github.part(GitRepository)
    repository.folder = shutil.copytree(template, tmp_path / "repository.git")
    return repository


def change(plan: str = "{}\n", *, overlay: bool = False) -> Change:
    """Return what a plan would put into the repository."""
    path = ".steady/overlay/META-INF/BenchmarkList"
    files = {".steady/plan.json": plan.encode(), ".steady/jmh/1.args": b"Main\n"}
    if overlay:
        files[path] = b"list\n"
    outdated = (path, ".steady/jmh/*.args", ".steady/run.sh")
    return Change(files, outdated, proof=".steady/plan.json")


def client_of(state: StandIn) -> Github:
    """Return a client."""
    return connect(TOKEN, state.url)


def propose(
    state: StandIn,
    what: Change | None = None,
    *,
    body: str = "the receipt",
    waits: list[float] | None = None,
) -> Committed:
    """Propose a change by pull request."""
    target = Target("main", BRANCH, SUBJECT, f"{MARKER}\n{body}\n", MARKER)
    return commit(state, what, target, waits)


def push(
    state: StandIn,
    what: Change | None = None,
    branch: str = "main",
    waits: list[float] | None = None,
) -> Committed:
    """Push a change to a branch."""
    return commit(state, what, Target("main", branch), waits)


def commit(
    state: StandIn,
    what: Change | None,
    target: Target,
    waits: list[float] | None,
) -> Committed:
    """Commit a change."""
    waited: list[float] = [] if waits is None else waits
    context = Context("push", REPOSITORY, state.url)
    what = change() if what is None else what
    patience = Patience(sleep=waited.append)
    return commit_configuration(client_of(state), context, what, SUBJECT, target, patience)


def writes(state: StandIn) -> list[str]:
    """Return what was sent to change something."""
    return [f"{r.method} {r.path}" for r in state.requests if r.method != "GET"]


def test_the_first_run_opens_a_pull_request(github: StandIn, git: GitRepository) -> None:
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
    assert git.modes(BRANCH)[".steady/jmh/1.args"] == "100644"
    tree = git.git("rev-parse", f"{BRANCH}^{{tree}}")
    assert git.message(BRANCH) == f"Update the benchmark plan\n\nSteady-Plan: {tree}\n"
    [pull] = git.pulls
    assert done.pull_request == pull["html_url"]
    assert (pull["title"], pull["base"]["ref"]) == ("Update the benchmark plan", "main")
    assert pull["body"] == f"{MARKER}\nthe receipt\n"
    assert {request.token for request in github.requests} == {TOKEN}


def test_an_enterprise_server(tmp_path: Path) -> None:
    with standin.github(enterprise=True) as server:
        git = server.part(GitRepository).at(tmp_path / "repository.git")
        git.push("main", {"README.md": "hello\n"})
        assert propose(server).commit == git.tip(BRANCH)
        assert propose(server, change("[]\n")).news == "updated the pull request"
        assert push(server).commit == git.tip("main")


def test_the_same_again_writes_nothing(github: StandIn, git: GitRepository) -> None:
    first = propose(github)
    github.requests.clear()
    done = propose(github)
    assert done == Committed("the pull request is up to date", "", first.pull_request)
    assert writes(github) == []


def test_a_branch_that_lost_its_pull_request_gets_another(
    github: StandIn, git: GitRepository
) -> None:
    propose(github)
    git.pulls[0]["state"] = "closed"
    github.requests.clear()
    assert propose(github).news == "opened a pull request"
    assert writes(github) == [f"POST /repos/{REPOSITORY}/pulls"]


def test_another_plan_moves_the_branch_on(github: StandIn, git: GitRepository) -> None:
    first = propose(github, change(overlay=True))
    second = propose(github, change('{"b": 1}\n'), body="another receipt")
    assert second.news == "updated the pull request"
    assert second.pull_request == first.pull_request
    assert git.git("log", "--format=%H", f"main..{BRANCH}").split() == [
        second.commit,
        first.commit,
    ]
    assert set(git.files(BRANCH)) == {
        "README.md", "src/A.java", ".steady/plan.json", ".steady/jmh/1.args",
    }  # fmt: skip
    assert "another receipt" in git.pulls[0]["body"]


def test_the_branch_takes_in_what_the_base_got_meanwhile(
    github: StandIn, git: GitRepository
) -> None:
    propose(github)
    main = git.push("main", {"README.md": "goodbye\n"})
    done = propose(github, change("[]\n"))
    assert git.files(BRANCH)["README.md"] == "goodbye"
    assert git.git("log", "-1", "--format=%P", done.commit).split()[1] == main
    third = propose(github, change("[1]\n"))
    assert git.git("log", "-1", "--format=%P", third.commit) == done.commit
    assert git.git("diff", "--name-only", "main", BRANCH).split() == [
        ".steady/jmh/1.args",
        ".steady/plan.json",
    ]


def test_a_description_that_a_person_wrote_stays(github: StandIn, git: GitRepository) -> None:
    propose(github)
    git.pulls[0]["body"] = "My own words."
    git.pulls[0]["title"] = "My own title"
    propose(github, change("[]\n"), body="another")
    assert (git.pulls[0]["title"], git.pulls[0]["body"]) == ("My own title", "My own words.")


def test_line_ends_of_a_web_form_are_no_difference(github: StandIn, git: GitRepository) -> None:
    propose(github)
    git.pulls[0]["body"] = git.pulls[0]["body"].replace("\n", "\r\n")
    github.requests.clear()
    propose(github)
    assert writes(github) == []


def test_after_the_merge_nothing_is_left_to_do(github: StandIn, git: GitRepository) -> None:
    propose(github)
    git.pulls[0]["state"] = "closed"
    git.git("update-ref", "refs/heads/main", str(git.tip(BRANCH)))
    github.requests.clear()
    assert propose(github) == Committed("the configuration on `main` is up to date")
    assert writes(github) == []
    assert propose(github, change("[]\n")).news == "opened a pull request"


def test_an_open_pull_request_with_an_earlier_plan_is_named(
    github: StandIn, git: GitRepository
) -> None:
    opened = propose(github)
    git.push("main", {".steady/plan.json": "[]\n"})
    git.push("main", {".steady/jmh/1.args": "Main\n"})
    done = propose(github, change("[]\n"))
    assert done.news == (
        "the configuration on `main` is up to date; "
        f"{opened.pull_request} proposes an earlier one: close it"
    )
    assert git.pulls[0]["state"] == "open"


def test_a_strangers_commit_on_our_branch_stays(github: StandIn, git: GitRepository) -> None:
    propose(github)
    stranger = git.push(BRANCH, {".steady/plan.json": "by hand\n"})
    with pytest.raises(NotCommittedError, match="has commits that are not steady's"):
        propose(github, change("[]\n"))
    assert git.tip(BRANCH) == stranger


def test_a_commit_of_ours_that_was_amended_is_a_strangers(
    github: StandIn, git: GitRepository
) -> None:
    propose(github)
    message = git.message(BRANCH)
    git.push(BRANCH, {".steady/plan.json": "by hand\n"}, message)
    with pytest.raises(NotCommittedError, match="not steady's"):
        propose(github, change("[]\n"))


@pytest.mark.parametrize("harmless", [True, False])
def test_githubs_own_update_of_the_branch_is_none(
    github: StandIn, git: GitRepository, harmless: bool
) -> None:
    propose(github)
    git.push("main", {"README.md": "goodbye\n"})
    git.git("branch", "feature", "main")
    git.push("feature", {"feature.txt": "mine\n"})
    merged = git.tip("main" if harmless else "feature")
    git.push(BRANCH, {"README.md": "goodbye\n"}, "Merge branch 'main'\n", merge=merged)
    if harmless:
        assert propose(github, change("[]\n")).news == "updated the pull request"
        assert git.files(BRANCH)["README.md"] == "goodbye"
    else:
        with pytest.raises(NotCommittedError, match="not steady's"):
            propose(github, change("[]\n"))


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe not UTF-8\n", b"a\0b", "µ\n".encode() * 200_000],
    ids=["not UTF-8", "zero", "large"],  # pytest hands a test's name to every process
)
def test_any_content_arrives_as_it_is(github: StandIn, git: GitRepository, content: bytes) -> None:
    done = push(github, Change({"data/file": content, "crlf": b"a\r\nb"}))
    (git.folder / "expected").write_bytes(content)
    expected = git.git("hash-object", str(git.folder / "expected"))
    assert git.git("rev-parse", f"{done.commit}:data/file") == expected
    assert push(github, Change({"data/file": content})).commit == ""


def test_users_files_are_not_deleted(github: StandIn, git: GitRepository) -> None:
    overlay = ".steady/overlay/META-INF/BenchmarkList"
    git.push("main", {overlay: "a stranger's\n", ".steady/notes.md": "mine\n"})
    push(github)
    assert git.files("main")[overlay] == "a stranger's"
    push(github)
    files = git.files("main")
    assert overlay not in files, "there is a plan now, so it is one that an earlier plan left"
    assert files[".steady/notes.md"] == "mine"


def test_what_an_earlier_plan_or_release_left_is_removed(
    github: StandIn, git: GitRepository
) -> None:
    earlier = {".steady/run.sh": "#!/bin/sh\n", ".steady/jmh/2.args": "Main\n"}
    kept = {".steady/jmh/notes.md": "mine\n", ".steady/jmh/deeper/2.args": "mine\n"}
    git.push("main", {".steady/plan.json": "[]\n", **earlier, **kept})
    push(github)
    assert set(git.files("main")) == {
        *("README.md", "src/A.java", ".steady/plan.json", ".steady/jmh/1.args"), *kept,
    }  # fmt: skip


def test_pushing_to_a_branch(github: StandIn, git: GitRepository) -> None:
    first = push(github)
    assert (first.news, first.pull_request) == ("pushed to `main`", "")
    assert git.tip("main") == first.commit
    github.requests.clear()
    assert push(github) == Committed("the configuration on `main` is up to date")
    assert writes(github) == []
    assert git.pulls == []


def test_pushing_to_a_branch_that_does_not_exist_yet(github: StandIn, git: GitRepository) -> None:
    done = push(github, branch="bench/plans")
    assert git.tip("bench/plans") == done.commit
    assert git.git("log", "-1", "--format=%P", done.commit) == git.tip("main")
    assert push(github, branch="bench/plans").news == (
        "the configuration on `bench/plans` is up to date"
    )


def test_a_run_that_is_on_no_branch_means_the_default_branch(
    github: StandIn, git: GitRepository
) -> None:
    git.default_branch = "trunk"
    git.git("branch", "trunk", "main")
    target = Target("", BRANCH, "Update", f"{MARKER}\n", MARKER)
    commit(github, None, target, None)
    assert git.pulls[0]["base"]["ref"] == "trunk"


def test_each_base_has_a_pull_request_of_its_own(github: StandIn, git: GitRepository) -> None:
    propose(github)
    git.git("branch", "release/1.x", "main")
    git.push("release/1.x", {"README.md": "one\n"})
    target = Target("release/1.x", BRANCH, "Update", f"{MARKER}\n", MARKER)
    done = commit(github, change("[]\n"), target, None)
    assert done.commit == git.tip(f"{BRANCH}@release/1.x")
    assert [(p["base"]["ref"], p["head"]["ref"]) for p in git.pulls] == [
        ("main", BRANCH),
        ("release/1.x", f"{BRANCH}@release/1.x"),
    ]
    assert git.git("rev-list", "--count", f"main..{BRANCH}") == "1"


def test_a_pusher_who_was_faster_is_not_lost(
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


def test_four_jobs_at_once_open_one_pull_request(github: StandIn, git: GitRepository) -> None:
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: propose(github), range(4)))
    assert len(git.pulls) == 1
    assert {one.pull_request for one in done} == {git.pulls[0]["html_url"]}
    assert git.git("rev-list", "--count", f"main..{BRANCH}") == "1"
    assert {one.commit for one in done} <= {"", git.tip(BRANCH)}


def test_four_jobs_at_once_lose_nothing(github: StandIn, git: GitRepository) -> None:
    changes = [Change({f"suite{i}/.steady/plan.json": b"{}\n"}) for i in range(4)]
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda one: push(github, one), changes))
    assert {path for one in changes for path in one.files} <= set(git.files("main"))
    made = git.git("log", "--format=%H", "main").split()
    assert {one.commit for one in done} == set(made[:-1])


def test_a_branch_that_keeps_moving_is_given_up(github: StandIn, git: GitRepository) -> None:
    github.fail("PATCH", "/git/refs/", 422, message="Update is not a fast forward", times=99)
    waits: list[float] = []
    with pytest.raises(NotCommittedError, match=r"kept moving while this job wrote to it \(422\)"):
        push(github, waits=waits)
    assert waits == [2.0, 4.0, 8.0]


@pytest.mark.parametrize("carried_out", [True, False])
@pytest.mark.parametrize("path", ["/git/trees$", "/git/commits$", "/git/refs$", "/pulls$"])
def test_nothing_is_made_twice(
    github: StandIn, git: GitRepository, path: str, carried_out: bool
) -> None:
    github.fail("POST", path, 502, after=carried_out)
    done = propose(github)
    assert done.commit == git.tip(BRANCH)
    assert len(git.pulls) == 1
    assert git.git("rev-list", "--count", f"main..{BRANCH}") == "1"


@pytest.mark.parametrize("carried_out", [True, False])
def test_an_update_is_made_once(github: StandIn, git: GitRepository, carried_out: bool) -> None:
    github.fail("PATCH", "/git/refs/", 502, after=carried_out, times=2)
    done = push(github)
    assert done.news == "pushed to `main`"
    assert done.commit == git.tip("main")
    assert git.git("rev-list", "--count", "main") == "2"


def test_a_second_job_opens_no_second_pull_request(github: StandIn, git: GitRepository) -> None:
    """The list is asked before the other job's request arrives, and after that it is known."""
    github.fail("POST", "/pulls$", 502, after=True)
    github.fail("GET", "/pulls$", 502, times=2)
    assert propose(github).pull_request == git.pulls[0]["html_url"]
    assert len(git.pulls) == 1


@pytest.mark.parametrize(
    ("method", "path", "status", "message", "sentence"),
    [
        (
            "POST", "/git/trees$", 403, NOT_ACCESSIBLE,
            "the token may not write the files (403): add `permissions: contents: write` to the "
            "job",
        ),
        (
            "POST", "/git/trees$", 404, "Not Found",
            "the token may not write the files (404): give it `contents: write`",
        ),
        (
            "POST", "/git/refs$", 403, NOT_ACCESSIBLE,
            f"the token may not write branch `{BRANCH}` (403): add `permissions: contents: write` "
            "to the job",
        ),
        (
            "POST", "/git/refs$", 422, "Reference update failed",
            f"branch `{BRANCH}` is protected (422: Reference update failed): let the rules of "
            "branches `steady/plan-*` allow it",
        ),
        (
            "POST", "/git/trees$", 403, "Repository was archived so is read-only.",
            f"{REPOSITORY} is archived and takes no commits (403)",
        ),
        (
            "GET", "/git/ref/", 409, "Git Repository is empty.",
            f"{REPOSITORY} holds no commit yet (409): push one first",
        ),
        (
            "GET", "/git/commits/", 401, "Bad credentials",
            "GitHub does not accept the token (401): leave `token` out, or renew it",
        ),
        (
            "GET", "/git/ref/", 404, "Not Found",
            f"this token does not see a branch `main` in {REPOSITORY}: run the job on a "
            "branch, and give it `permissions: contents: write`",
        ),
        (
            "POST", "/git/trees$", 502, "Bad Gateway",
            "GitHub's API failed (502); run the job again",
        ),
        (
            "POST", "/git/commits$", 422, "Tree SHA does not exist.",
            "GitHub refuses the commit (422: Tree SHA does not exist.)",
        ),
    ],
)  # fmt: skip
def test_every_refusal_is_a_sentence(
    github: StandIn,
    git: GitRepository,
    method: str,
    path: str,
    status: int,
    message: str,
    sentence: str,
) -> None:
    github.fail(method, path, status, message=message, times=99)
    with pytest.raises(NotCommittedError) as caught:
        propose(github)
    assert str(caught.value) == sentence
    assert caught.value.commit == ""
    assert git.branches() == ["main"]


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (
            NOT_ACCESSIBLE,
            "the token may not write the pull request (403): add `permissions: pull-requests: "
            "write` to the job",
        ),
        (
            MAY_NOT_PROPOSE,
            "GitHub Actions may not open pull requests here (403): allow it in the repository's "
            "settings, under Actions, General, Workflow permissions",
        ),
    ],
)
def test_without_the_right_to_propose_the_branch_is_there(
    github: StandIn, git: GitRepository, message: str, sentence: str
) -> None:
    github.fail("POST", "/pulls$", 403, message=message)
    with pytest.raises(NotCommittedError) as caught:
        propose(github)
    assert str(caught.value) == (
        f"{sentence}; branch `{BRANCH}` is pushed, so a pull request by hand will do"
    )
    assert caught.value.commit == git.tip(BRANCH)
    assert propose(github).news == "opened a pull request"


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (403, "You're not authorized to push to this branch."),
        (409, "Repository rule violations found"),
        (422, "Repository rule violations found\n\nChanges must be made through a pull request."),
    ],
)
def test_a_protected_branch(github: StandIn, git: GitRepository, status: int, message: str) -> None:
    git.rules["main"] = (status, message)
    with pytest.raises(NotCommittedError) as caught:
        push(github)
    words = " ".join(message.split())
    assert str(caught.value) == (
        f"branch `main` is protected ({status}: {words}): write `commit: pull-request`, or let its "
        "rules allow this token"
    )


@pytest.mark.parametrize("trailer", [True, False])
@pytest.mark.parametrize("merged", [True, False])
def test_a_commit_of_ours_is_known(
    github: StandIn, git: GitRepository, trailer: bool, merged: bool
) -> None:
    propose(github)
    message = git.message(BRANCH) if trailer else "other work\n"
    head = git.push("main", {"b": "b\n"}, "more\n" if merged else message)
    if merged:
        other = git.push("side", {"a": "a\n"}, message)
        head = git.push("main", {"c": "c\n"}, "Merge pull request #100\n", merge=other)
    context = Context("push", REPOSITORY, github.url, head=head)
    assert made_by_steady(client_of(github), context, Patience()) == trailer
