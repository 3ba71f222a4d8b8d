"""Mode ``optimize`` commits its files: the whole action with a real repository."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from action_scenario import TOKEN, Scenario
from standin import REPOSITORY, StandIn
from standin_git import GitRepository

from steady.action.optimize import configuration
from steady.action.workspace import Workspace
from steady.errors import InputError
from tests.looped import looped

BRANCH = "steady/plan-default"
PULL_REQUEST = f"https://github.test/{REPOSITORY}/pull/100"


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
        "GITHUB_SERVER_URL": "https://github.test",
    }
    return scenario.optimize({**place, **(environ or {})}, **{"commit": "pull-request", **inputs})


def check_out(scenario: Scenario, git: GitRepository, branch: str = "main") -> None:
    """Check out a branch's plan in the workspace, as a separate job does."""
    shutil.rmtree(scenario.root / ".steady", ignore_errors=True)
    for name, content in git.files(branch).items():
        if name.startswith(".steady/"):
            (scenario.root / name).parent.mkdir(parents=True, exist_ok=True)
            (scenario.root / name).write_text(f"{content}\n")


def test_a_pull_request_with_the_written_files(scenario: Scenario, git: GitRepository) -> None:
    assert optimize(scenario, git) == 0
    assert scenario.outputs["pull-request"] == PULL_REQUEST
    assert scenario.outputs["commit"] == git.tip(BRANCH)
    folder = scenario.root / ".steady"
    written = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    page = written.pop("report.html")  # the workflow uploads it as an artifact
    assert "<title>Plan: " in page.read_text(encoding="utf-8")
    assert f"page: {page}" in scenario.log
    committed = git.files(BRANCH)
    assert set(committed) == {"README.md", "src/A.java", *(f".steady/{name}" for name in written)}
    for name, path in written.items():
        assert git.git("hash-object", str(path)) == git.git("rev-parse", f"{BRANCH}:.steady/{name}")
    assert "jmh/1.args" in written
    assert {"plan.md", "plan-light.svg", "plan-dark.svg", ".gitattributes"} <= set(written)
    [pull] = git.pulls
    receipt = written["receipt.md"].read_text().strip()
    marker = "<!-- steady:default:plan-pull-request -->"
    # Relative links do not work in a description; a permalink never changes.
    at = f"https://github.test/{REPOSITORY}/blob/{git.tip(BRANCH)}/.steady"
    for name in ("plan-light.svg", "plan-dark.svg"):
        receipt = receipt.replace(f'"{name}"', f'"{at}/{name}?raw=true"')
    assert pull["body"] == f"{marker}\n{receipt}\n"
    assert pull["body"].count(at) == 2
    assert pull["title"] == "Update the benchmark plan"
    assert TOKEN not in scenario.log + scenario.summary + str(scenario.outputs) + pull["body"]
    assert f"commit: opened a pull request: {PULL_REQUEST}" in scenario.log
    assert f"Opened a pull request. <{PULL_REQUEST}>" in scenario.summary

    for event in ("push", "schedule", "repository_dispatch"):  # the same results push nothing
        tip = git.tip(BRANCH)
        check_out(scenario, git)
        assert optimize(scenario, git, event=event) == 0
        assert git.tip(BRANCH) == tip
        assert (scenario.outputs["commit"], scenario.outputs["pull-request"]) == ("", PULL_REQUEST)
        assert "commit: the pull request is up to date" in scenario.log


def test_a_second_plan_reports_the_differences_to_the_first(
    scenario: Scenario, git: GitRepository
) -> None:
    optimize(scenario, git)
    assert "last plan" not in git.pulls[0]["body"]
    first = git.tip(BRANCH)
    git.pulls[0]["state"] = "closed"
    git.push("main", {}, "Merge pull request #100\n", merge=first)
    git.git("update-ref", "refs/heads/main", str(first))
    git.git("update-ref", "-d", f"refs/heads/{BRANCH}")
    check_out(scenario, git)
    assert optimize(scenario, git, event="schedule") == 0
    assert len(git.pulls) == 1, "the same results propose no change"
    assert "No benchmark's run changed since the last plan." in scenario.summary

    check_out(scenario, git)
    assert optimize(scenario, git, event="schedule", budget="30%") == 0
    assert "and `report.html` shows the forks of each" in scenario.summary
    body = git.pulls[1]["body"].replace("\xa0", " ")
    assert "**What changed:** Compared with the last plan, " in body
    assert "Options of the plan that differ: budget." in body
    assert re.search(r"One run takes [\d.]+ s instead of [\d.]+ s\.", body)
    [said] = re.findall(r"Compared with the last plan, .*", scenario.summary.replace("\xa0", " "))
    assert said in body
    assert "<picture>" not in scenario.summary
    assert "In `.steady`, `plan.md` lists all benchmarks" in scenario.summary
    table = "<details><summary>Each benchmark that changed</summary>\n\n| benchmark | last plan |"
    assert table in body
    # The commit does not depend on other plans, so the same plan gives the same commit.
    assert "last plan" not in git.files(BRANCH)[".steady/receipt.md"]
    assert "last plan" not in git.files(BRANCH)[".steady/plan.md"]


