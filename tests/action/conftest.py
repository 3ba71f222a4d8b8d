"""What tests of the action share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from action_scenario import Scenario
from fork_scenario import ForkScenario
from standin import StandIn
from standin_runs import storage

from tests.github.conftest import github as github


@pytest.fixture
def scenario(tmp_path: Path, github: StandIn) -> Scenario:
    """Return a workspace with two equal runs."""
    root = tmp_path / "workspace"
    root.mkdir()
    return Scenario(root, github.url)


@pytest.fixture
def fork(
    tmp_path: Path, github: StandIn, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ForkScenario]:
    """Return a job with rights, after the run of a stranger's pull request."""
    for folder in ("workspace", "temporary"):
        (tmp_path / folder).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    with storage() as elsewhere:
        yield ForkScenario(Scenario(tmp_path / "workspace", github.url), github, elsewhere)
