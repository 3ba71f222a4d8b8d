"""Failures of GitHub, for each kind of request of the action.

Each test injects one fault into each kind of request. In all cases, the exit code is the verdict's,
report and outputs exist, one sentence reports the failure, and the run after the outage results in
one comment.
"""

import re
from time import monotonic

import pytest
import standin
from action_scenario import Scenario
from fork_scenario import ForkScenario
from standin import CUT, HANG, StandIn

from tests.looped import looped

SECONDS = 0.4
"""Timeout for a missing response."""

NOT_GITHUB = "is not GitHub's API|does not describe|does not list|contains no list of artifacts"
Cause = tuple[str, int, str, dict[str, str]]
CAUSES: dict[str, Cause] = {
    "refused": (r"\(403\)", 403, "Resource not accessible by integration", {}),
    "a proxy refuses": (NOT_GITHUB, 403, "<html>403</html>", {}),
    "not found": (r"\(404\)|does not see a branch", 404, "Not Found", {}),
    "broken": (r"failed \(500\)", 500, "<html>500</html>", {}),
    "bad gateway": (r"failed \(502\)", 502, "<html>502</html>", {}),
    "retry-after": (
        "rate limit is used up; run the job again in 60 minutes", 403, "wait",
        {"Retry-After": "3600"},
    ),
    "used up": (
        "rate limit is used up; run the job again after 2100-01-01 00:00 UTC", 403, "wait",
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4102444800"},
    ),
    "null": (NOT_GITHUB, 200, "null", {}),
    "a list": (NOT_GITHUB, 200, "[null]", {}),
    "breaks off": ("did not answer", 200, CUT, {}),
    "closed": ("did not answer", 0, "", {}),
    "hangs": ("did not answer", 200, HANG, {}),
}  # fmt: skip
"""Message for each fault, and the arguments of `StandIn.fail` that inject it."""

EVERY_DAY = ("refused", "null", "closed")
"""One fault of each kind that no other test injects; all others run each night."""

pytestmark = pytest.mark.slow
ALL = pytest.mark.parametrize(
    "name",
    [n if n in EVERY_DAY else pytest.param(n, marks=pytest.mark.thorough) for n in CAUSES],
)


def plant(github: StandIn, name: str, method: str, path: str, times: int = 99) -> None:
    """Make requests fail in this way."""
    _, status, message, headers = CAUSES[name]
    github.fail(method, path, status, message=message, headers=headers, times=times)


def begin(github: StandIn, *comments: tuple[str, str]) -> None:
    """Reset the server, with some comments on the pull request."""
    for held in (github.faults, github.requests, github.comments):
        held.clear()
    for body, login in comments:
        github.add_comment(body, login)


def told(log: str) -> list[str]:
    """Return the log's sentences about failed requests."""
    return [line for line in log.splitlines() if " title=steady::" in line and "Failed" not in line]


def compare(scenario: Scenario) -> None:
    """Compare a regression; verdict and report must exist whatever GitHub does."""
    scenario.slow()
    assert scenario.compare() == 1, scenario.log
    assert scenario.outputs["verdict"] == "regression"
    assert scenario.outputs["report"] == "steady-report/report.html"
    assert "beta" in scenario.summary
    assert "Traceback" not in scenario.log


OURS = ("<!-- steady:default -->\n### old\n", standin.BOT)
ACCEPT = ("/steady accept gamma because", "ada")
ACCEPTS = "notice title=steady::`/steady accept` comments were not read: "
COMMENT = "warning title=steady::No comment: "

REQUESTS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("GET", "/issues/7/comments$", (ACCEPTS, COMMENT)),
    ("GET", "/permission$", (ACCEPTS,)),
    ("POST", "/comments$", (COMMENT,)),
    ("PATCH", "/comments/", (COMMENT,)),
)
"""Requests of a comparison, and the start of the message if they fail."""


@ALL
def test_failures_of_github_do_not_change_the_verdict(
    scenario: Scenario, github: StandIn, name: str
) -> None:
    scenario.timeout = SECONDS if name == "hangs" else 30.0
    for method, path, beginnings in REQUESTS:
        begin(github, ACCEPT, *([OURS] if method == "PATCH" else []))
        if name == "not found" and path in ("/permission$", "/comments/"):
            continue  # GitHub's response for missing permissions, or a deleted comment
        plant(github, name, method, path)
        compare(scenario)
        sentences = told(scenario.log)
        assert len(sentences) == len(beginnings), (path, scenario.log)
        for sentence, beginning in zip(sentences, beginnings, strict=True):
            assert sentence.startswith(f"::{beginning}"), path
            assert re.search(CAUSES[name][0], sentence), path
            assert COMMENT not in sentence or "the comment's text is in the job summ" in sentence
        assert len(github.bodies()) <= 1, path
        github.faults.clear()
        compare(scenario)
        assert len(github.bodies()) == 1, path
        assert told(scenario.log) == []


@looped("login", [standin.BOT, "maintainer"])
def test_an_unknown_author_causes_no_second_comment(
    scenario: Scenario, github: StandIn, login: str
) -> None:
    begin(github)
    github.viewer = login
    compare(scenario)
    for name in ("broken", "closed"):
        plant(github, name, "POST", "/graphql")
        plant(github, name, "GET", "/user$")
        compare(scenario)
        assert len(github.bodies(login)) == 1, name
        github.faults.clear()
    assert "No comment: " in scenario.log


def test_a_hanging_server_costs_the_documented_time(scenario: Scenario, github: StandIn) -> None:
    github.add_comment(*ACCEPT)
    for method in ("GET", "POST"):
        plant(github, "hangs", method, "", times=999)
    scenario.seconds = 1.0
    begun = monotonic()
    compare(scenario)
    # Without the limit it would be half a minute for each request.
    assert monotonic() - begun < 60.0
    assert len(told(scenario.log)) == 2
    for sentence in told(scenario.log):
        assert "did not answer within the 1 minute that a job waits for it" in sentence


@ALL
def test_results_of_a_fork_are_reported_later(
    fork: ForkScenario, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steady.github.artifacts.TIMEOUT_SECONDS", SECONDS)
    fork.scenario.timeout = SECONDS if name == "hangs" else 30.0
    for path, permission in (
        (r"/actions/runs/\d+$", "actions: read"),
        ("/pulls$", "pull-requests: write"),
        (r"/runs/\d+/artifacts$", "actions: read"),
        ("/zip$", "actions: read"),
    ):
        if path == "/zip$" and name in ("null", "a list", "breaks off"):
            continue  # content in place of an archive is treated as untrusted
        plant(fork.github, name, "GET", path)
        assert fork.report() == 2, path
        [sentence] = told(fork.scenario.log)
        assert re.search(CAUSES[name][0], sentence), path
        assert name != "refused" or f"add `permissions: {permission}` to the job" in sentence
        assert sentence.removeprefix("::error title=steady::") in fork.scenario.summary
        assert fork.github.comments == []
        fork.github.faults.clear()
    assert fork.report() == 0
    assert len(fork.github.bodies()) == 1
