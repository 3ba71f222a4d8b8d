"""A stand-in for GitHub, a job's workspace, and a run of a fork, for tests of several folders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from action_scenario import Scenario
    from fork_scenario import ForkScenario
    from standin import StandIn

# Imported where they are used: most tests need none of this.


@pytest.fixture
def github() -> Iterator[StandIn]:
    """Run a stand-in for GitHub."""
    import standin

    with standin.github() as state:
        yield state


@pytest.fixture
def scenario(tmp_path: Path, github: StandIn) -> Scenario:
    """Return a workspace with two equal runs."""
    from action_scenario import Scenario

    root = tmp_path / "workspace"
    root.mkdir()
    return Scenario(root, github.url)


@pytest.fixture
def fork(
    tmp_path: Path, github: StandIn, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ForkScenario]:
    """Return a job with rights, after the run of a stranger's pull request."""
    from action_scenario import Scenario
    from fork_scenario import ForkScenario
    from standin_runs import storage

    for folder in ("workspace", "temporary"):
        (tmp_path / folder).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    with storage() as elsewhere:
        yield ForkScenario(Scenario(tmp_path / "workspace", github.url), github, elsewhere)
