"""Mode ``report``: an untrusted run is compared, and none of its output is trusted."""

import json
import re
from pathlib import Path
from typing import Any

import standin
from action_scenario import Scenario, commands_in
from fork_scenario import ForkScenario, measured, one, packed, raw, results
from standin_runs import HEAD, RUN, Runs, add_pull, storage
from written_runs import NAMES, record, series, slower

from steady.action.runner import OUTPUTS
from tests.looped import looped

TOLD = {o.name for o in OUTPUTS if not o.description.startswith(("`optimize`", "`record`"))}
MARKER = "<!-- steady:default -->"
REPORT = {f"steady-report/{n}" for n in ("comment.md", "summary.md", "report.html")} | {
    "steady-report/comparison.json"
}


def test_a_regression_is_reported_on_the_forks_pull_request(fork: ForkScenario) -> None:
    add_pull(fork.github, 6, sha="d" * 40, ref="another")
    before = fork.files()
    fork.storage.content = packed(results(head=measured(slower(1.3)), run='{"seed": 1}'))
    urls = {"GITHUB_SERVER_URL": "https://github.test", "GITHUB_RUN_ID": "42"}
    assert fork.report(urls) == 1
    outputs = fork.scenario.outputs
    assert set(outputs) == TOLD
    assert (outputs["verdict"], outputs["regressions"]) == ("regression", "1")
    [body] = fork.github.bodies()
    assert fork.github.comments[0]["issue_url"].endswith("/issues/7")
    assert body.startswith(f"{MARKER}\n")
    assert "beta" in body
    base = fork.pull["base"]["sha"][:7]
    assert f"\nBase {base}, head {HEAD[:7]} · JDK 21.0.5 · [report](https://github.test/" in body
    assert (
        "**Intended? Accept it with this comment and run the job again:** `/steady accept" in body
    )
    assert f"[run {RUN}](https://github.test/octo/benchmarks/actions/runs/{RUN})" in body
    assert f"run {RUN} measured commit {HEAD} of pull request 7" in fork.scenario.log
    written = {f"workspace/{name}" for name in REPORT} | {"output", "summary"}
    assert fork.files() == before | written
    page = (fork.scenario.root / "steady-report/report.html").read_text(encoding="utf-8")
    assert "temporary" not in page

    fork.storage.content = packed(results())
    assert fork.report() == 0
    assert len(fork.github.bodies()) == 1
    assert "Resolved: the previous run found a regression." in fork.github.bodies()[0]


