"""The pages quote the log verbatim: every quoted sentence is provoked here."""

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml
from action_scenario import EVENT_FILE, Scenario, sentences, write_event
from expressions import substituted, truth
from fork_scenario import ForkScenario, packed, results
from git_scenario import run_git
from history_scenario import Job
from projects import Project
from standin import HANG, StandIn
from standin_git import GitRepository
from standin_runs import Runs, add_pull
from test_build_script import Builder

from steady import safe_regex
from steady.action.measured_elsewhere import FILES, MOST_BENCHMARKS, MOST_LISTS, MOST_VALUES
from steady.github.artifacts import LIMITS
from steady.harness.suite_builder import MOST_CELLS_A_VALUE
from tests.looped import looped

DOCS = Path(__file__).parents[2] / "docs"
TROUBLES, COMMITTING, FORKS = (
    DOCS / f"{name}.md" for name in ("troubleshooting", "committing", "forks")
)
COMMENTS = "/comments$"
INTEGRATION = "Resource not accessible by integration"
MAY_NOT_PROPOSE = "GitHub Actions is not permitted to create or approve pull requests."
PERSONAL = "Resource not accessible by personal access token"
TOO_LONG = "Body is too long (maximum is 65536 characters)"
LIMIT = "API rate limit exceeded for installation ID 1."
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try"
ARCHIVED = "Repository was archived so is read-only."
RULES = "Repository rule violations found\n\nChanges must be made through a pull request."
BRANCH = "steady/plan-default"


@dataclass
class Stage:
    """A job with a simulated GitHub and additional environment variables."""

    scenario: Scenario
    github: StandIn
    git: GitRepository
    environ: dict[str, str] = field(default_factory=dict)

    def fail(self, method: str, path: str, status: int, message: str = "", **headers: str) -> None:
        """Make GitHub fail repeatedly in this way."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.github.fail(method, path, status, times=99, message=message, headers=named)

    def set(self, **variables: str) -> None:
        """Set variables of the job."""
        self.environ.update(variables)


def said(log: str) -> list[str]:
    """Return the log's sentences without their level."""
    return [re.sub(r"^::\w+ title=steady::", "", line) for line in log.splitlines()]


@pytest.fixture
def stage(scenario: Scenario, github: StandIn, git: GitRepository) -> Stage:
    """Return a job on the branch ``main``."""
    return Stage(scenario, github, git)


def hanging(stage: Stage) -> None:
    stage.scenario.seconds = 0.5
    stage.fail("GET", COMMENTS, 200, HANG)


def of_a_fork(stage: Stage) -> None:
    write_event(stage.scenario.root / EVENT_FILE, fork=True)
    stage.github.read_only = True


def deleted(stage: Stage) -> None:
    stage.scenario.compare()
    stage.github.comments.clear()


def settings_with_mistakes(stage: Stage) -> None:
    (stage.scenario.root / ".github").mkdir()
    settings = stage.scenario.root / ".github/steady.yml"
    settings.write_text("version: 1\nignore: 3\naccept: []\n")


def accepted_by_a_stranger(stage: Stage) -> None:
    stage.scenario.slow()
    stage.github.add_comment("/steady accept beta because", "stranger")


def comments_unreadable(stage: Stage) -> None:
    stage.fail("GET", "/permission$", 403, INTEGRATION)
    accepted_by_a_stranger(stage)


COMPARING: Mapping[str, Callable[[Stage], object]] = {
    "The token may not comment": lambda s: s.fail("POST", COMMENTS, 403, INTEGRATION),
    "A token of your own may not comment": lambda s: s.fail("POST", COMMENTS, 403, PERSONAL),
    "The token cannot even see the pull request": lambda s: s.fail("GET", COMMENTS, 404),
    "The token is expired or revoked, or is not a token": lambda s: s.fail("GET", COMMENTS, 401),
    "No token is set": lambda s: s.set(INPUT_TOKEN=""),
    "The pull request comes from a fork": of_a_fork,
    "The conversation is locked": lambda s: s.fail("POST", COMMENTS, 403, "issue is locked."),
    "GitHub refuses the text": lambda s: s.fail("POST", COMMENTS, 422, TOO_LONG),
    "Somebody deleted the comment": deleted,
    "No comment appears, and nothing went wrong": lambda s: s.set(INPUT_COMMENT="regressions"),
    "The event does not belong to a pull request": lambda s: s.set(GITHUB_EVENT_NAME="push"),
    "The settings file has mistakes": settings_with_mistakes,
    "A user without push access accepts a change": accepted_by_a_stranger,
    "The comments cannot be read": comments_unreadable,
    "The rate limit is used up": lambda s: s.fail(
        "GET", COMMENTS, 403, LIMIT, X_RateLimit_Reset="4102444800", X_RateLimit_Remaining="0"
    ),
    "Too many requests at once": lambda s: s.fail("POST", COMMENTS, 403, SECONDARY),
    "GitHub is down": lambda s: s.fail("POST", COMMENTS, 502),
    "GitHub does not answer": lambda s: s.fail("GET", COMMENTS, 0),
    "The server hangs": hanging,
    "Another server answers at that address": lambda s: s.fail(
        "GET", COMMENTS, 404, "<!DOCTYPE html>"
    ),
    "The address is not valid": lambda s: s.set(GITHUB_API_URL="ghe.example.org"),
}


