"""The whole action in this process: files in, files and requests out."""

import re
import shutil
from datetime import date
from pathlib import Path

import pytest
from action_scenario import EVENT_FILE, TOKEN, Scenario, write_event
from standin import StandIn
from written_runs import NAMES, write_run

from steady.action.runner import OUTPUTS
from steady.cli import main
from tests.cli.shell import write_narrowed
from tests.looped import looped

MARKER = "<!-- steady:default -->"
METHOD = "docs/methods-compare.md of steady"


def test_an_unchanged_suite_passes(scenario: Scenario, github: StandIn) -> None:
    place = {"GITHUB_ACTION_REPOSITORY": "org/steady-action", "GITHUB_ACTION_REF": "v1"}
    assert scenario.compare({**place, "GITHUB_SERVER_URL": "https://github.test"}) == 0
    assert scenario.outputs == {
        "verdict": "unchanged",
        "regressions": "0",
        "improvements": "0",
        "unchanged": "3",
        "unclear": "0",
        "accepted": "0",
        "metric-regressions": "0",
        "missing": "0",
        "plan": "",
        "seconds-saved": "",
        "report": "steady-report/report.html",
    }
    (body,) = github.bodies()
    assert body.startswith(f"{MARKER}\n")
    assert body.splitlines()[2] == "### ✅ No change found in 3 benchmarks"
    assert "Head ccccccc · JDK 21.0.5" in body
    assert "Commit" not in body
    page = f"[{METHOD}](https://github.test/org/steady-action/blob/v1/docs/methods-compare.md)"
    for text in (body, scenario.summary):
        assert f"Method and rates of error: {page}." in text
    assert "No change found" in scenario.summary
    assert "verdict: unchanged" in scenario.log
    assert "no plan: .steady/plan.json does not exist" in scenario.log
    written = {path.name for path in (scenario.root / "steady-report").iterdir()}
    shown = {"comment.md", "summary.md", "report.html", "comparison.json"}
    assert written == shown | {"junit.xml"}  # for further steps of the job


def test_two_suites_have_separate_comments_which_are_updated(
    scenario: Scenario, github: StandIn
) -> None:
    for key in ("default", "core", "core"):
        scenario.compare(key=key)
    assert "comment up to date" in scenario.log
    assert github.sent("PATCH") == []
    assert [body.split("\n")[0] for body in github.bodies()] == [MARKER, "<!-- steady:core -->"]
    assert "Benchmarks: core" in github.bodies()[1]
    assert f"Method and rates of error: {METHOD}." in github.bodies()[0]


def test_a_regression_fails_the_job_and_is_resolved_later(
    scenario: Scenario, github: StandIn
) -> None:
    scenario.slow()
    assert scenario.compare(fail_on="never") == 0
    assert "\n::warning title=Benchmark regression::" in scenario.log
    assert scenario.compare() == 1
    assert scenario.outputs["verdict"] == "regression"
    assert scenario.outputs["regressions"] == "1"
    assert "\n::error title=Benchmark regression::" in scenario.log
    assert "::error title=steady::Failed because of `fail-on`: regression." in scenario.log
    assert "beta" in github.bodies()[0]
    assert "Resolved" not in github.bodies()[0]

    scenario.slow(1.0)
    assert scenario.compare(comment="regressions") == 0  # an existing comment is updated
    (body,) = github.bodies()
    lines = [line for line in body.splitlines() if line]
    assert lines[2] == "### ✅ No change found in 3 benchmarks"
    assert lines[3] == "**Resolved: the previous run found a regression.**"

    scenario.slow(0.7)
    assert scenario.compare() == 0
    assert scenario.outputs["improvements"] == "1"
    assert "Resolved" not in github.bodies()[0]
    assert len(github.sent("POST", "/comments$")) == 1


def test_a_missing_benchmark_is_incomplete(scenario: Scenario, github: StandIn) -> None:
    write_run(scenario.root / "results/head.json", dict.fromkeys(NAMES[:2], 1.0))
    assert scenario.compare() == 1
    assert (scenario.outputs["verdict"], scenario.outputs["missing"]) == ("incomplete", "1")
    assert "gamma" in github.bodies()[0]
    # An additional regression does not hide it from a job that checks only completeness.
    write_run(scenario.root / "results/head.json", {NAMES[0]: 1.3, NAMES[1]: 1.0})
    assert scenario.compare(fail_on="incomplete") == 1
    assert scenario.outputs["verdict"] == "regression"
    assert scenario.compare(fail_on="not-comparable") == 0


