"""Recording and finding baselines as a job does, with Git over HTTP and the job's token."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import standin
from action_scenario import EVENT_FILE, TOKEN, Scenario, write_event
from git_scenario import git_server, run_git
from history_scenario import HEADER, Job
from written_runs import NAMES, write_run

from steady.compare.bounds import NOTE
from tests.looped import looped


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    """Serve a repository, and a stand-in for GitHub's API."""
    with git_server(tmp_path, HEADER) as (server, _), standin.github() as github:
        yield Job(tmp_path, server, github)


def test_record_on_main_and_compare_on_a_pull_request(job: Job) -> None:
    commits = [job.commit() for _ in range(3)]
    assert job.record(commits[0], 1) == 0
    assert "recorded suite default at commit" in job.scenario.summary
    assert job.record(commits[0], 1) == 0
    assert "is in branch steady-data already" in job.scenario.log
    assert [entry["run"] for entry in job.recorded()] == ["1-1"]
    assert job.github.requests == []

    change = job.commit("topic")
    assert job.compare(change, 2) == 0
    assert job.scenario.outputs["verdict"] == "unchanged"
    words = f"Baseline: commit {commits[0][:12]}, 2 commits before the merge base {commits[2][:12]}"
    assert words in job.scenario.log
    for text in (job.github.bodies()[0], job.scenario.summary):
        assert f"commit {commits[0][:12]}, 2 commits before the merge base" in text
    assert TOKEN not in job.scenario.log + job.scenario.summary


def test_the_merge_base_is_the_baseline_not_the_tip_of_main(job: Job) -> None:
    began = job.commit()
    assert job.record(began, 1) == 0
    change = job.commit("topic")
    job.repository.git("checkout", "--quiet", "--detach", began)
    tip = job.commit()
    assert job.record(tip, 2, factor=2.0) == 0
    assert job.compare(change, 3) == 0
    assert f"Baseline: commit {began[:12]}, the merge base." in job.scenario.log
    # What actions/checkout takes by default is the merge with the tip: there the tip is the base.
    job.repository.git("merge", "--quiet", "--no-ff", "-m", "merge", change)
    merge = job.repository.git("rev-parse", "HEAD")
    job.repository.git("push", "--quiet", "origin", "HEAD:refs/pull/7/merge")
    (job.root / ".git").mkdir()
    (job.root / ".git/HEAD").write_text(f"{merge}\n")
    job.compare(change, 4)
    assert f"Baseline: commit {tip[:12]}, the merge base." in job.scenario.log


def test_without_a_baseline_nothing_is_green(job: Job) -> None:
    commit = job.commit()
    change = job.commit("topic")
    assert job.compare(change, 1) == 1
    assert job.scenario.outputs["verdict"] == "incomplete"
    assert "No baseline: the history has no results of suite default" in job.scenario.summary
    assert job.compare(change, 1, fail_on="regression") == 0
    assert job.record(commit, 2, key="other") == 0
    assert job.compare(change, 1) == 1


def test_other_surroundings_are_told_or_ruled_out(job: Job) -> None:
    commit = job.commit()
    assert job.record(commit, 1, history="kept") == 0
    change = job.commit("topic")
    write_run(job.root / "results/head.json", jdkVersion="22.0.1")
    assert job.compare(change, 2, history="kept") == 0
    assert "It ran in other surroundings (JDK: 21.0.5 there, 22.0.1 here)" in job.scenario.log
    assert job.compare(change, 2, history="kept", environment="require-same") == 1
    assert job.scenario.outputs["verdict"] == "incomplete"


def test_a_push_is_compared_with_what_was_before(job: Job) -> None:
    first, second = job.commit(), job.commit()
    assert job.record(first, 1) == 0
    assert job.record(second, 2) == 0
    assert job.compare(second, 3, target="") == 0
    assert f"Baseline: commit {first[:12]}, 1 commit before {second[:12]}." in job.scenario.log


