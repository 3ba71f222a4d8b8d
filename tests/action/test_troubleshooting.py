"""`docs/troubleshooting.md` holds what the log says, word for word."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from action_scenario import EVENT_FILE, Scenario, sentences, write_event
from git_scenario import git_server, run_git
from history_scenario import HEADER, Job
from projects import Project
from standin import HANG, StandIn
from test_build_script import Builder
from written_runs import NAMES, write_run

PAGE = Path(__file__).parents[2] / "docs/troubleshooting.md"
INTEGRATION = "Resource not accessible by integration"
LIMIT = "API rate limit exceeded for installation ID 1."
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try"

Failure = Callable[[Scenario, StandIn], object]


def failing(method: str, path: str, status: int, message: str = "", **headers: str) -> Failure:
    """Return a run of the action for which GitHub fails so."""

    def run(scenario: Scenario, github: StandIn) -> object:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        github.fail(method, path, status, times=99, message=message, headers=named)
        return scenario.compare()

    return run


def hanging(scenario: Scenario, github: StandIn) -> None:
    scenario.seconds = 0.5
    github.fail("GET", COMMENTS, 200, times=99, message=HANG)
    scenario.compare()
    scenario.log = scenario.log.replace("the 1 minute", "the 5 minutes")


def fork(scenario: Scenario, github: StandIn) -> None:
    write_event(scenario.root / EVENT_FILE, fork=True)
    github.read_only = True
    scenario.compare()


def deleted(scenario: Scenario, github: StandIn) -> None:
    scenario.compare()
    github.comments.clear()
    scenario.compare()


def settings_with_mistakes(scenario: Scenario, _: StandIn) -> None:
    (scenario.root / ".github").mkdir()
    (scenario.root / ".github/steady.yml").write_text("version: 1\nignore: 3\naccept: []\n")
    scenario.compare()


def accepted_by_a_stranger(scenario: Scenario, github: StandIn) -> None:
    write_run(scenario.root / "results/head.json", {**dict.fromkeys(NAMES, 1.0), NAMES[1]: 1.3})
    github.add_comment("/steady accept beta because", "stranger")
    scenario.compare()


def comments_unreadable(scenario: Scenario, github: StandIn) -> None:
    github.fail("GET", "/permission$", 403, message=INTEGRATION)
    accepted_by_a_stranger(scenario, github)


COMMENTS = "/comments$"
NOT_OURS = "Resource not accessible by personal access token"
FAILURES: tuple[tuple[str, Failure], ...] = (
    ("The token may not comment", failing("POST", COMMENTS, 403, INTEGRATION)),
    ("A token of your own may not comment", failing("POST", COMMENTS, 403, NOT_OURS)),
    (
        "The token cannot even see the pull request",
        failing("GET", COMMENTS, 404, "Not Found"),
    ),
    (
        "The token is expired or revoked, or is not a token",
        failing("GET", COMMENTS, 401, "Bad credentials"),
    ),
    ("No token is set", lambda scenario, _: scenario.compare({"INPUT_TOKEN": ""})),
    ("The pull request comes from a fork", fork),
    (
        "The conversation is locked",
        failing("POST", COMMENTS, 403, "Unable to create comment because issue is locked."),
    ),
    (
        "GitHub refuses the text",
        failing("POST", COMMENTS, 422, "Body is too long (maximum is 65536 characters)"),
    ),
    ("Somebody deleted the comment", deleted),
    (
        "No comment appears, and nothing went wrong",
        lambda scenario, _: scenario.compare(comment="regressions"),
    ),
    (
        "The event is not one of a pull request",
        lambda scenario, _: scenario.compare({"GITHUB_EVENT_NAME": "push"}),
    ),
    ("The settings file has mistakes", settings_with_mistakes),
    ("Somebody accepts a change who may not", accepted_by_a_stranger),
    ("The comments cannot be read", comments_unreadable),
    (
        "The rate limit is used up",
        failing(
            "GET", COMMENTS, 403, LIMIT, X_RateLimit_Reset="4102444800", X_RateLimit_Remaining="0"
        ),
    ),
    ("Too many requests at once", failing("POST", COMMENTS, 403, SECONDARY)),
    ("GitHub is down", failing("POST", COMMENTS, 502)),
    ("Nobody answers", failing("GET", COMMENTS, 0)),
    ("The server hangs", hanging),
    ("Something else answers there", failing("GET", COMMENTS, 200)),
    (
        "Something else answers there",
        failing("GET", COMMENTS, 404, "<!DOCTYPE html><title>Not Found</title>"),
    ),
    (
        "The address is not valid",
        lambda scenario, _: scenario.compare({"GITHUB_API_URL": "ghe.example.org"}),
    ),
)


def no_baseline(job: Job) -> None:
    job.compare(job.commit(), 1, target="")


def no_rights(job: Job) -> None:
    job.record(job.commit(), 1, token="ghs_another")


def protected(job: Job) -> None:
    commit = job.commit()
    job.protect()
    job.record(commit, 1)


HISTORY: tuple[tuple[str, Callable[[Job], None]], ...] = (
    ("No baseline was found", no_baseline),
    ("The token may not read or write the history's branch", no_rights),
    ("The history's branch is protected", protected),
)

BUILDS: Mapping[str, Mapping[str, str]] = {
    "The build of the pull request fails": {"BUILD": "exit 3", "JAR": "x.jar"},
    "The version before cannot be built": {"BUILD": "grep after source", "JAR": "source"},
    "The build leaves another file than `jar` names": {
        "BUILD": "true",
        "JAR": "target/benchmarks.jar",
    },
    "The version before is not there": {"BUILD": "true", "JAR": "x.jar"},
}


@pytest.mark.parametrize(("title", "failure"), FAILURES, ids=[title for title, _ in FAILURES])
@pytest.mark.thorough
def test_the_log_says_what_the_page_says(
    title: str, failure: Failure, tmp_path: Path, github: StandIn
) -> None:
    scenario = Scenario(tmp_path, github.url)
    failure(scenario, github)
    log = scenario.log.replace(github.url, "https://api.github.com").replace(f"{tmp_path}/", "")
    lines = [re.sub(r"^::\w+ title=steady::", "", line) for line in log.splitlines()]
    assert sentences(PAGE)[title] in lines


@pytest.mark.parametrize(("title", "failure"), HISTORY, ids=[title for title, _ in HISTORY])
def test_the_log_says_of_the_history_what_the_page_says(
    title: str, failure: Callable[[Job], None], tmp_path: Path, github: StandIn
) -> None:
    with git_server(tmp_path, HEADER) as (server, _):
        job = Job(tmp_path, server, github)
        failure(job)
        log = job.scenario.log.replace(server, "https://github.com")
    lines = [re.sub(r"^::\w+ title=steady::", "", line) for line in log.splitlines()]
    ours = [re.sub(r"(fetched|pushed) \(.*\); ", r"\1 (…); ", line) for line in lines]
    anonymous = [re.sub(r"\b[0-9a-f]{12}\b", "5f3c0b2a9d41", line) for line in ours]
    assert sentences(PAGE)[title] in anonymous, "\n".join(["log:", *anonymous])


@pytest.mark.parametrize(("title", "inputs"), BUILDS.items(), ids=list(BUILDS))
def test_the_build_says_what_the_page_says(
    title: str, inputs: Mapping[str, str], tmp_path: Path
) -> None:
    project = Project(tmp_path / "project")
    project.commit({"source": "before", "go.mod": "module x\n"})
    builder = Builder(project.folder, project.pull_request({"source": "after"}))
    if title == "The version before is not there":
        shallow = tmp_path / "shallow"
        whole = builder.workspace.as_uri()
        run_git(tmp_path, "clone", "--quiet", "--depth=1", whole, str(shallow))
        builder.workspace = shallow
    ran = builder.run(**inputs)
    log = ran.stdout.replace(str(builder.workspace), "/home/runner/work/shop/shop")
    lines = [line.removeprefix("::error title=steady::") for line in log.splitlines()]
    assert sentences(PAGE)[title] in lines


def test_every_sentence_of_the_page_is_provoked() -> None:
    assert set(sentences(PAGE)) == {title for title, _ in (*FAILURES, *HISTORY, *BUILDS.items())}