@pytest.mark.parametrize("name", COMPARING)
@pytest.mark.thorough
def test_sentences_of_a_comparison(name: str, stage: Stage) -> None:
    COMPARING[name](stage)
    scenario = stage.scenario
    scenario.compare(stage.environ)
    log = scenario.log.replace(stage.github.url, "https://api.github.com")
    log = log.replace(f"{scenario.root}/", "").replace("the 1 minute", "the 5 minutes")
    assert sentences(TROUBLES)[name] in said(log)


def forbidden(stage: Stage) -> None:
    stage.git.rules |= {"main": (422, RULES), BRANCH: (422, "Reference update failed")}


def protected(stage: Stage) -> None:
    forbidden(stage)
    stage.set(INPUT_COMMIT="branch:main")


def a_strangers_commit(stage: Stage) -> None:
    stage.git.git("branch", BRANCH, "main")
    stage.git.push(BRANCH, {"README.md": "mine\n"})


def our_own_commit(stage: Stage) -> None:
    head = stage.git.push("main", {"a": "b\n"}, f"Plan\n\nSteady-Plan: {'a' * 40}\n")
    stage.set(GITHUB_EVENT_NAME="push", GITHUB_SHA=head)


def moving(stage: Stage) -> None:
    stage.fail("PATCH", "/git/refs/", 422, "Update is not a fast forward")
    stage.set(INPUT_COMMIT="branch:main")


PLANNING: Mapping[str, Callable[[Stage], object]] = {
    "The token may not write": lambda s: s.fail("POST", "/git/trees$", 403, INTEGRATION),
    "A classic personal token lacks write permission": lambda s: s.fail("POST", "/git/trees$", 404),
    "The token may not open pull requests": lambda s: s.fail("POST", "/pulls$", 403, INTEGRATION),
    "The repository does not let workflows open pull requests": lambda s: s.fail(
        "POST", "/pulls$", 403, MAY_NOT_PROPOSE
    ),
    "The branch is protected": protected,
    "A rule for all branches forbids steady's own": forbidden,
    "Somebody committed to steady's branch": a_strangers_commit,
    "The branch keeps moving": moving,
    "The branch is gone": lambda s: s.fail("GET", "/git/ref/", 404),
    "The repository is archived": lambda s: s.fail("POST", "/git/trees$", 403, ARCHIVED),
    "GitHub fails": lambda s: s.fail("POST", "/git/commits$", 502),
    "The run belongs to a pull request": lambda s: s.set(
        GITHUB_EVENT_NAME="pull_request", INPUT_COMMENT="never"
    ),
    "A commit of steady's own started the run": our_own_commit,
    "No token is set": lambda s: s.set(INPUT_TOKEN="", INPUT_COMMENT="never"),
}


@pytest.mark.parametrize("name", PLANNING)
def test_sentences_of_a_plan_that_is_not_committed(name: str, stage: Stage) -> None:
    main = str(stage.git.tip("main"))
    stage.set(GITHUB_EVENT_NAME="schedule", GITHUB_REF="refs/heads/main", GITHUB_SHA=main)
    stage.set(INPUT_COMMIT="pull-request")
    PLANNING[name](stage)
    scenario = stage.scenario
    code = scenario.optimize(stage.environ)
    sentence = sentences(COMMITTING)[name]
    assert [line for line in scenario.log.splitlines() if line.startswith("::")] == [sentence]
    assert code == int(sentence.startswith("::error"))
    assert (scenario.root / ".steady/plan.json").is_file()


def protected_history(job: Job) -> object:
    commit = job.commit()
    job.protect()
    return job.record(commit, 1)


HISTORY: Mapping[str, Callable[[Job], object]] = {
    "No baseline was found": lambda job: job.compare(job.commit(), 1, target=""),
    "The token may not read or write the history's branch": lambda job: job.record(
        job.commit(), 1, token="ghs_another"
    ),
    "The history's branch is protected": protected_history,
}


@pytest.mark.parametrize("name", HISTORY)
def test_sentences_of_the_history(name: str, job: Job) -> None:
    HISTORY[name](job)
    lines = said(job.scenario.log.replace(job.server, "https://github.com"))
    ours = [
        re.sub(r"(fetched|to branch steady-data) \(.*\); ", r"\1 (…); ", line) for line in lines
    ]
    anonymous = [re.sub(r"\b[0-9a-f]{12}\b", "5f3c0b2a9d41", line) for line in ours]
    assert sentences(TROUBLES)[name] in anonymous, "\n".join(["log:", *anonymous])