def test_a_different_environment_prevents_a_verdict_if_configured(scenario: Scenario) -> None:
    write_run(scenario.root / "results/head.json", jdkVersion="22.0.1")
    assert scenario.compare() == 0
    assert "22.0.1" in scenario.summary
    assert scenario.compare(environment="require-same") == 1
    assert scenario.outputs["verdict"] == "not-comparable"
    assert "because of `fail-on`: not-comparable." in scenario.log


def test_optimize_then_compare_with_its_plan(scenario: Scenario, github: StandIn) -> None:
    assert scenario.optimize() == 0
    assert scenario.outputs["plan"] == ".steady/plan.json"
    assert scenario.outputs["report"] == ".steady/receipt.md"
    others = ("`compare`", "`record`", "`optimize` with `commit")
    assert set(scenario.outputs) == {
        output.name for output in OUTPUTS if not output.description.startswith(others)
    }
    assert float(scenario.outputs["seconds-saved"]) > 0
    assert (scenario.root / ".steady/jmh/1.args").stat().st_mode & 0o777 == 0o644
    written = (scenario.root / ".steady/receipt.md").read_text()
    before, after = re.split(r"<picture>.*?</picture>\n\n", written, flags=re.DOTALL)
    more = (
        "\nIn `.steady`, `plan.md` lists all benchmarks with a figure, and `report.html` "
        "shows the forks of each; keep the folder with actions/upload-artifact.\n"
    )
    assert scenario.summary == f"{before}{after}{more}"
    (receipt,) = github.bodies()
    assert receipt.startswith("<!-- steady:default:plan -->\n")
    assert "`report.html` shows the forks of each" in receipt

    saved = scenario.outputs["seconds-saved"]
    write_run(scenario.root / "results/base.json", dict.fromkeys(NAMES[:2], 1.0))
    write_run(scenario.root / "results/head.json", dict.fromkeys(NAMES[:2], 1.0))
    assert scenario.compare() == 1
    assert scenario.outputs["plan"] == ".steady/plan.json"
    assert scenario.outputs["seconds-saved"] == saved
    assert scenario.outputs["verdict"] == "incomplete"
    assert len(github.bodies()) == 2
    # Benchmarks outside the selection are not missing; a run of the whole suite lacks them.
    for only, verdict in (("alpha|beta", "unchanged"), (".", "incomplete")):
        write_narrowed(scenario.root / "results", only)
        assert scenario.compare() == (verdict == "incomplete")
        assert scenario.outputs["verdict"] == verdict
        assert ("limited by --only" in scenario.log) == (only != ".")


def test_optimize_makes_the_same_plan_as_the_command(scenario: Scenario) -> None:
    ways = {"detector": "flat", "similarity": "same", "unsteady": "reduce"}
    assert scenario.optimize() == 0
    usual = (scenario.root / ".steady/plan.json").read_text()
    for given in ({"min_forks": "3"}, *({name: value} for name, value in ways.items())):
        assert scenario.optimize(None, **given) == 0
        plan = (scenario.root / ".steady/plan.json").read_text()
        results = str(scenario.root / "results/full.json")
        out = scenario.root.parent / "command"
        words = [f"--{name.replace('_', '-')}={value}" for name, value in given.items()]
        assert main(["optimize", results, "--out", str(out), *words]) == 0
        assert plan == (out / "plan.json").read_text()
        assert plan != usual
    assert scenario.optimize(detector="none", min_forks="few") == 2
    assert "input `detector`" in scenario.log
    assert "input `min-forks`" in scenario.log


def test_no_comment_is_posted_unless_requested(scenario: Scenario, github: StandIn) -> None:
    assert scenario.compare(comment="never") == 0
    for event in ("push", "schedule", "workflow_dispatch"):
        assert scenario.compare({"GITHUB_EVENT_NAME": event}) == 0
        assert f"the event `{event}` does not belong to a pull request" in scenario.log
    assert github.requests == []
    for comment, asked in (("", "changes"), ("regressions", "regressions")):
        assert scenario.compare(comment=comment) == 0
        assert f"no comment, because of `comment: {asked}`" in scenario.log
    assert github.bodies() == []


@looped(
    "environ",
    [
        {"INPUT_TOKEN": ""},
        {"GITHUB_EVENT_PATH": None},
        {"GITHUB_EVENT_PATH": "absent.json"},
        {"GITHUB_EVENT_NAME": None, "GITHUB_REPOSITORY": None, "GITHUB_API_URL": None},
    ],
)
def test_a_dry_run_is_reported_and_posts_no_comment(
    scenario: Scenario, github: StandIn, environ: dict[str, str | None]
) -> None:
    scenario.slow()
    assert scenario.compare(environ) == 1
    assert github.requests == []
    assert "::notice title=steady::Dry run: " in scenario.log
    comment = (scenario.root / "steady-report/comment.md").read_text()
    assert comment.startswith(MARKER)
    assert "beta" in comment
    assert "beta" in scenario.summary


