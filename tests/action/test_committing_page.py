"""`docs/committing.md` holds what the log says, word for word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from action_scenario import Scenario, sentences
from standin import StandIn
from standin_git import GitRepository

PAGE = Path(__file__).parents[2] / "docs/committing.md"
MAY_NOT_PROPOSE = "GitHub Actions is not permitted to create or approve pull requests."
INTEGRATION = "Resource not accessible by integration"
RULES = "Repository rule violations found\n\nChanges must be made through a pull request."
BRANCH = "steady/plan-default"

Arrange = Callable[[StandIn, GitRepository, Scenario], dict[str, str | None]]
"""Prepares a failure, and returns the inputs and variables that it takes."""


def refused(method: str, path: str, status: int, message: str = "", **inputs: str) -> Arrange:
    """Return a failure of GitHub's."""

    def arrange(github: StandIn, *_: object) -> dict[str, str | None]:
        github.fail(method, path, status, message=message, times=99)
        return {f"INPUT_{name.upper()}": value for name, value in inputs.items()}

    return arrange


def forbidden(branch: str, message: str, commit: str) -> Arrange:
    """Return a rule of the repository's."""

    def arrange(_: StandIn, git: GitRepository, __: Scenario) -> dict[str, str | None]:
        git.rules[branch] = (422, message)
        return {"INPUT_COMMIT": commit}

    return arrange


def stranger(_: StandIn, git: GitRepository, __: Scenario) -> dict[str, str | None]:
    git.git("branch", BRANCH, "main")
    git.push(BRANCH, {"README.md": "mine\n"})
    return {}


def our_own_commit(_: StandIn, git: GitRepository, __: Scenario) -> dict[str, str | None]:
    head = git.push("main", {"a": "b\n"}, f"Plan\n\nSteady-Plan: {'a' * 40}\n")
    return {"GITHUB_EVENT_NAME": "push", "GITHUB_SHA": head}


def pull_request(*_: object) -> dict[str, str | None]:
    return {"GITHUB_EVENT_NAME": "pull_request", "INPUT_COMMENT": "never"}


def no_token(*_: object) -> dict[str, str | None]:
    return {"INPUT_TOKEN": "", "INPUT_COMMENT": "never"}


FAILURES: dict[str, Arrange] = {
    "The token may not write": refused("POST", "/git/trees$", 403, INTEGRATION),
    "A classic personal token has no right to write": refused("POST", "/git/trees$", 404),
    "The token may not open pull requests": refused("POST", "/pulls$", 403, INTEGRATION),
    "The repository does not let workflows open pull requests": refused(
        "POST",
        "/pulls$",
        403,
        MAY_NOT_PROPOSE,
    ),
    "The branch is protected": forbidden("main", RULES, "branch:main"),
    "A rule for all branches forbids steady's own": forbidden(
        BRANCH, "Reference update failed", "pull-request"
    ),
    "Somebody committed to steady's branch": stranger,
    "The branch keeps moving": refused(
        "PATCH", "/git/refs/", 422, "Update is not a fast forward", commit="branch:main"
    ),
    "The branch is gone": refused("GET", "/git/ref/", 404),
    "The repository is archived": refused(
        "POST", "/git/trees$", 403, "Repository was archived so is read-only."
    ),
    "GitHub fails": refused("POST", "/git/commits$", 502),
    "The run is one for a pull request": pull_request,
    "A commit of steady's own started the run": our_own_commit,
    "No token is set": no_token,
}


def test_the_page_has_every_failure() -> None:
    assert set(sentences(PAGE)) == set(FAILURES)


@pytest.mark.parametrize("name", FAILURES)
def test_the_log_says_what_the_page_says(name: str, github: StandIn, tmp_path: Path) -> None:
    git = github.part(GitRepository).at(tmp_path / "repository.git")
    git.push("main", {"README.md": "hello\n"})
    (tmp_path / "workspace").mkdir()
    scenario = Scenario(tmp_path / "workspace", github.url)
    environ = {
        "GITHUB_EVENT_NAME": "schedule",
        "GITHUB_REF": "refs/heads/main",
        "GITHUB_SHA": git.tip("main"),
        "INPUT_COMMIT": "pull-request",
        **FAILURES[name](github, git, scenario),
    }
    code = scenario.optimize(environ)
    sentence = sentences(PAGE)[name]
    assert [line for line in scenario.log.splitlines() if line.startswith("::")] == [sentence]
    assert code == int(sentence.startswith("::error"))
    assert (scenario.root / ".steady/plan.json").is_file()
