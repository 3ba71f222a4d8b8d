"""What may go wrong on the way to GitHub, for each kind of request of the action.

Each test plants one cause into one kind of request after the other. Whatever happens: the exit
code is the verdict's, report and outputs are there, one sentence says what went wrong, and the run
after the outage leaves one comment and one pull request.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
import standin
from action_scenario import Scenario
from fork_scenario import ForkScenario
from standin import CUT, HANG, REPOSITORY, StandIn, impatient
from standin_git import GitRepository
from standin_permissions import Permissions
from written_runs import NAMES, write_run

from steady.github import Context, connect
from steady.github.commit_content import Change
from steady.github.configuration import NotCommittedError, Target, commit_configuration
from steady.github.patience import Patience

SECONDS = 0.4
"""How long an answer that never comes is waited for."""


@dataclass(frozen=True)
class Cause:
    """A fault as `StandIn.fail` plants it, and what is said of it."""

    words: str
    status: int
    message: str = "planted"
    headers: Mapping[str, str] = field(default_factory=dict)

    def plant(self, github: StandIn, method: str, path: str, **how: Any) -> None:
        """Let requests fail so: all that follow, unless `how` says otherwise."""
        planted = {"message": self.message, "headers": dict(self.headers), "times": 99, **how}
        github.fail(method, path, self.status, **planted)


NOT_GITHUB = "is not GitHub's API|does not describe|does not list|lists no artifacts"
CAUSES = {
    "refused": Cause(r"\(403\)", 403, "Resource not accessible by integration"),
    "a proxy refuses": Cause(NOT_GITHUB, 403, "<html>403</html>"),
    "not found": Cause(r"\(404\)|does not see a branch", 404, "Not Found"),
    "broken": Cause(r"failed \(500\)", 500, "<html>500</html>"),
    "bad gateway": Cause(r"failed \(502\)", 502, "<html>502</html>"),
    "retry-after": Cause(
        "rate limit is used up; run the job again in 60 minutes", 403, "wait",
        {"Retry-After": "3600"},
    ),
    "used up": Cause(
        "rate limit is used up; run the job again after 2100-01-01 00:00 UTC", 403, "wait",
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4102444800"},
    ),
    "null": Cause(NOT_GITHUB, 200, "null"),
    "a list": Cause(NOT_GITHUB, 200, "[null]"),
    "breaks off": Cause("did not answer", 200, CUT),
    "closed": Cause("did not answer", 0),
    "hangs": Cause("did not answer", 200, HANG),
}  # fmt: skip
LOST = ("broken", "bad gateway", "breaks off", "closed", "hangs")
"""Causes after which nobody knows whether GitHub has carried the request out."""

pytestmark = pytest.mark.slow

EVERY_DAY = ("refused", "null", "closed")
"""Of each kind one that no other test plants; all others are planted each night."""


def each(*names: str) -> pytest.MarkDecorator:
    """Run a test for each of these causes."""
    night = pytest.mark.thorough
    marks = {name: () if name in EVERY_DAY else night for name in names}
    cases = [pytest.param(CAUSES[name], id=name, marks=marks[name]) for name in names]
    return pytest.mark.parametrize("cause", cases)


ALL = each(*CAUSES)


@pytest.fixture
def github() -> Iterator[StandIn]:
    """Run a stand-in for GitHub where ``ada`` may push."""
    with standin.github() as state:
        state.part(Permissions).roles["ada"] = "write"
        yield state


@pytest.fixture
def scenario(tmp_path: Path, github: StandIn) -> Scenario:
    """Return a workspace in which one benchmark became slower."""
    root = tmp_path / "workspace"
    root.mkdir()
    made = Scenario(root, github.url)
    write_run(root / "results/head.json", {**dict.fromkeys(NAMES, 1.0), NAMES[1]: 1.3})
    return made


def begin(github: StandIn, *comments: tuple[str, str]) -> None:
    """Forget what was, and let the pull request have some comments."""
    for held in (github.faults, github.requests, github.comments):
        held.clear()
    for body, login in comments:
        github.add_comment(body, login)


def told(log: str) -> list[str]:
    """Return the sentences of the log on what went wrong on the way."""
    return [line for line in log.splitlines() if " title=steady::" in line and "Failed" not in line]


def compare(scenario: Scenario) -> None:
    """Compare; whatever GitHub does, the verdict and the report are there."""
    assert scenario.compare() == 1, scenario.log
    assert scenario.outputs["verdict"] == "regression"
    assert scenario.outputs["report"] == "steady-report/report.html"
    assert "beta" in scenario.summary
    assert "Traceback" not in scenario.log


OURS = ("<!-- steady:default -->\n### old\n", standin.BOT)
ACCEPT = ("/steady accept gamma because", "ada")
ACCEPTS = "notice title=steady::steady did not look for `/steady accept`: "
COMMENT = "warning title=steady::No comment: "

REQUESTS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("GET", "/issues/7/comments$", (ACCEPTS, COMMENT)),
    ("GET", "/permission$", (ACCEPTS,)),
    ("POST", "/comments$", (COMMENT,)),
    ("PATCH", "/comments/", (COMMENT,)),
)
"""What a comparison sends, and which sentences begin so where it fails."""


@ALL
def test_the_verdict_stands(scenario: Scenario, github: StandIn, cause: Cause) -> None:
    for method, path, beginnings in REQUESTS:
        begin(github, ACCEPT, *([OURS] if method == "PATCH" else []))
        if cause.status == 404 and path in ("/permission$", "/comments/"):
            continue  # so GitHub says that somebody has no rights, or a comment is gone
        cause.plant(github, method, path)
        scenario.timeout = SECONDS if cause.message == HANG else 30.0
        compare(scenario)
        sentences = told(scenario.log)
        assert len(sentences) == len(beginnings), (path, scenario.log)
        for sentence, beginning in zip(sentences, beginnings, strict=True):
            assert sentence.startswith(f"::{beginning}"), path
            assert re.search(cause.words, sentence), path
            assert COMMENT not in sentence or "the comment's text is in the job summ" in sentence
        assert len(github.bodies()) <= 1, path
        github.faults.clear()
        compare(scenario)
        assert len(github.bodies()) == 1, path
        assert told(scenario.log) == []


@each(*LOST)
@pytest.mark.parametrize("carried_out", [True, False])
def test_a_lost_answer_costs_nothing(
    scenario: Scenario, github: StandIn, cause: Cause, carried_out: bool
) -> None:
    for method, path, _ in REQUESTS:
        begin(github, ACCEPT, *([OURS] if method == "PATCH" else []))
        cause.plant(github, method, path, times=1, after=carried_out)
        scenario.timeout = SECONDS if cause.message == HANG else 30.0
        compare(scenario)
        assert len(github.bodies()) == 1, path
        assert told(scenario.log) == []
        sent = len(github.sent("POST", "/comments$"))
        assert sent == 1 - (method == "PATCH") + (method == "POST" and not carried_out), path


@pytest.mark.parametrize("login", [standin.BOT, "maintainer"])
def test_nobody_posts_twice_because_nobody_says_who_it_is(
    scenario: Scenario, github: StandIn, login: str
) -> None:
    github.viewer = login
    compare(scenario)
    for name in ("broken", "closed"):
        for method, path in (("POST", "/graphql"), ("GET", "/user$")):
            CAUSES[name].plant(github, method, path)
        compare(scenario)
        assert len(github.bodies(login)) == 1, name
        github.faults.clear()
    assert "No comment: " in scenario.log


def test_a_server_that_hangs_costs_what_is_stated(scenario: Scenario, github: StandIn) -> None:
    github.add_comment(*ACCEPT)
    for method in ("GET", "POST"):
        CAUSES["hangs"].plant(github, method, "", times=999)
    scenario.seconds = 1.0
    begun = monotonic()
    compare(scenario)
    # Without the limit it would be half a minute for each request.
    assert monotonic() - begun < 60.0
    assert len(told(scenario.log)) == 2
    for sentence in told(scenario.log):
        assert "did not answer within the 1 minute that a job waits for it" in sentence


@ALL
def test_what_a_fork_left_is_reported_later(
    fork: ForkScenario, github: StandIn, cause: Cause, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steady.github.artifacts.TIMEOUT_SECONDS", SECONDS)
    fork.scenario.timeout = SECONDS if cause.message == HANG else 30.0
    for path in (r"/actions/runs/\d+$", "/pulls$", r"/runs/\d+/artifacts$", "/zip$"):
        if path == "/zip$" and cause.status == 200 and cause.message != HANG:
            continue  # what comes instead of an archive is judged as a stranger's
        cause.plant(github, "GET", path)
        assert fork.report() == 2, path
        [sentence] = told(fork.scenario.log)
        assert re.search(cause.words, sentence), path
        assert sentence.removeprefix("::error title=steady::") in fork.scenario.summary
        assert github.comments == []
        github.faults.clear()
    assert fork.report() == 0
    assert len(github.bodies()) == 1


@ALL
def test_a_configuration_is_committed_once(tmp_path: Path, github: StandIn, cause: Cause) -> None:
    git = github.part(GitRepository).at(tmp_path / "repository.git")
    git.push("main", {"README.md": "hello\n"})
    change = Change({".steady/plan.json": b"{}\n"}, proof=".steady/plan.json")
    marker = "<!-- steady:default:plan-pull-request -->"
    branch = "steady/plan-default"
    target = Target("main", branch, "Update", f"{marker}\nthe receipt\n", marker)
    context = Context("push", REPOSITORY, github.url)
    timeout = SECONDS if cause.message == HANG else 30.0

    def commit() -> None:
        client = impatient(connect("token", github.url), timeout)
        patience = Patience(sleep=lambda _: None)
        commit_configuration(client, context, change, "Update", target, patience)

    for method, path in (
        ("GET", f"/repos/{REPOSITORY}$"), ("GET", "/git/ref/"), ("GET", "/git/commits/"),
        ("GET", "/git/trees/"), ("POST", "/git/trees$"), ("POST", "/git/commits$"),
        ("POST", "/git/refs$"), ("GET", "/pulls$"), ("POST", "/pulls$"),
    ):  # fmt: skip
        cause.plant(github, method, path)
        with pytest.raises(NotCommittedError, match=cause.words):
            commit()
        github.faults.clear()
        assert len(git.pulls) == 0
    for path in ("/git/refs$", "/pulls$"):
        cause.plant(github, "POST", path, times=1, after=True)
    with suppress(NotCommittedError):
        commit()
    commit()
    assert len(git.pulls) == 1
    assert git.git("rev-list", "--count", f"main..{branch}") == "1"
