"""A stand-in for GitHub, a job's workspace, and a run of a fork, for tests of several folders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from action_scenario import Scenario
    from fork_scenario import ForkScenario
    from history_scenario import Job
    from standin import StandIn
    from standin_git import GitRepository

# Fixtures import these modules on first use, because most tests do not need them.


@pytest.fixture
def github() -> Iterator[StandIn]:
    """Run a stand-in for GitHub."""
    import standin

    with standin.github() as state:
        yield state


@pytest.fixture
def git(github: StandIn, tmp_path: Path) -> GitRepository:
    """Return the stand-in's repository, with one commit on branch ``main``."""
    from standin_git import GitRepository

    return github.part(GitRepository).begun(tmp_path / "repository.git")


@pytest.fixture
def scenario(tmp_path: Path, github: StandIn) -> Scenario:
    """Return a workspace with two equal runs."""
    from action_scenario import Scenario

    root = tmp_path / "workspace"
    root.mkdir()
    return Scenario(root, github.url)


@pytest.fixture
def fork(
    tmp_path: Path, scenario: Scenario, github: StandIn, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ForkScenario]:
    """Return a privileged job after the run of an untrusted pull request."""
    from fork_scenario import ForkScenario
    from standin_runs import storage

    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    with storage() as elsewhere:
        yield ForkScenario(scenario, github, elsewhere)


@pytest.fixture
def job(tmp_path: Path, github: StandIn) -> Iterator[Job]:
    """Serve a repository with a history of results."""
    from git_scenario import git_server
    from history_scenario import HEADER, Job

    with git_server(tmp_path, HEADER) as (server, _):
        yield Job(tmp_path, server, github)