@looped(("fork", "level"), [(True, "notice"), (False, "warning")])
def test_a_read_only_token_does_not_fail_the_job(
    scenario: Scenario, github: StandIn, fork: bool, level: str
) -> None:
    github.read_only = True
    write_event(scenario.root / EVENT_FILE, fork=fork)
    scenario.slow(1.0)
    assert scenario.compare() == 0
    assert f"::{level} title=steady::No comment: " in scenario.log
    assert ("from a fork" in scenario.log) == fork
    assert ("`permissions: pull-requests: write`" in scenario.log) != fork
    assert (scenario.root / "steady-report/comment.md").is_file()
    scenario.slow()
    assert scenario.compare() == 1


def test_the_token_does_not_appear_in_any_output(scenario: Scenario, github: StandIn) -> None:
    scenario.slow()
    github.fail("PATCH", "/comments/", 401)
    logs = []
    for inputs in ({}, {}, {"rule": "x"}):
        scenario.compare(None, **inputs)
        logs += [scenario.log, scenario.summary, str(scenario.outputs)]
    scenario.optimize()
    logs += [scenario.log, scenario.summary, *github.bodies()]
    logs += [
        path.read_text("utf-8", "replace") for path in scenario.root.rglob("*.*") if path.is_file()
    ]
    assert len(github.requests) > 3
    assert not any(TOKEN in text for text in logs)
    # GitHub's runner removes the masking command itself.
    scenario.compare({"GITHUB_ACTIONS": "true"})
    assert scenario.log.startswith(f"::add-mask::{TOKEN}\n")
    assert scenario.log.count(TOKEN) == 1
    scenario.compare({"GITHUB_ACTIONS": "true", "INPUT_TOKEN": ""})
    assert "add-mask" not in scenario.log


@looped("file", ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"])
def test_a_full_disk_does_not_prevent_the_comment(
    scenario: Scenario, github: StandIn, file: str
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full")
    github.comments.clear()
    assert scenario.compare({file: "/dev/full"}) == 2
    [body] = github.bodies()
    assert "No change found in 3 benchmarks" in body
    assert "::error title=steady::Outputs and summary of the job cannot be written" in scenario.log


def test_the_demo_writes_the_same_comment_as_the_action(
    scenario: Scenario, github: StandIn, tmp_path: Path
) -> None:
    """Line for line: only the commits, of which a recording knows nothing, are put before."""
    assert main(["demo", "--out", str(tmp_path / "demo")]) == 0
    shutil.rmtree(scenario.root / "results")
    shutil.copytree(tmp_path / "demo/results", scenario.root / "results")
    assert scenario.compare() == 1
    demo, posted = (
        (folder / "comment.md").read_text(encoding="utf-8")
        for folder in (tmp_path / "demo", scenario.root / "steady-report")
    )
    assert posted.replace(f"Head {'c' * 7} · ", "", 1) == demo
    assert posted.partition("\n")[2].strip() in github.bodies()[0]


def test_an_old_plan_is_reported(scenario: Scenario, github: StandIn) -> None:
    assert scenario.optimize(comment="never") == 0
    github.days[".steady/plan.json"] = ["2026-05-01", "2025-05-01"]
    scenario.today = date(2026, 11, 21)
    scenario.compare()
    (body,) = github.bodies()
    assert "The plan is 204 days old." in body
    assert "Optimise the whole suite again" in body
    assert "Optimise the whole suite again" in scenario.summary
    scenario.today = date(2026, 5, 30)
    scenario.compare()
    assert "days old" not in github.bodies()[0]


def test_a_plan_in_a_separate_checkout_is_found(scenario: Scenario, github: StandIn) -> None:
    assert scenario.optimize(comment="never") == 0
    (scenario.root / "head").mkdir()
    (scenario.root / ".steady").rename(scenario.root / "head" / ".steady")
    (scenario.root / "head" / ".git").mkdir()
    github.days[".steady/plan.json"] = ["2026-05-01"]
    scenario.compare(plan="head/.steady/plan.json")
    assert "The plan is 204 days old." in github.bodies()[0]


def test_an_unknown_age_of_the_plan_does_not_change_the_verdict(
    scenario: Scenario, github: StandIn
) -> None:
    assert scenario.optimize(comment="never") == 0
    scenario.compare(token="")
    assert github.sent("GET", "/commits$") == []
    for status in (403, 404, 500):
        github.fail("GET", "/commits$", status, times=9)
        assert scenario.compare() == 0
        assert "the age of the plan is unknown" in scenario.log
        github.faults.clear()
