"""Mode ``report``: a stranger's run is judged, and nothing that it left is believed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import standin
from action_scenario import TOKEN, Scenario, command_in
from fork_scenario import ForkScenario, measured, packed, results
from standin import StandIn
from standin_git import GitRepository
from standin_runs import HEAD, RUN, Runs, add_pull, storage
from written_runs import NAMES, record, series

from steady.action.runner import OUTPUTS

TOLD = {o.name for o in OUTPUTS if not o.description.startswith(("`optimize`", "`record`"))}
MARKER = "<!-- steady:default -->"
SLOWER = dict(zip(NAMES, (1.0, 1.3, 1.0), strict=True))
REPORT = {f"steady-report/{n}" for n in ("comment.md", "summary.md", "report.html")} | {
    "steady-report/comparison.json"
}


def test_a_regression_is_told_on_the_strangers_pull_request(
    fork: ForkScenario, github: StandIn
) -> None:
    add_pull(github, 6, sha="d" * 40, ref="another")
    before = fork.files()
    fork.storage.content = packed(results(head=measured(SLOWER), run='{"seed": 1}'))
    urls = {"GITHUB_SERVER_URL": "https://github.test", "GITHUB_RUN_ID": "42"}
    assert fork.report(urls) == 1
    outputs = fork.scenario.outputs
    assert set(outputs) == TOLD
    assert (outputs["verdict"], outputs["regressions"]) == ("regression", "1")
    [comment] = github.comments
    assert comment["issue_url"].endswith("/issues/7")
    body = comment["body"]
    assert body.startswith(f"{MARKER}\n")
    assert "beta" in body
    base = fork.pull["base"]["sha"][:7]
    assert f"\nBase {base}, head {HEAD[:7]} · JDK 21.0.5 · [report](https://github.test/" in body
    assert "**Meant? Accept it with this comment, and run the job again:** `/steady accept" in body
    assert f"[run {RUN}](https://github.test/octo/benchmarks/actions/runs/{RUN})" in body
    assert f"run {RUN} measured commit {HEAD} of pull request 7" in fork.scenario.log
    written = {f"workspace/{name}" for name in REPORT} | {"output", "summary"}
    assert fork.files() == before | written
    page = (fork.scenario.root / "steady-report/report.html").read_text(encoding="utf-8")
    assert "temporary" not in page

    fork.storage.content = packed(results())
    assert fork.report() == 0
    assert len(github.bodies()) == 1
    assert "Resolved: the run before this one found a regression." in github.bodies()[0]


def test_enterprise_server_has_its_own_address(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    with standin.github(enterprise=True) as state, storage() as elsewhere:
        fork = ForkScenario(Scenario(tmp_path / "workspace", state.url), state, elsewhere)
        fork.storage.content = packed(results(head=measured(SLOWER)))
        assert fork.report() == 1
        assert len(state.bodies()) == 1
        assert len(elsewhere.received) == 1


def test_the_plan_is_that_of_the_workspace(fork: ForkScenario, github: StandIn) -> None:
    assert fork.scenario.optimize(comment="never") == 0
    fork.scenario.outputs.clear()
    fewer = measured(dict.fromkeys(NAMES[:2], 1.0))
    fork.storage.content = packed({"base.json": measured(dict.fromkeys(NAMES[:2], 1.01)),
                                   "head.json": fewer})  # fmt: skip
    assert fork.report() == 1
    assert fork.scenario.outputs["verdict"] == "incomplete"
    assert fork.scenario.outputs["plan"] == ".steady/plan.json"
    assert "gamma" in github.bodies()[0]


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ({"event": "push"}, "was started by `push`, not by a pull request"),
        ({"conclusion": "skipped"}, "was skipped"),
        ({"conclusion": "action_required"}, "waits until a maintainer approves it"),
        ({"status": "in_progress", "conclusion": None}, "has been started again"),
        ({"head_sha": "d" * 40}, "the pull request has newer commits: commit dddddddddddd"),
        ({"head_branch": "gone"}, "no open pull request has commit"),
        ({"head_branch": None}, "the repository that the commit came from is gone"),
    ],
)
def test_nothing_to_report(
    fork: ForkScenario, github: StandIn, run: dict[str, Any], words: str
) -> None:
    fork.run |= run
    assert fork.report() == 0
    assert words in fork.scenario.log
    assert "::notice title=steady::No comment: " in fork.scenario.log
    assert words.replace("`", "\\`") in fork.scenario.summary
    assert fork.scenario.outputs == {}
    assert github.comments == []
    assert fork.storage.received == []


def test_a_second_pull_request_from_the_branch_silences_nothing(
    fork: ForkScenario, github: StandIn
) -> None:
    add_pull(github, 9)["base"]["ref"] = "release"
    assert fork.report() == 1
    assert fork.scenario.outputs["verdict"] == "incomplete"
    assert {comment["issue_url"].rpartition("/")[2] for comment in github.comments} == {"7", "9"}
    for body in github.bodies():
        assert "### ⚠️ Nothing was compared, so this is not a pass\n\ncommit" in body
        assert "is the newest of pull requests 7 and 9" in body
    assert fork.storage.received == []


@pytest.mark.parametrize("conclusion", ["failure", "cancelled", "timed_out", "startup_failure"])
def test_a_run_that_failed_is_never_green(
    fork: ForkScenario, github: StandIn, conclusion: str
) -> None:
    fork.run["conclusion"] = conclusion
    assert fork.report() == 1
    assert fork.scenario.outputs["verdict"] == "incomplete"
    assert set(fork.scenario.outputs) == TOLD
    [body] = github.bodies()
    assert "so this is not a pass\n\nthe run that measures ended with" in body
    assert fork.storage.received == []
    assert fork.report(fail_on="regression") == 0
    assert len(github.comments) == 1


def test_a_run_that_left_nothing_is_never_green(fork: ForkScenario, github: StandIn) -> None:
    github.part(Runs).artifacts.clear()
    assert fork.report() == 1
    assert "left no artifact \\`steady-results\\`" in github.bodies()[0]
    assert "left no artifact `steady-results`" in fork.scenario.log


def test_an_artifact_of_another_run_or_commit_is_not_read(
    fork: ForkScenario, github: StandIn
) -> None:
    fork.artifact["workflow_run"] |= {"head_sha": "d" * 40}
    assert fork.report() == 1
    assert "left no artifact" in github.bodies()[0]
    assert fork.storage.received == []


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/actions/runs/", 403, "the token may not read what run 3001 left (403): add `permissions:"
                                " actions: read` to the job"),
        ("/actions/runs/", 404, "cannot see run 3001 in octo/benchmarks (404)"),
        ("/artifacts$", 403, "add `permissions: actions: read` to the job"),
        ("/zip$", 410, "artifact 'steady-results' has expired"),
        ("/pulls$", 403, "add `permissions: pull-requests: write` to the job"),
    ],
)  # fmt: skip
def test_what_github_refuses_is_one_sentence(
    fork: ForkScenario, github: StandIn, path: str, status: int, words: str
) -> None:
    message = "Resource not accessible by integration"
    github.fail("GET", path, status, times=99, message=message)
    assert fork.report() == 2
    [line] = [line for line in fork.scenario.log.splitlines() if line.startswith("::")]
    assert line.startswith("::error title=steady::")
    assert words in line
    assert words in fork.scenario.summary
    assert github.comments == []
    assert TOKEN not in fork.scenario.log + fork.scenario.summary


def test_an_expired_artifact_is_not_asked_for(fork: ForkScenario, github: StandIn) -> None:
    fork.artifact["expired"] = True
    assert fork.report() == 2
    assert "has expired" in fork.scenario.log
    assert github.sent("GET", "/zip$") == []


@pytest.mark.parametrize(
    ("environ", "inputs", "words"),
    [
        ({"GITHUB_EVENT_NAME": "pull_request"}, {}, "belongs in a workflow on `workflow_run`"),
        ({"GITHUB_EVENT_NAME": "push"}, {}, "belongs in a workflow on `workflow_run`"),
        ({"GITHUB_EVENT_PATH": "absent"}, {}, "cannot be read"),
        ({"INPUT_TOKEN": ""}, {}, "mode `report` needs a token"),
        ({}, {"base": "x.json"}, "input `base` is not used by mode `report`"),
        ({}, {"workflow": "../x.yml"}, "input `workflow`: expected the name of a file"),
        ({}, {"artifact": "a/b"}, "input `artifact`: expected an artifact's name"),
        ({}, {"workflow": "build.yml"}, "not of '.github/workflows/build.yml'"),
        ({}, {"plan": "absent.json"}, "'absent.json' is not a file in the workspace"),
        ({}, {"out": "../elsewhere"}, "leads out of the workspace"),
    ],
)
def test_a_mistake_is_one_sentence(
    fork: ForkScenario,
    github: StandIn,
    environ: dict[str, str],
    inputs: dict[str, str],
    words: str,
) -> None:
    if environ.get("GITHUB_EVENT_NAME") == "pull_request":
        repository = {"full_name": "octo/benchmarks"}
        side = {"sha": HEAD, "repo": repository}
        fork.event({"pull_request": {"number": 7, "head": side, "base": side}})
    assert fork.report(environ, **inputs) == 2
    [line] = [line for line in fork.scenario.log.splitlines() if line.startswith("::")]
    assert words in line
    assert github.comments == []
    assert fork.storage.received == []


def test_an_event_that_names_no_run(fork: ForkScenario, github: StandIn) -> None:
    numbers: list[Any] = [None, str(RUN), float(RUN), True, -RUN, f"{RUN}/../../../other"]
    for run in (None, [RUN], {}, *({"id": number} for number in numbers)):
        fork.event({"workflow_run": run})
        assert fork.report() == 2, run
        assert "the event" in fork.scenario.log
        assert github.requests == []


def test_what_the_event_claims_beside_the_run_counts_for_nothing(
    fork: ForkScenario, github: StandIn
) -> None:
    add_pull(github, 8, sha="e" * 40, ref="victim")
    fork.event(
        {
            "workflow_run": {
                "id": RUN,
                "head_sha": "e" * 40,
                "head_branch": "victim",
                "head_repository": None,
                "pull_requests": [{"number": 8}],
            },
            "pull_request": {"number": 8},
        }
    )
    assert fork.report() == 0
    [comment] = github.comments
    assert comment["issue_url"].endswith("/issues/7")


def test_a_commit_copied_from_somebody_elses_pull_request_stays_with_its_fork(
    fork: ForkScenario, github: StandIn
) -> None:
    # The same commit and the same name of the branch, in a fork of somebody else.
    github.part(GitRepository).pulls.clear()
    add_pull(github, 8, repository=2003)
    assert fork.report() == 0
    assert "no open pull request has commit cccccccccccc as its newest" in fork.scenario.log
    assert github.comments == []


def one(**more: Any) -> str:
    """Return a record of one benchmark, with something wrong about it."""
    return json.dumps([record(NAMES[0], series(1, 3, 20), **more)])


def raw(rows: Any) -> str:
    """Return a record of one benchmark with these measurements, one row a fork."""
    data = record(NAMES[0], [[1.0] * 20] * 3)
    data["primaryMetric"]["rawData"] = rows
    return json.dumps([data])


HOSTILE: dict[str, tuple[Any, str]] = {
    "slip": ({**results(), "../../../evil.json": "[]"}, "is not expected"),
    "absolute": ({**results(), "/etc/cron.d/evil": "* * * * *"}, "is not expected"),
    "forks": ({**results(), "forks/1.json": "[]"}, "is not expected"),
    "code": ({**results(), "sitecustomize.py": "raise SystemExit"}, "is not expected"),
    "plan": ({**results(), "plan.json": "{}"}, "is not expected"),
    "number": ({**results(), "pr_number": "8"}, "is not expected"),
    "many": ({f"{n}.json": "" for n in range(2000)}, "holds more than the 8 files"),
    "bomb": (results(head=b"[" + b" " * (33 * 2**20)), "unpacks to more than is read"),
    "page": (b"<html><script>alert(1)</script></html>", "is not a zip archive"),
    "no head": ({"base.json": measured()}, "holds neither of head.json and head.txt"),
    "two heads": (results() | {"head.txt": "x"}, "holds both of head.json and head.txt"),
    "empty": (results(head=""), "is empty"),
    "deep": (results(head="[" * 200_000 + "]" * 200_000), "nested far deeper"),
    "digits": (results(head=f"[{'9' * 5000}]"), "head.json"),
    "binary": (results(head=b"\xff\xfe\x00\x00PK\x03\x04"), "head.json"),
    "text": (results(head="::set-output name=verdict::unchanged\n##[error]@everyone"), "head.json"),
    "twice": (results(head=json.dumps(json.loads(one()) * 2)), "a second result of"),
    "blocks": (results(head=one(steadyBlocks=["1"] * 99)), "has 99 steadyBlocks for 3 forks"),
    "huge": (results(head=raw([[1e308] * 20] * 3)), "a value that no measurement has"),
    "tiny": (results(head=raw([[5e-324] * 20] * 3)), "a value that no measurement has"),
    "forks lie": (results(head=one(forks=-1)), "a whole number of at least 0"),
    "surrogate": (results(head=one(mode="\ud800")), "an incomplete character"),
    "environment": (
        results(environment='{"steady_environment": 9}'),
        "environment.json",
    ),
    "great environment": (results(environment=f'"{"x" * 70_000}"'), "environment.json"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_artifact_is_refused_in_one_sentence(
    fork: ForkScenario, github: StandIn, name: str
) -> None:
    files, words = HOSTILE[name]
    before = fork.files()
    fork.storage.content = files if isinstance(files, bytes) else packed(files)
    assert fork.report() == 1
    assert fork.scenario.outputs["verdict"] == "incomplete"
    assert words in fork.scenario.log
    assert "Traceback" not in fork.scenario.log
    assert str(fork.scenario.root.parent) not in fork.scenario.log
    [comment] = github.comments
    assert comment["issue_url"].endswith("/issues/7")
    assert len(comment["body"]) < 2000
    harmless(fork, comment["body"])
    assert fork.files() == before | {"workspace/steady-report/comment.md", "output", "summary"}
    commands = [command_in(line) for line in re.split(r"[\r\n]", fork.scenario.log)]
    assert [command for command in commands if command] == ["error"]


TEXT = (
    "</details></td><script>alert(1)</script><img src=x onerror=alert(1)>|`@everyone`[a](http://x)"
    "![i](http://x/i.png)<!-- steady:default -->\n::set-output name=verdict::unchanged\r##[error]"
    "\u202egnp.exe\u2066 $(rm -rf /) {{7*7}} ${{ secrets.GITHUB_TOKEN }} <!-- steady-verdict: x -->"
)


def harmless(fork: ForkScenario, body: str) -> None:
    """Check that no text of a stranger became anything else than text."""
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


def test_text_of_a_stranger_stays_text(fork: ForkScenario, github: StandIn) -> None:
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
    harmless(fork, github.bodies()[0])
    commands = [command_in(line) for line in re.split(r"[\r\n]", fork.scenario.log)]
    assert set(filter(None, commands)) <= {"error", "warning"}
    assert "::set-output" not in re.sub(r": :", "", fork.scenario.log).replace("\\n::", "")


@pytest.mark.parametrize(
    "head",
    [
        one(measurementIterations=10**9, forks=10**9, warmupIterations=10**9),
        one(steadyBlocks=["x", "x", "x"], forks=3),
        raw([[float("inf")] * 20] * 3),
        raw([[0.0] * 20] * 3),
        raw([[1] * 20_000, *[[1]] * 5000]),  # as an array, a hundred million cells
        "BenchmarkX-8 1 5 ns/op\nPASS\n",
    ],
    ids=["lying counts", "one round", "infinite", "zero", "uneven", "other harness"],
)
def test_numbers_that_lie_end_in_a_verdict(fork: ForkScenario, github: StandIn, head: str) -> None:
    fork.storage.content = packed(results(base=one(), head=head, run='{"steady_run": 1, "id": 1}'))
    assert fork.report() in (0, 1)
    assert fork.scenario.outputs["verdict"]
    assert len(github.comments) == 1
    assert "Traceback" not in fork.scenario.log


def test_a_run_compared_with_itself_is_incomplete(fork: ForkScenario) -> None:
    fork.storage.content = packed(results(head=measured()))
    assert fork.report() == 1
    assert fork.scenario.outputs["verdict"] == "incomplete"
    assert "base and head hold the same measurements" in fork.scenario.summary