def test_an_invalid_earlier_plan_is_reported_and_replaced(
    scenario: Scenario, git: GitRepository
) -> None:
    git.push("main", {".steady/plan.json": '{"steady_plan": 9}\n'})
    check_out(scenario, git)
    assert optimize(scenario, git) == 0
    [pull] = git.pulls
    assert "**What changed:** The last plan cannot be compared: " in pull["body"]
    assert '"steady_plan": 1' in git.files(BRANCH)[".steady/plan.json"]


@pytest.mark.parametrize("checked_out", [True, False])
def test_a_users_gitattributes_are_kept_and_ours_are_replaced(
    scenario: Scenario, git: GitRepository, *, checked_out: bool
) -> None:
    """The committing job usually has no checkout, so the current files are fetched from GitHub."""
    path = ".steady/.gitattributes"
    for theirs in ("*.args text", "# Generated by steady: in another way\n/x linguist-generated"):
        git.push("main", {path: f"{theirs}\n"})
        git.git("update-ref", "-d", f"refs/heads/{BRANCH}")
        git.pulls.clear()
        shutil.rmtree(scenario.root / ".steady", ignore_errors=True)
        if checked_out:
            check_out(scenario, git)
        assert optimize(scenario, git) == 0
        committed = git.files(BRANCH)[path]
        if theirs.startswith("*"):
            assert committed == theirs
            assert ("was not written by steady and is kept" in scenario.log) == checked_out
        else:
            assert "/plan.json linguist-generated" in committed
            assert "in another way" not in committed


