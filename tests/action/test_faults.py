"""What may go wrong on the way to GitHub, for each kind of request of the action.

Each test plants one cause into one kind of request after the other. Whatever happens: the exit
code is the verdict's, report and outputs are there, one sentence says what went wrong, and the run
after the outage leaves one comment, one check run and one pull request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
import standin
from action_scenario import EVENT_FILE, NAMES, Scenario, write_event, write_run
from fork_scenario import ForkScenario
from standin import CUT, HANG, REPOSITORY, StandIn
from standin_checks import Checks
from standin_git import GitRepository
from standin_permissions import Permissions
from standin_runs import storage

from steady.github import Context, connect
from steady.github.commit_content import Change, CommitMessage, File
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

ALL = pytest.mark.parametrize("cause", CAUSES.values(), ids=CAUSES)


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
    """Forget what was, and let a pull request have some comments."""
    for held in (github.faults, github.requests, github.comments, github.part(Checks).runs):
        held.clear()  # type: ignore[attr-defined]
    github.part(Checks).annotations.clear()
    for body, login in comments:
        github.add_comment(body, login)


def warned(scenario: Scenario) -> str:
    """Return the one sentence on what went wrong on the way."""
    lines = [line for line in scenario.log.splitlines() if line.startswith("::")]
    told = [line for line in lines if " title=steady::" in line and "as `fail-on`" not in line]
    assert len(told) == 1, scenario.log
    return told[0]


def left(github: StandIn) -> tuple[int, int]:
    """Return how many comments and check runs of ours there are."""
    return len(github.bodies()), len(github.part(Checks).runs)


def compared(scenario: Scenario) -> None:
    """Compare; whatever GitHub does, the verdict and the report are there."""
    scenario.seconds = 60.0
    assert scenario.compare(check="true", when_resolved="minimize") == 1, scenario.log
    assert scenario.outputs["verdict"] == "regression"
    assert scenario.outputs["report"] == "steady-report/report.html"
    assert "beta" in scenario.summary
    assert "Traceback" not in scenario.log


OURS = ("<!-- steady:default -->\n<!-- steady-verdict: unchanged -->\n### old\n", standin.BOT)
ACCEPT = ("/steady accept gamma because", "ada")


@ALL
@pytest.mark.parametrize(
    ("method", "path", "what"),
    [
        ("GET", "/permission$", "steady did not look for `/steady accept`: "),
        ("POST", "/comments$", "No comment: "),
        ("PATCH", "/comments/", "No comment: "),
        ("GET", "/check-runs$", "No check run: "),
        ("POST", "/check-runs$", "No check run: "),
    ],
)
def test_the_verdict_stands(
    scenario: Scenario, github: StandIn, cause: Cause, method: str, path: str, what: str
) -> None:
    pass
