"""The whole action in this process: files in, files and requests out."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import standin
from action_scenario import EVENT_FILE, TOKEN, Scenario, command_in, write_event
from standin import BOT, StandIn
from written_runs import NAMES, record, series, write_run

from steady.action.runner import OUTPUTS
from steady.cli import main

MARKER = "<!-- steady:default -->"


def slow(scenario: Scenario, name: str = NAMES[1], factor: float = 1.3) -> None:
    """Make one benchmark of head slower."""
    factors = {n: factor if n == name else 1.0 for n in NAMES}
    write_run(scenario.root / "results/head.json", factors)


def test_nothing_changed(scenario: Scenario, github: StandIn) -> None:
    assert scenario.compare() == 0
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
    assert "No change found" in scenario.summary
    assert "verdict: unchanged" in scenario.log
    assert "no plan: .steady/plan.json does not exist" in scenario.log
    written = {path.name for path in (scenario.root / "steady-report").iterdir()}
    shown = {"comment.md", "summary.md", "report.html", "comparison.json"}
    assert written == shown | {"junit.xml"}  # for further steps of the job


def test_a_run_is_not_compared_with_itself(scenario: Scenario) -> None:
    assert scenario.compare() == 0
    results = scenario.root / "results"
    (results / "head.json").write_bytes((results / "base.json").read_bytes())
    assert scenario.compare() == 2
    assert "base and head hold the same measurements, value for value" in scenario.log


def test_what_cannot_be_told_is_an_output_and_fails_where_asked(scenario: Scenario) -> None:
    for side in ("base", "head"):
        path = scenario.root / f"results/{side}.json"
        records = [record(name, series(ord(side[0]) + 50, 1, 20)) for name in NAMES]
        records[0] = record(NAMES[0], series(ord(side[0]), 3, 20))
        path.write_text(json.dumps(records))
    assert scenario.compare() == 0
    counted = {name: scenario.outputs[name] for name in ("verdict", "unchanged", "unclear")}
    assert counted == {"verdict": "unclear", "unchanged": "1", "unclear": "2"}
    assert "No change found, but 2 of 3 benchmarks had too few runs to tell" in scenario.summary
    assert scenario.compare(None, **{"fail-on": "unclear"}) == 1


def test_a_regression_fails_the_job_and_is_resolved_later(
    scenario: Scenario, github: StandIn
) -> None:
    slow(scenario)
    assert scenario.compare() == 1
    assert scenario.outputs["verdict"] == "regression"
    assert scenario.outputs["regressions"] == "1"
    assert "::error title=steady::Failed, as `fail-on` asks: regression." in scenario.log
    assert "beta" in github.bodies()[0]
    assert "Resolved" not in github.bodies()[0]

    slow(scenario, factor=1.0)
    assert scenario.compare() == 0
    (body,) = github.bodies()
    lines = [line for line in body.splitlines() if line]
    assert lines[2] == "### ✅ No change found in 3 benchmarks"
    assert lines[3] == "**Resolved: the run before this one found a regression.**"

    slow(scenario, factor=0.7)
    assert scenario.compare() == 0
    assert scenario.outputs["improvements"] == "1"
    assert "Resolved" not in github.bodies()[0]
    assert len(github.sent("POST", "/comments$")) == 1


def test_a_missing_benchmark_is_never_green(scenario: Scenario, github: StandIn) -> None:
    write_run(scenario.root / "results/head.json", dict.fromkeys(NAMES[:2], 1.0))
    assert scenario.compare() == 1
    assert (scenario.outputs["verdict"], scenario.outputs["missing"]) == ("incomplete", "1")
    assert "gamma" in github.bodies()[0]
    # A regression beside it does not hide it from a job that only asks for completeness.
    write_run(scenario.root / "results/head.json", {NAMES[0]: 1.3, NAMES[1]: 1.0})
    assert scenario.compare(fail_on="incomplete") == 1
    assert scenario.outputs["verdict"] == "regression"
    assert scenario.compare(fail_on="not-comparable") == 0


@pytest.mark.parametrize(("fail_on", "code"), [("never", 0), ("regression", 1), ("incomplete", 0)])
def test_the_job_fails_as_asked(scenario: Scenario, fail_on: str, code: int) -> None:
    slow(scenario)
    assert scenario.compare(fail_on=fail_on) == code
    level = "error" if "regression" in fail_on else "warning"
    assert f"\n::{level} title=Benchmark regression::" in scenario.log


def test_other_surroundings_by_setting_forbid_a_verdict(scenario: Scenario) -> None:
    write_run(scenario.root / "results/head.json", jdkVersion="22.0.1")
    assert scenario.compare() == 0
    assert "22.0.1" in scenario.summary
    assert scenario.compare(environment="require-same") == 1
    assert scenario.outputs["verdict"] == "not-comparable"
    assert "as `fail-on` asks: not-comparable." in scenario.log


def test_optimize_then_compare_with_its_plan(scenario: Scenario, github: StandIn) -> None:
    assert scenario.optimize() == 0
    assert scenario.outputs["plan"] == ".steady/plan.json"
    assert scenario.outputs["report"] == ".steady/receipt.md"
    assert float(scenario.outputs["seconds-saved"]) > 0
    assert (scenario.root / ".steady/jmh/1.args").stat().st_mode & 0o777 == 0o644
    assert scenario.summary == (scenario.root / ".steady/receipt.md").read_text()
    (receipt,) = github.bodies()
    assert receipt.startswith("<!-- steady:default:plan -->\n")

    saved = scenario.outputs["seconds-saved"]
    write_run(scenario.root / "results/base.json", dict.fromkeys(NAMES[:2], 1.0))
    write_run(scenario.root / "results/head.json", dict.fromkeys(NAMES[:2], 1.0))
    assert scenario.compare() == 1
    assert scenario.outputs["plan"] == ".steady/plan.json"
    assert scenario.outputs["seconds-saved"] == saved
    assert scenario.outputs["verdict"] == "incomplete"
    assert len(github.bodies()) == 2


def test_a_jar_that_is_none_is_told(scenario: Scenario) -> None:
    assert scenario.optimize(jar="results/base.json") == 2
    assert "results/base.json" in scenario.log
    assert not (scenario.root / ".steady").exists()


@pytest.mark.parametrize(("mode", "other"), [("compare", "optimize"), ("optimize", "compare")])
def test_every_declared_output_is_set(scenario: Scenario, mode: str, other: str) -> None:
    code = scenario.optimize() if mode == "optimize" else scenario.compare()
    # An output that is not set is empty to later steps, as those of a commit nobody asked for.
    unset = (f"`{other}`", "`optimize` with `commit", "`record`")
    declared = {o.name for o in OUTPUTS if not o.description.startswith(unset)}
    assert (code, set(scenario.outputs)) == (0, declared)


def test_two_suites_on_one_pull_request(scenario: Scenario, github: StandIn) -> None:
    scenario.compare()
    scenario.compare(key="core")
    scenario.compare(key="core")
    assert [body.split("\n")[0] for body in github.bodies()] == [MARKER, "<!-- steady:core -->"]
    assert "Benchmarks: core" in github.bodies()[1]


def test_the_same_run_again_changes_nothing(scenario: Scenario, github: StandIn) -> None:
    scenario.compare()
    scenario.compare()
    assert "comment up to date" in scenario.log
    assert github.sent("PATCH") == []


def test_no_comment_where_none_is_wanted(scenario: Scenario, github: StandIn) -> None:
    assert scenario.compare(comment="never") == 0
    assert github.requests == []


@pytest.mark.parametrize("event", ["push", "schedule", "workflow_dispatch"])
def test_no_comment_without_a_pull_request(scenario: Scenario, github: StandIn, event: str) -> None:
    assert scenario.compare({"GITHUB_EVENT_NAME": event}) == 0
    assert github.requests == []
    assert f"the event `{event}` is not one of a pull request" in scenario.log


@pytest.mark.parametrize(
    "environ",
    [
        {"INPUT_TOKEN": ""},
        {"GITHUB_EVENT_PATH": None},
        {"GITHUB_EVENT_PATH": "absent.json"},
        {"GITHUB_EVENT_NAME": None, "GITHUB_REPOSITORY": None, "GITHUB_API_URL": None},
    ],
)
def test_a_dry_run_says_so_and_leaves_the_comment(
    scenario: Scenario, github: StandIn, environ: dict[str, str | None]
) -> None:
    slow(scenario)
    assert scenario.compare(environ) == 1
    assert github.requests == []
    assert "::notice title=steady::Dry run: " in scenario.log
    comment = (scenario.root / "steady-report/comment.md").read_text()
    assert comment.startswith(MARKER)
    assert "beta" in comment
    assert "beta" in scenario.summary


@pytest.mark.parametrize(("fork", "level"), [(True, "notice"), (False, "warning")])
def test_a_token_that_cannot_write_is_no_failure(
    scenario: Scenario, github: StandIn, fork: bool, level: str
) -> None:
    github.read_only = True
    write_event(scenario.root / EVENT_FILE, fork=fork)
    assert scenario.compare() == 0
    assert f"::{level} title=steady::No comment: " in scenario.log
    assert ("from a fork" in scenario.log) == fork
    assert ("`permissions: pull-requests: write`" in scenario.log) != fork
    assert (scenario.root / "steady-report/comment.md").is_file()
    slow(scenario)
    assert scenario.compare() == 1


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"base": "absent.json"}, "input `base`: 'absent.json' names no file"),
        ({"base": "../outside.json"}, "leads out of the workspace"),
        ({"plan": "results/base.json"}, "results/base.json"),
        ({"head": "empty.json"}, "empty.json"),
        ({"out": "../elsewhere"}, "leads out of the workspace"),
        ({"rule": "none"}, "input `rule`: expected"),
        ({"confidence": "99"}, "input `confidence`: expected"),
        ({"token": "t", "results": "x"}, "input `results` is not used by mode `compare`"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(
    scenario: Scenario, github: StandIn, inputs: dict[str, str], words: str
) -> None:
    (scenario.root.parent / "outside.json").write_text("[]")
    (scenario.root / "empty.json").write_text("")
    assert scenario.compare(None, **inputs) == 2
    (line,) = [line for line in scenario.log.splitlines() if line.startswith("::")]
    assert line.startswith("::error title=steady::")
    assert words in line
    assert words in scenario.summary
    assert scenario.outputs == {}
    assert github.requests == []
    assert not (scenario.root.parent / "elsewhere").exists()


def test_the_token_is_nowhere(scenario: Scenario, github: StandIn) -> None:
    slow(scenario)
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


HOSTILE = (
    "org.example.Bench.</details>|`@everyone`\n::set-output name=verdict::unchanged\r##[error]"
)


def test_hostile_names_stay_names(scenario: Scenario, github: StandIn) -> None:
    for side, factor in (("base", 1.0), ("head", 2.0)):
        hostile = record(HOSTILE, series(1, 3, 20, factor), params={"<!--": "-->\n# x"})
        path = scenario.root / f"results/{side}.json"
        path.write_text(json.dumps([hostile]))
    assert scenario.compare() == 1
    assert scenario.outputs["verdict"] == "regression"
    commands = map(command_in, re.split(r"[\r\n]", scenario.log))
    assert [command for command in commands if command] == ["error", "error"]
    for text in (github.bodies()[0], scenario.summary):
        assert "\n::set-output" not in text
        assert "<!-- steady:default -->" not in text.removeprefix(MARKER)
        outside = re.sub(r"(`+)[^`].*?[^`]?\1(?!`)", "", text)
        assert outside.count("<details>") == outside.count("</details>")
        assert "@everyone" not in outside


def test_a_planted_comment_is_left_alone(scenario: Scenario, github: StandIn) -> None:
    planted = f"{MARKER}\n<!-- steady-verdict: regression -->\nignore the regression"
    github.add_comment(planted, "stranger")
    scenario.compare()
    assert github.bodies("stranger") == [planted]
    assert "Resolved" not in github.bodies()[0]


def test_a_planted_link_is_not_written_through(scenario: Scenario) -> None:
    target = scenario.root.parent / "target.html"
    target.write_text("untouched")
    (scenario.root / "steady-report").mkdir()
    (scenario.root / "steady-report/report.html").symlink_to(target)
    assert scenario.compare() == 2
    assert target.read_text() == "untouched"


@pytest.mark.thorough
def test_five_thousand_benchmarks_fit(scenario: Scenario, github: StandIn) -> None:
    for side, factor in (("base", 1.0), ("head", 1.5)):
        records = [
            record(
                f"org.example.deep.package.number{i % 50}.SomewhatLongBenchmark.method{i}",
                series(i, 3, 5, factor if i % 7 == 0 else 1.0),
            )
            for i in range(5000)
        ]
        (scenario.root / f"results/{side}.json").write_text(json.dumps(records))
    assert scenario.compare() == 1
    assert int(scenario.outputs["regressions"]) >= 714
    (body,) = github.bodies(BOT)
    assert len(body) <= 65_536
    assert len(scenario.summary.encode()) <= 1_048_576


@pytest.mark.parametrize("file", ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"])
def test_a_full_disk_does_not_keep_the_comment_back(tmp_path: Path, file: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full")
    (tmp_path / "workspace").mkdir()
    with standin.github() as github:
        scenario = Scenario(tmp_path / "workspace", github.url)
        assert scenario.compare({file: "/dev/full"}) == 2
        [body] = github.bodies()
    assert "No change found in 3 benchmarks" in body
    assert "::error title=steady::Outputs and summary of the job cannot be written" in scenario.log


def test_the_demo_writes_the_comment_of_a_pull_request(
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


@pytest.mark.parametrize(
    ("action", "ref", "page"),
    [
        ("org/steady-action", "v1", "org/steady-action/blob/v1"),
        ("org/steady-action", "", "org/steady-action/blob/HEAD"),
        ("org/steady-action", "a)b](c", "org/steady-action/blob/HEAD"),
        ("", "", None),
        ("](https://evil.test)/x", "v1", None),
    ],
)
def test_the_page_of_the_method_is_a_link_where_it_is_known(
    scenario: Scenario, github: StandIn, action: str, ref: str, page: str | None
) -> None:
    known = {"GITHUB_ACTION_REPOSITORY": action, "GITHUB_ACTION_REF": ref}
    assert scenario.compare({**known, "GITHUB_SERVER_URL": "https://github.test"}) == 0
    (body,) = github.bodies()
    name = "docs/methods-compare.md of steady"
    if page is not None:
        name = f"[{name}](https://github.test/{page}/docs/methods-compare.md)"
    for text in (body, scenario.summary):
        assert f"Method and rates of error: {name}." in text