def test_the_run_started_by_our_push_commits_nothing(
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
    assert "this run was triggered by a commit of steady" in scenario.log
    assert "the files are in .steady" in scenario.log
    assert [r.method for r in github.requests] == ["GET"]
    assert optimize(scenario, git, commit="branch:main", event="schedule", budget="10%") == 0
    assert git.tip("main") != tip


def test_merging_our_pull_request_opens_no_new_one(scenario: Scenario, git: GitRepository) -> None:
    optimize(scenario, git)
    ours = git.tip(BRANCH)
    git.pulls[0]["state"] = "closed"
    git.push("main", {".steady/plan.json": "{}\n"}, "Merge pull request #100\n", merge=ours)
    assert optimize(scenario, git, event="push", budget="10%") == 0
    assert len(git.pulls) == 1
    assert "this run was triggered by a commit of steady" in scenario.log


@looped(
    ("event", "branch", "inputs", "words"),
    [
        *(
            (event, BRANCH, {}, f"this run is on `{BRANCH}`, a branch of steady")
            for event in ("push", "workflow_dispatch")
        ),
        *(
            (
                event,
                "main",
                {"comment": "never"},
                f"the event `{event}` may belong to a pull request",
            )
            for event in ("pull_request", "pull_request_target", "issue_comment")
        ),
        ("push", "main", {"token": ""}, "Nothing is committed; the files are in .steady"),
        ("push", "main", {"commit": "false"}, "plan: "),
    ],
)
def test_nothing_is_committed(
    scenario: Scenario,
    git: GitRepository,
    github: StandIn,
    event: str,
    branch: str,
    inputs: dict[str, str],
    words: str,
) -> None:
    if branch not in git.tips():
        git.git("branch", branch, "main")
    assert optimize(scenario, git, event=event, branch=branch, **inputs) == 0
    assert words in scenario.log
    assert "commit" not in scenario.outputs
    assert github.requests == []
    assert (scenario.root / ".steady/plan.json").is_file()


def test_suites_have_separate_branches(scenario: Scenario, git: GitRepository) -> None:
    for key in ("core", "web"):
        inputs = {"key": key, "out": f"{key}/.steady", "commit_message": f"perf: {key}"}
        assert optimize(scenario, git, **inputs) == 0
    assert {p["head"]["ref"] for p in git.pulls} == {"steady/plan-core", "steady/plan-web"}
    assert git.message("steady/plan-web").startswith("perf: web\n")
    assert [pull["title"] for pull in git.pulls] == ["perf: core", "perf: web"]
    assert set(git.files("steady/plan-web")) >= {"web/.steady/plan.json", "README.md"}
    assert "core/.steady/plan.json" not in git.files("steady/plan-web")


def test_a_checkout_in_a_subfolder_at_a_tag_is_committed(
    scenario: Scenario, git: GitRepository
) -> None:
    (scenario.root / "checkout/.git").mkdir(parents=True)
    place = {"GITHUB_REF": "refs/tags/v1.0.0"}
    assert optimize(scenario, git, place, event="push", out="checkout/bench/.steady") == 0
    assert "bench/.steady/plan.json" in git.files(BRANCH)
    assert git.pulls[0]["base"]["ref"] == "main"


def test_a_failed_commit_fails_the_job(
    scenario: Scenario, git: GitRepository, github: StandIn
) -> None:
    """See `docs/committing.md` for all reasons."""
    integration = "Resource not accessible by integration"
    for method, path in (("GET", "/git/commits/"), ("POST", "/pulls$")):
        github.fail(method, path, 403, message=integration)
        assert optimize(scenario, git, event="push") == 1
        assert "::error title=steady::Not committed: the token may not " in scenario.log
        assert "Not committed: " in scenario.summary
        assert scenario.outputs["plan"] == ".steady/plan.json"
        assert scenario.outputs.get("commit", "") == (git.tip(BRANCH) or "")
    assert git.tip(BRANCH) is not None


def test_files_in_another_checkout_are_rejected(tmp_path: Path) -> None:
    for name in ("ours", "theirs"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / "plan.json").write_text("{}")
    written = (tmp_path / "theirs" / "plan.json",)
    with pytest.raises(InputError, match="is outside the repository"):
        configuration(Workspace(tmp_path), tmp_path / "ours", written)


ANNOTATED = """package org.example;

import org.openjdk.jmh.annotations.Benchmark;

public class Bench {
    @Benchmark public void alpha() { }
    @Benchmark public void beta() { }
    @Benchmark public void gamma() { }
}
"""


def test_annotated_sources_are_committed_and_their_patch_is_not(
    scenario: Scenario, git: GitRepository
) -> None:
    path = "src/Bench.java"
    git.push("main", {path: ANNOTATED})
    (scenario.root / ".git").mkdir()  # paths are relative to the checkout
    (scenario.root / "src").mkdir()
    (scenario.root / path).write_text(ANNOTATED)
    assert optimize(scenario, git, annotations="src") == 0
    patch = (scenario.root / ".steady" / "annotations.patch").read_text()
    assert f"--- a/{path}\n" in patch
    committed = git.files(BRANCH)
    assert ".steady/annotations.patch" not in committed
    assert "import org.openjdk.jmh.annotations.Warmup;" in committed[path]
    assert "@Fork(" in committed[path]
    assert (scenario.root / path).read_text() == ANNOTATED, "the checkout stays unchanged"

    tip = git.tip(BRANCH)
    assert optimize(scenario, git, annotations="src") == 0
    assert git.tip(BRANCH) == tip
    # The source was changed on the branch after the checkout.
    git.push("main", {path: ANNOTATED.replace("beta", "delta")})
    assert optimize(scenario, git, annotations="src", commit="branch:main", budget="10%") == 0
    assert git.files("main")[path] == ANNOTATED.replace("beta", "delta").rstrip()
    assert f"skipped files that changed since this run began: {path}" in scenario.log


def test_sources_outside_the_workspace_are_rejected(scenario: Scenario, git: GitRepository) -> None:
    (scenario.root / "way").symlink_to(scenario.root.parent)
    for path, message in (
        ("../x", "is outside"),
        ("way", "is outside"),
        ("no", "does not exi"),
    ):
        assert optimize(scenario, git, annotations=path) == 2
        assert message in scenario.log