def test_enterprise_server_is_supported(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    with standin.github(enterprise=True) as state, storage() as elsewhere:
        fork = ForkScenario(Scenario(tmp_path / "workspace", state.url), state, elsewhere)
        fork.storage.content = packed(results(head=measured(slower(1.3))))
        assert fork.report() == 1
        assert (len(state.bodies()), len(elsewhere.received)) == (1, 1)


def test_the_plan_is_read_from_the_workspace(fork: ForkScenario) -> None:
    assert fork.scenario.optimize(comment="never") == 0
    fork.scenario.outputs.clear()
    fewer = measured(dict.fromkeys(NAMES[:2], 1.0))
    fork.storage.content = packed({"base.json": measured(dict.fromkeys(NAMES[:2], 1.01)),
                                   "head.json": fewer})  # fmt: skip
    assert fork.report() == 1
    assert fork.scenario.outputs["verdict"] == "incomplete"
    assert fork.scenario.outputs["plan"] == ".steady/plan.json"
    assert "gamma" in fork.github.bodies()[0]
    # The workflow of the default branch can request less.
    assert fork.report(only="alpha|beta") == 0
    assert "; narrowed to 'alpha\\|beta'" in fork.github.bodies()[0]


@looped(
    ("run", "words"),
    [
        ({"event": "push"}, "was triggered by `push`, not by a pull request"),
        ({"conclusion": "skipped"}, "was skipped"),
        ({"status": "in_progress", "conclusion": None}, "was restarted, and will be reported"),
        ({"head_branch": None}, "the repository of the commit no longer exists"),
    ],
)
def test_runs_without_measurements_are_not_reported(
    fork: ForkScenario, run: dict[str, Any], words: str
) -> None:
    usual = dict(fork.run)
    fork.run |= run
    assert fork.report() == 0
    fork.run |= usual
    assert words in fork.scenario.log
    assert "::notice title=steady::No comment: " in fork.scenario.log
    assert words.replace("`", "\\`") in fork.scenario.summary
    assert fork.scenario.outputs == {}
    assert fork.github.comments == []
    assert fork.storage.received == []


def test_a_second_pull_request_does_not_suppress_the_comment(fork: ForkScenario) -> None:
    add_pull(fork.github, 9)["base"]["ref"] = "release"
    assert fork.report() == 1
    assert fork.scenario.outputs["verdict"] == "incomplete"
    assert {comment["issue_url"].rpartition("/")[2] for comment in fork.github.comments} == {
        "7",
        "9",
    }
    for body in fork.github.bodies():
        assert "### ⚠️ Nothing was compared, so this is not a pass\n\ncommit" in body
        assert "is the newest commit of pull requests 7 and 9" in body
    assert fork.storage.received == []


def test_a_failed_run_or_missing_artifact_is_incomplete(fork: ForkScenario) -> None:
    for conclusion in ("failure", "cancelled", "timed_out", "startup_failure"):
        fork.run["conclusion"] = conclusion
        assert fork.report() == 1
        assert fork.scenario.outputs["verdict"] == "incomplete"
        assert set(fork.scenario.outputs) == TOLD
        [body] = fork.github.bodies()
        assert "so this is not a pass\n\nthe measuring run ended with" in body
        assert f"ended with `{conclusion}`" in fork.scenario.log
    assert fork.report(fail_on="regression") == 0
    fork.run["conclusion"] = "success"
    fork.github.part(Runs).artifacts.clear()
    assert fork.report() == 1
    assert "uploaded no artifact \\`steady-results\\`" in fork.github.bodies()[0]
    assert fork.storage.received == []


def test_other_claims_of_the_event_are_ignored(fork: ForkScenario) -> None:
    """Neither does a pull request of another fork with the same commit and branch."""
    add_pull(fork.github, 6, repository=2003)
    add_pull(fork.github, 8, sha="e" * 40, ref="victim")
    claims = {"head_sha": "e" * 40, "head_branch": "victim", "pull_requests": [{"number": 8}]}
    run = {"id": RUN, "head_repository": None, **claims}
    fork.event({"workflow_run": run, "pull_request": {"number": 8}})
    assert fork.report() == 0
    [comment] = fork.github.comments
    assert comment["issue_url"].endswith("/issues/7")


TEXT = (
    "</details></td><script>alert(1)</script><img src=x onerror=alert(1)>|`@everyone`[a](http://x)"
    "![i](http://x/i.png)<!-- steady:default -->\n::set-output name=verdict::unchanged\r##[error]"
    "\u202egnp.exe\u2066 $(rm -rf /) {{7*7}} ${{ secrets.GITHUB_TOKEN }} <!-- steady-verdict: x -->"
)


def harmless(fork: ForkScenario, body: str) -> None:
    """Check that untrusted text remained plain text."""
    page = fork.scenario.root / "steady-report/report.html"
    shown = page.read_text(encoding="utf-8") if page.exists() else ""
    assert "<script>alert" not in shown
    assert "onerror=alert(1)>" not in re.sub(r"&[a-z#0-9]+;", "", shown)
    for text in (body, fork.scenario.summary):
        assert "\n::" not in text
        assert "\u202e" not in text + shown
        assert MARKER not in text.removeprefix(MARKER)
        assert text.count("<!-- steady-verdict") <= 1
        outside = re.sub(r"(`+)[^`].*?[^`]?\1(?!`)", "", text)
        assert outside.count("<details>") == outside.count("</details>")
        for markup in ("@everyone", "<script", "<img", "](http://x", "onerror"):
            assert markup not in outside


COMMANDS = "::set-output name=verdict::unchanged\n##[error]@everyone"


@looped(
    ("files", "words"),
    [
        (results() | {f"../../{COMMANDS}": "[]"}, "is unexpected"),
        (results(head=COMMANDS), "head.json"),
    ],
)
def test_a_malicious_artifact_is_rejected_in_one_sentence(
    fork: ForkScenario, files: Any, words: str
) -> None:
    """See `test_measured` for many more."""
    before = fork.files()
    fork.storage.content = packed(files)
    assert fork.report() == 1
    assert fork.scenario.outputs["verdict"] == "incomplete"
    assert words in fork.scenario.log
    assert "Traceback" not in fork.scenario.log
    assert str(fork.scenario.root.parent) not in fork.scenario.log
    [comment] = fork.github.comments
    assert comment["issue_url"].endswith("/issues/7")
    assert len(comment["body"]) < 2000
    harmless(fork, comment["body"])
    assert fork.files() == before | {"workspace/steady-report/comment.md", "output", "summary"}
    assert commands_in(fork.scenario.log) == ["error"]


def test_untrusted_text_remains_plain_text(fork: ForkScenario) -> None:
    def side(factor: float) -> str:
        known = {"params": {TEXT: TEXT}, "jvmArgs": [f"-D{TEXT}{factor}"], "jdkVersion": TEXT}
        slow = record(f"org.{TEXT}", series(1, 3, 20, factor), **known)
        failed = record(f"failed.{TEXT}", [[float("nan")]], jmhVersion=TEXT)
        odd = record(f"odd.{TEXT}", series(1, 3, 20, factor))
        odd["primaryMetric"]["scoreUnit"] = f"{TEXT}/op"
        return json.dumps([slow, odd, failed])

    machine = json.dumps({"steady_environment": 1, "cpu": TEXT, "os": TEXT})
    fork.storage.content = packed(results(base=side(1.0), head=side(2.0), environment=machine))
    assert fork.report() == 1
    assert fork.scenario.outputs["verdict"] == "regression"
    harmless(fork, fork.github.bodies()[0])
    assert set(commands_in(fork.scenario.log)) <= {"error", "warning"}
    assert "::set-output" not in re.sub(r": :", "", fork.scenario.log).replace("\\n::", "")


LARGE = (
    '{"version": "1.0", "metadata": {"name": "x"}, "benchmarks": [{"runs": [{"values": [1, 2], '
    f'"steady": {{"iterations": {"9" * 4_000}}}}}]}}]}}'
)
"""A pyperf file with a whole number of 4,000 digits."""


@looped(
    "head",
    [
        one(measurementIterations=10**9, forks=10**9, warmupIterations=10**9),
        one(steadyBlocks=["x", "x", "x"], forks=3),
        raw([[float("inf")] * 20] * 3),
        raw([[0.0] * 20] * 3),
        raw([[1] * 20_000, *[[1]] * 5000]),  # as an array, a hundred million cells
        "BenchmarkX-8 1 5 ns/op\nPASS\n",
        LARGE,
        "[" * 100_000 + "]" * 100_000,
    ],
)
def test_forged_numbers_still_result_in_a_verdict(fork: ForkScenario, head: str) -> None:
    fork.storage.content = packed(results(base=one(), head=head, run='{"steady_run": 1, "id": 1}'))
    assert fork.report() in (0, 1)
    assert fork.scenario.outputs["verdict"]
    assert len(fork.github.comments) == 1
    assert "Traceback" not in fork.scenario.log


def test_a_run_compared_with_itself_is_incomplete(fork: ForkScenario) -> None:
    fork.storage.content = packed(results(head=measured()))
    assert fork.report() == 1
    assert fork.scenario.outputs["verdict"] == "incomplete"
    assert "base and head contain identical measurements" in fork.scenario.summary
