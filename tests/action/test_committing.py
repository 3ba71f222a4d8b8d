"""Mode ``optimize`` commits what it wrote: the whole action, and a real repository behind it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from action_scenario import EVENT_FILE, TOKEN, Scenario, write_event
from standin import REPOSITORY, StandIn
from standin_git import GitRepository
from written_runs import record, series

from steady.action.committing import configuration
from steady.action.workspace import Workspace
from steady.errors import InputError

BRANCH = "steady/plan-default"
PULL_REQUEST = f"https://github.test/{REPOSITORY}/pull/100"


@pytest.fixture
def git(github: StandIn, tmp_path: Path) -> GitRepository:
    """Return the repository behind it."""
    repository = github.part(GitRepository).at(tmp_path / "repository.git")
    repository.push("main", {"README.md": "hello\n"})
    return repository


def optimize(
    scenario: Scenario,
    git: GitRepository,
    environ: Mapping[str, str | None] | None = None,
    /,
    *,
    event: str = "workflow_dispatch",
    branch: str = "main",
    **inputs: str,
) -> int:
    """Run mode ``optimize`` on a branch of the repository."""
    place = {
        "GITHUB_EVENT_NAME": event,
        "GITHUB_REF": f"refs/heads/{branch}",
        "GITHUB_SHA": git.tip(branch),
    }
    return scenario.optimize({**place, **(environ or {})}, **{"commit": "pull-request", **inputs})


@pytest.mark.parametrize("event", ["push", "schedule", "workflow_dispatch", "repository_dispatch"])
def test_a_pull_request_with_what_was_written(
    scenario: Scenario, git: GitRepository, event: str
) -> None:
    assert optimize(scenario, git, event=event) == 0
    assert scenario.outputs["pull-request"] == PULL_REQUEST
    assert scenario.outputs["commit"] == git.tip(BRANCH)
    folder = scenario.root / ".steady"
    written = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    committed = git.files(BRANCH)
    assert set(committed) == {"README.md", *(f".steady/{name}" for name in written)}
    for name, path in written.items():
        assert git.git("hash-object", str(path)) == git.git("rev-parse", f"{BRANCH}:.steady/{name}")
    assert "jmh/1.args" in written
    [pull] = git.pulls
    receipt = written["receipt.md"].read_text().strip()
    marker = "<!-- steady:default:plan-pull-request -->"
    assert pull["body"] == f"{marker}\n{receipt}\n"
    assert pull["title"] == "Update the benchmark plan"
    assert f"commit: opened a pull request: {PULL_REQUEST}" in scenario.log
    assert f"Opened a pull request. <{PULL_REQUEST}>" in scenario.summary


def test_a_run_on_a_tag_means_the_default_branch(scenario: Scenario, git: GitRepository) -> None:
    assert optimize(scenario, git, {"GITHUB_REF": "refs/tags/v1.0.0"}, event="push") == 0
    assert git.pulls[0]["base"]["ref"] == "main"


def test_the_same_results_again_push_nothing(scenario: Scenario, git: GitRepository) -> None:
    optimize(scenario, git)
    tip = git.tip(BRANCH)
    assert optimize(scenario, git) == 0
    assert git.tip(BRANCH) == tip
    assert scenario.outputs["commit"] == ""
    assert scenario.outputs["pull-request"] == PULL_REQUEST
    assert "commit: the pull request is up to date" in scenario.log


def test_a_push_to_a_branch_and_the_run_that_it_starts(
    scenario: Scenario, git: GitRepository, github: StandIn
) -> None:
    assert optimize(scenario, git, commit="branch:main", event="push") == 0
    tip = git.tip("main")
    assert scenario.outputs["commit"] == tip
    assert scenario.outputs["pull-request"] == ""
    # A personal token's push starts the workflow again, with other measurements.
    (scenario.root / ".steady/plan.json").unlink()
    github.requests.clear()
    assert optimize(scenario, git, commit="branch:main", event="push", budget="10%") == 0
    assert git.tip("main") == tip
    assert "this run was started by a commit of steady's own" in scenario.log
    assert "the files are in .steady" in scenario.log
    assert [r.method for r in github.requests] == ["GET"]
    assert optimize(scenario, git, commit="branch:main", event="schedule", budget="10%") == 0
    assert git.tip("main") != tip


def test_a_merge_of_our_pull_request_starts_no_new_one(
    scenario: Scenario, git: GitRepository
) -> None:
    optimize(scenario, git)
    ours = git.tip(BRANCH)
    git.pulls[0]["state"] = "closed"
    git.push("main", {".steady/plan.json": "{}\n"}, "Merge pull request #100\n", merge=ours)
    assert optimize(scenario, git, event="push", budget="10%") == 0
    assert len(git.pulls) == 1
    assert "this run was started by a commit of steady's own" in scenario.log


@pytest.mark.parametrize("event", ["push", "workflow_dispatch"])
def test_a_run_on_our_own_branch_commits_nothing(
    scenario: Scenario, git: GitRepository, github: StandIn, event: str
) -> None:
    git.git("branch", BRANCH, "main")
    assert optimize(scenario, git, event=event, branch=BRANCH) == 0
    assert f"this run is on `{BRANCH}`, which is steady's own" in scenario.log
    assert github.requests == []


@pytest.mark.parametrize("fork", [True, False])
@pytest.mark.parametrize("event", ["pull_request", "pull_request_target"])
def test_a_pull_request_commits_nothing(
    scenario: Scenario, git: GitRepository, github: StandIn, event: str, fork: bool
) -> None:
    """Our own pull request, for one, if a personal token opened it."""
    write_event(scenario.root / EVENT_FILE, fork=fork)
    ref = {"GITHUB_REF": "refs/pull/7/merge"}
    assert optimize(scenario, git, ref, event=event, comment="never") == 0
    assert f"the event `{event}` may belong to a proposal" in scenario.log
    assert github.requests == []
    assert (scenario.root / ".steady/plan.json").is_file()


def test_without_a_token_it_is_a_dry_run(
    scenario: Scenario, git: GitRepository, github: StandIn
) -> None:
    assert optimize(scenario, git, {"INPUT_TOKEN": ""}) == 0
    assert "Nothing is committed; the files are in .steady" in scenario.log
    assert github.requests == []


def test_nothing_is_asked_for(scenario: Scenario, git: GitRepository, github: StandIn) -> None:
    assert optimize(scenario, git, commit="false") == 0
    assert github.requests == []
    assert "commit" not in scenario.outputs


def test_the_message_is_the_title_too(scenario: Scenario, git: GitRepository) -> None:
    optimize(scenario, git, commit_message="perf: plan")
    assert git.message(BRANCH).splitlines()[0] == "perf: plan" == git.pulls[0]["title"]


def test_suites_have_branches_of_their_own(scenario: Scenario, git: GitRepository) -> None:
    for key in ("core", "web"):
        assert optimize(scenario, git, key=key, out=f"{key}/.steady") == 0
    assert {p["head"]["ref"] for p in git.pulls} == {"steady/plan-core", "steady/plan-web"}
    assert set(git.files("steady/plan-web")) >= {"web/.steady/plan.json", "README.md"}
    assert "core/.steady/plan.json" not in git.files("steady/plan-web")


def test_a_checkout_in_a_folder_of_its_own(scenario: Scenario, git: GitRepository) -> None:
    (scenario.root / "checkout/.git").mkdir(parents=True)
    assert optimize(scenario, git, out="checkout/bench/.steady") == 0
    assert "bench/.steady/plan.json" in git.files(BRANCH)


@pytest.mark.parametrize(
    ("method", "path", "message", "sentence"),
    [
        (
            "POST", "/git/trees$", "Resource not accessible by integration",
            "Not committed: the token may not write the files (403): add `permissions: contents: "
            "write` to the job; the files are in .steady: keep them with actions/upload-artifact.",
        ),
        (
            "POST", "/pulls$",
            "GitHub Actions is not permitted to create or approve pull requests.",
            "Not committed: GitHub Actions may not open pull requests here (403): allow it in the "
            "repository's settings, under Actions, General, Workflow permissions",
        ),
        (
            "GET", "/git/commits/", "Resource not accessible by integration",
            "Not committed: the token may not read ",
        ),
    ],
)  # fmt: skip
def test_a_commit_that_cannot_be_made_fails_the_job(
    scenario: Scenario,
    git: GitRepository,
    github: StandIn,
    method: str,
    path: str,
    message: str,
    sentence: str,
) -> None:
    github.fail(method, path, 403, message=message, times=9)
    assert optimize(scenario, git, event="push") == 1
    assert f"::error title=steady::{sentence}" in scenario.log
    assert "Not committed: " in scenario.summary
    assert scenario.outputs["plan"] == ".steady/plan.json"
    assert scenario.outputs.get("commit", "") == (git.tip(BRANCH) or "")
    assert (scenario.root / ".steady/plan.json").is_file()


def test_a_protected_branch(scenario: Scenario, git: GitRepository) -> None:
    git.rules["main"] = (422, "Repository rule violations found\n\n::set-output name=a::b")
    assert optimize(scenario, git, commit="branch:main") == 1
    [line] = [line for line in scenario.log.splitlines() if line.startswith("::error")]
    assert "branch `main` is protected (422: Repository rule violations found ::set-output" in line
    assert "write `commit: pull-request`" in line


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"commit": "true"}, "input `commit`: expected `false`, `pull-request` or `branch:`"),
        ({"commit": "branch:refs/heads/x.lock"}, "input `commit`: expected"),
        ({"commit": "branch:a\u202eb"}, "input `commit`: expected"),
        ({"key": "x.lock"}, "input `key`: 'x.lock' cannot end a branch's name"),
        ({"commit_message": "a\n\nSteady-Plan: x"}, "input `commit-message`: expected one line"),
        ({"out": "../outside"}, "leads out of the workspace"),
    ],
)
def test_a_mistake_is_one_sentence(
    scenario: Scenario, git: GitRepository, github: StandIn, inputs: dict[str, str], words: str
) -> None:
    assert optimize(scenario, git, **inputs) == 2
    (line,) = [line for line in scenario.log.splitlines() if line.startswith("::")]
    assert words in line
    assert github.requests == []


def test_hostile_names_and_the_token_stay_what_they_are(
    scenario: Scenario, git: GitRepository
) -> None:
    hostile = {"x": "</details>|`@everyone` <!-- steady:default:plan -->"}
    records = [record("org.example.Bench.alpha", series(1, 5, 60), params=hostile)]
    path = scenario.root / "results/hostile.json"
    path.write_text(json.dumps(records))
    assert optimize(scenario, git, results="results/hostile.json") == 0
    body = git.pulls[0]["body"]
    assert "everyone" in body
    assert "<!-- steady:default:plan -->" not in body
    outside = re.sub(r"(`+)[^`].*?[^`]?\1(?!`)", "", body)
    assert "@everyone" not in outside
    assert outside.count("<details>") == outside.count("</details>")
    assert TOKEN not in scenario.log + scenario.summary + body + str(scenario.outputs)


def test_what_lies_in_another_checkout_is_refused(tmp_path: Path) -> None:
    for name in ("ours", "theirs"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / "plan.json").write_text("{}")
    written = (tmp_path / "theirs" / "plan.json",)
    with pytest.raises(InputError, match="is outside the repository"):
        configuration(Workspace(tmp_path), tmp_path / "ours", written)
