"""Recording and finding baselines in a job, with Git over HTTP and the job's token."""

import shutil

from action_scenario import EVENT_FILE, TOKEN, Scenario, write_event
from history_scenario import Job
from written_runs import NAMES, write_run

from steady.compare.bounds import NOTE
from tests.looped import looped


def test_record_on_main_and_compare_on_a_pull_request(job: Job) -> None:
    commits = [job.commit() for _ in range(3)]
    change = job.commit("topic")
    assert job.record(commits[1], 1, key="other") == 0
    assert job.compare(change, 2) == 1
    assert job.scenario.outputs["verdict"] == "incomplete"
    assert "No baseline: the history has no results of suite default" in job.scenario.summary
    assert job.compare(change, 2, fail_on="regression") == 0

    job.github.requests.clear()
    job.github.comments.clear()
    assert job.record(commits[0], 3) == 0
    assert "recorded suite default at commit" in job.scenario.summary
    assert job.record(commits[0], 3) == 0
    assert "is already in branch steady-data" in job.scenario.log
    assert sorted(str(entry["run"]) for entry in job.recorded()) == ["1-1", "3-1"]
    assert job.github.requests == []

    assert job.compare(change, 4) == 0
    assert job.scenario.outputs["verdict"] == "unchanged"
    words = f"Baseline: commit {commits[0][:12]}, 2 commits before the merge base {commits[2][:12]}"
    assert words in job.scenario.log
    for text in (job.github.bodies()[0], job.scenario.summary):
        assert f"commit {commits[0][:12]}, 2 commits before the merge base" in text
    assert TOKEN not in job.scenario.log + job.scenario.summary


def test_a_different_environment_is_reported_or_rejected(job: Job) -> None:
    first, second = job.commit(), job.commit()
    assert job.record(first, 1, history="kept") == 0
    # A push is compared with the previous commit.
    assert job.compare(second, 2, target="", history="kept") == 0
    assert f"Baseline: commit {first[:12]}, 1 commit before {second[:12]}." in job.scenario.log
    write_run(job.root / "results/head.json", jdkVersion="22.0.1")
    assert job.compare(second, 3, history="kept") == 0
    assert "It ran in a different environment (JDK: 21.0.5 there, 22.0.1 here)" in job.scenario.log
    assert job.compare(second, 4, history="kept", environment="require-same") == 1
    assert job.scenario.outputs["verdict"] == "incomplete"


KEEP = {"mode": "record", "results": "results/head.json", "history": "kept"}
ON_MAIN = {
    "GITHUB_EVENT_NAME": "push",
    "GITHUB_REF": "refs/heads/main",
    "GITHUB_SHA": "c" * 40,
}
PROPOSALS = (
    *("issue_comment", "merge_group", "workflow_dispatch", "repository_dispatch"),
    *("pull_request", "pull_request_target"),
)


@looped(
    ("environ", "why"),
    [
        *(({"GITHUB_EVENT_NAME": name}, f"the event `{name}` may belong to") for name in PROPOSALS),
        ({"GITHUB_REF": "refs/heads/topic"}, "this run is on `topic`, and the default branch is"),
        ({"GITHUB_REF": "refs/tags/v1"}, "this run is on no branch, and the default branch is"),
        ({"GITHUB_EVENT_PATH": None}, "this run is on `main`, and the default branch is not known"),
        ({"GITHUB_SHA": "d" * 40}, "commit cccccccccccc is checked out, but the event belongs to"),
    ],
)
def test_possibly_untrusted_results_are_recorded_only_on_request(
    scenario: Scenario, environ: dict[str, str | None], why: str
) -> None:
    kept = scenario.root / "kept"
    shutil.rmtree(kept, ignore_errors=True)
    (scenario.root / ".git").mkdir(exist_ok=True)
    (scenario.root / ".git/HEAD").write_text(f"{'c' * 40}\n")
    assert scenario.run(KEEP, {**ON_MAIN, **environ}) == 0
    assert f"::warning title=steady::Nothing is recorded: {why}" in scenario.log
    assert "set `record-on: anything`" in scenario.log
    assert not kept.exists()
    assert scenario.run({**KEEP, "record_on": "anything"}, {**ON_MAIN, **environ}) == 0
    assert len(list(kept.glob("entries/*/*.json"))) == 1


def test_a_scheduled_run_is_recorded_and_nothing_of_a_fork(scenario: Scenario) -> None:
    write_event(scenario.root / EVENT_FILE, fork=True)
    of_a_fork = {**ON_MAIN, "GITHUB_EVENT_NAME": "pull_request"}
    assert scenario.run({**KEEP, "record_on": "anything"}, of_a_fork) == 0
    assert "::notice title=steady::Nothing is recorded: the pull request comes" in scenario.log
    assert not (scenario.root / "kept").exists()
    # The event of a schedule need not describe the repository.
    (scenario.root / EVENT_FILE).write_text('{"schedule": "0 3 * * *"}')
    assert scenario.run(KEEP, {**ON_MAIN, "GITHUB_EVENT_NAME": "schedule"}) == 0
    assert len(list((scenario.root / "kept").glob("entries/*/*.json"))) == 1


def test_untrusted_runs_do_not_affect_the_variance(job: Job) -> None:
    began = job.commit()
    assert job.record(began, 0, history="kept") == 0
    strangers = job.commit("stranger")
    for run in range(1, 7):
        write_run(job.root / "results/run.json", dict.fromkeys(NAMES, 1.0 if run % 2 else 9.0))
        asked = {"history": "kept", "record_on": "anything", "results": "results/run.json"}
        assert job.run("record", strangers, run, event="issue_comment", **asked) == 0
    job.repository.git("checkout", "--quiet", "-B", "main", began)
    write_run(job.root / "results/head.json", dict.fromkeys(NAMES, 3.0))
    assert job.compare(job.commit("topic"), 9, history="kept") == 1
    assert job.scenario.outputs["regressions"] == "3"
    assert "history: 1 run in the same environment;" in job.scenario.log


RESTLESS = (1.0, 1.1, 0.95, 1.2, 0.9, 1.05)
"""Slowdown of each recorded run of one version."""


def test_variation_between_runs_is_no_change_once_it_is_estimated(job: Job) -> None:
    began = [job.commit() for _ in RESTLESS]
    change = job.commit("topic")
    for run, (commit, factor) in enumerate(zip(began, RESTLESS, strict=True)):
        assert job.record(commit, run, factor, history="kept") == 0
        write_run(job.root / "results/head.json", dict.fromkeys(NAMES, 1.15))
        if run == 2:
            assert job.compare(change, 7, history="kept") == 1
            assert "history: 3 runs in the same environment; at least 5" in job.scenario.log
    for given in ({"history": "kept"}, {"history": "kept", "base": "results/base.json"}):
        write_run(job.root / "results/head.json", dict.fromkeys(NAMES, 1.15))
        assert job.compare(change, 8, **given) == 0, job.scenario.log
        assert job.scenario.outputs["verdict"] == "unclear"
        assert job.scenario.outputs["unclear"] == "3"
        assert "history: 6 runs in the same environment\n" in job.scenario.log
        assert NOTE in job.github.bodies()[0]
        assert job.compare(change, 8, fail_on="unclear", **given) == 1
        write_run(job.root / "results/head.json", dict.fromkeys(NAMES, 9.0))
        assert job.compare(change, 9, **given) == 1
        assert job.scenario.outputs["regressions"] == "3"