def test_nothing_of_a_fork_is_recorded(job: Job) -> None:
    write_event(job.root / EVENT_FILE, fork=True)
    commit = job.commit()
    assert job.run("record", commit, 1, target="main", results="results/head.json") == 0
    assert "::notice title=steady::Nothing is recorded: the pull request comes" in job.scenario.log
    assert run_git(job.repository.bare, "branch", "--list", "steady-data") == ""


KEEP = {"mode": "record", "results": "results/head.json", "history": "kept"}
ON_MAIN = {
    "GITHUB_EVENT_NAME": "push",
    "GITHUB_REF": "refs/heads/main",
    "GITHUB_SHA": "c" * 40,
}
PROPOSALS = ("issue_comment", "merge_group", "workflow_dispatch", "repository_dispatch")


@pytest.mark.parametrize(
    ("environ", "why"),
    [
        *(({"GITHUB_EVENT_NAME": name}, f"the event `{name}` may belong to") for name in PROPOSALS),
        ({"GITHUB_EVENT_NAME": "pull_request"}, "the event `pull_request` may belong to"),
        ({"GITHUB_EVENT_NAME": "pull_request_target"}, "the event `pull_request_target` may"),
        ({"GITHUB_REF": "refs/heads/topic"}, "this run is on `topic`, and the default branch is"),
        ({"GITHUB_REF": "refs/tags/v1"}, "this run is on no branch, and the default branch is"),
        ({"GITHUB_EVENT_PATH": None}, "this run is on `main`, and the default branch is not known"),
        (
            {"GITHUB_SHA": "d" * 40},
            "commit cccccccccccc is checked out, and the event is about commit dddddddddddd",
        ),
    ],
)
def test_what_may_be_a_strangers_is_recorded_only_where_that_is_asked_for(
    tmp_path: Path, environ: dict[str, str | None], why: str
) -> None:
    scenario = Scenario(tmp_path / "workspace", "https://api.github.example")
    (scenario.root / ".git").mkdir()
    (scenario.root / ".git/HEAD").write_text(f"{'c' * 40}\n")
    assert scenario.run(KEEP, {**ON_MAIN, **environ}) == 0
    assert f"::warning title=steady::Nothing is recorded: {why}" in scenario.log
    assert "ask for it with `record-on: anything`" in scenario.log
    assert not (scenario.root / "kept").exists()
    assert scenario.run({**KEEP, "record_on": "anything"}, {**ON_MAIN, **environ}) == 0
    assert len(list((scenario.root / "kept").glob("entries/*/*.json"))) == 1


def test_a_scheduled_run_is_recorded(tmp_path: Path) -> None:
    scenario = Scenario(tmp_path / "workspace", "https://api.github.example")
    # The event of a schedule need not describe the repository.
    (scenario.root / EVENT_FILE).write_text('{"schedule": "0 3 * * *"}')
    assert scenario.run(KEEP, {**ON_MAIN, "GITHUB_EVENT_NAME": "schedule"}) == 0
    assert len(list((scenario.root / "kept").glob("entries/*/*.json"))) == 1


@pytest.mark.parametrize("given", [{}, {"base": "results/base.json"}])
def test_a_strangers_runs_teach_nothing(job: Job, given: dict[str, str]) -> None:
    began = job.commit()
    assert job.record(began, 0, history="kept") == 0
    strangers = job.commit("stranger")
    for run in range(1, 8):
        write_run(job.root / "results/run.json", dict.fromkeys(NAMES, 1.0 if run % 2 else 9.0))
        asked = {"history": "kept", "record_on": "anything", "results": "results/run.json"}
        assert job.run("record", strangers, run, event="issue_comment", **asked) == 0
    job.repository.git("checkout", "--quiet", "-B", "main", began)
    write_run(job.root / "results/head.json", dict.fromkeys(NAMES, 3.0))
    assert job.compare(job.commit("topic"), 9, history="kept", **given) == 1
    assert job.scenario.outputs["regressions"] == "3"
    assert "history: 1 runs on the same surroundings" in job.scenario.log