JAR = "target/benchmarks.jar"
BUILDS: Mapping[str, Mapping[str, str]] = {
    "The build of the pull request fails": {"BUILD": "exit 3", "JAR": "x.jar"},
    "Base cannot be built": {"BUILD": "grep after source", "JAR": "source"},
    "The build does not create the file that `jar` names": {"BUILD": "true", "JAR": JAR},
    "Base is not available": {"BUILD": "true", "JAR": "x.jar"},
}


@pytest.mark.parametrize("name", BUILDS)
def test_sentences_of_a_build(name: str, tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    project.commit({"source": "before", "go.mod": "module x\n"})
    builder = Builder(project.folder, project.pull_request({"source": "after"}))
    if name == "Base is not available":
        shallow = tmp_path / "shallow"
        whole = builder.workspace.as_uri()
        run_git(tmp_path, "clone", "--quiet", "--depth=1", whole, str(shallow))
        builder.workspace = shallow
    log = builder.run(**BUILDS[name]).stdout
    log = log.replace(str(builder.workspace), "/home/runner/work/shop/shop")
    assert sentences(TROUBLES)[name] in said(log)


def strange(fork: ForkScenario) -> None:
    fork.storage.content = packed(results() | {"../evil.sh": "rm -rf /"})


REPORTING: Mapping[str, Callable[[ForkScenario], object]] = {
    "The run failed": lambda fork: fork.run.update(conclusion="failure"),
    "It left no artifact": lambda fork: fork.github.part(Runs).artifacts.clear(),
    "The artifact holds something else": strange,
    "The pull request has moved on": lambda fork: fork.run.update(head_sha="d" * 40),
    "Two pull requests have the commit": lambda fork: add_pull(fork.github, 9),
    "The run waits": lambda fork: fork.run.update(conclusion="action_required"),
    "It is another workflow's run": lambda fork: fork.run.update(path=".github/workflows/x.yml"),
    "The token may not read artifacts": lambda fork: fork.github.fail(
        "GET", "/artifacts$", 403, times=99, message=INTEGRATION
    ),
    "The artifact has expired": lambda fork: fork.artifact.update(expired=True),
}


@pytest.mark.parametrize("name", REPORTING)
def test_sentences_of_a_report(name: str, fork: ForkScenario) -> None:
    REPORTING[name](fork)
    fork.report()
    assert sentences(FORKS)[name] in fork.scenario.log


def test_every_quoted_sentence_is_tested() -> None:
    assert set(sentences(TROUBLES)) == {*COMPARING, *HISTORY, *BUILDS}
    assert set(sentences(COMMITTING)) == set(PLANNING)
    assert set(sentences(FORKS)) == set(REPORTING)


def test_the_page_gives_the_current_limits() -> None:
    sizes = [f"{size // 2**20} MiB" for size in (LIMITS.archive, LIMITS.entry, LIMITS.total)]
    counts = [f"{LIMITS.ratio} times", f"{MOST_CELLS_A_VALUE} cells"]
    counts += [f"{most:,}" for most in (MOST_BENCHMARKS, MOST_LISTS, MOST_VALUES)]
    counts += [f"{safe_regex.SECONDS} seconds for one", f"{safe_regex.ALL_SECONDS} seconds of"]
    text = FORKS.read_text(encoding="utf-8")
    assert [words for words in (*sizes, *counts) if words not in text] == []
    assert [name for name in FILES if f"`{name}`" not in text] == []
    assert len(FILES) == 8


GH = '#!/bin/sh\nprintf "%s\\n" "$@"\n'


@looped(
    ("outcome", "verdict", "state"),
    [
        ("success", "unchanged", "success"),
        ("failure", "incomplete", "failure"),
        ("success", "", ""),  # nothing was compared
    ],
)
def test_the_documented_step_sets_a_status_for_each_verdict(
    tmp_path: Path, outcome: str, verdict: str, state: str
) -> None:
    outputs = {"verdict": verdict} if verdict else {}
    context = {
        "github": {"token": "t", "event": {"workflow_run": {"head_sha": "c" * 40}}},
        "steps": {"steady": {"outcome": outcome, "outputs": outputs}},
        "functions": {"cancelled": lambda: False},
    }
    [block] = re.findall(r"```yaml\n(.*?)```", FORKS.read_text(encoding="utf-8"), re.DOTALL)
    [step] = yaml.safe_load(block)
    assert truth(substituted(step["if"], context)) == bool(state)
    if not state:
        return
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "GITHUB_REPOSITORY": "octo/benchmarks"}
    given = {name: substituted(value, context) for name, value in step["env"].items()}
    command = ["bash", "-e", "-c", step["run"]]
    ran = subprocess.run(command, env=path | given, capture_output=True, text=True, check=True)
    status = f"-f context=steady -f state={state} -f description={verdict}"
    asked = f"api repos/octo/benchmarks/statuses/{'c' * 40} {status}"
    assert ran.stdout.split() == asked.split()