def test_a_history_in_a_folder_of_the_workspace(job: Job) -> None:
    commit = job.commit()
    assert job.record(commit, 1, history="kept") == 0
    assert (job.root / "kept/entries").is_dir()
    assert job.compare(job.commit("topic"), 2, history="kept") == 0
    assert "the merge base" in job.scenario.log
    assert job.record(commit, 1, history="../kept") == 2
    assert "leads out of the workspace" in job.scenario.log


def test_a_token_without_rights_is_one_sentence(job: Job) -> None:
    commit = job.commit()
    job.protect()
    assert job.record(commit, 1) == 2
    assert "does not let branch steady-data be pushed" in job.scenario.log
    assert job.record(commit, 1, token="ghs_another") == 2
    assert "add `permissions: contents: read` to the job" in job.scenario.summary
    assert "Traceback" not in job.scenario.log


@looped(
    ("environ", "inputs", "words"),
    [
        ({"GITHUB_SHA": ""}, {}, "which commit was measured is not known"),
        ({"GITHUB_REPOSITORY": ""}, {}, "the repository is not known"),
        ({"GITHUB_EVENT_NAME": "workflow_run"}, {}, "in a job on `workflow_run`"),
        ({}, {"history": "s3://bucket/x"}, "a branch's name, or a folder, got"),
        ({}, {"history": "git:a..b"}, "input `history`: expected `git:` and a branch's name"),
        ({}, {"results": "absent.json"}, "'absent.json' names no file"),
        ({}, {"comment": "never"}, "input `comment` is not used by mode `record`"),
    ],
)
def test_a_mistake_is_one_sentence(
    job: Job, environ: dict[str, str | None], inputs: dict[str, str], words: str
) -> None:
    given = {"mode": "record", "results": "results/head.json", **inputs}
    place: dict[str, str | None] = {"GITHUB_SERVER_URL": job.server, "GITHUB_EVENT_NAME": "push"}
    assert job.scenario.run(given, {**place, **environ}) == 2
    (line,) = [line for line in job.scenario.log.splitlines() if line.startswith("::")]
    assert words in line


RESTLESS = (1.0, 1.1, 0.95, 1.2, 0.9, 1.05)
"""How much slower each recorded run of one version came out."""


@pytest.mark.parametrize(
    "given", [{}, pytest.param({"base": "results/base.json"}, marks=pytest.mark.thorough)]
)
def test_what_runs_differ_by_is_not_called_a_change(job: Job, given: dict[str, str]) -> None:
    given = {"history": "kept", **given}
    for run, factor in enumerate(RESTLESS):
        assert job.record(job.commit(), run, factor, history="kept") == 0
    change = job.commit("topic")
    write_run(job.root / "results/head.json", dict.fromkeys(NAMES, 1.15))
    assert job.compare(change, 9, **given) == 0, job.scenario.log
    assert job.scenario.outputs["verdict"] == "unclear"
    assert "history: 6 runs on the same surroundings tell how much runs differ" in job.scenario.log
    assert NOTE in job.github.bodies()[0]
    write_run(job.root / "results/head.json", dict.fromkeys(NAMES, 9.0))
    assert job.compare(change, 10, **given) == 1
    assert job.scenario.outputs["regressions"] == "3"


def test_few_runs_do_not_tell_what_runs_differ_by(job: Job) -> None:
    for run, factor in enumerate(RESTLESS[:3]):
        assert job.record(job.commit(), run, factor, history="kept") == 0
    change = job.commit("topic")
    write_run(job.root / "results/head.json", dict.fromkeys(NAMES, 1.15))
    assert job.compare(change, 9, history="kept") == 1
    assert "history: 3 runs on the same surroundings; from 5 on" in job.scenario.log


def test_base_or_history_there_must_be(job: Job) -> None:
    assert job.scenario.run({"mode": "compare", "head": "results/head.json"}) == 2
    assert "input `base` is required by mode `compare`: give it, or `history`" in job.scenario.log
