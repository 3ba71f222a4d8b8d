"""What tests of the action share."""

from __future__ import annotations

from pathlib import Path

import pytest
from action_scenario import Scenario
from standin import StandIn

from tests.github.conftest import github as github


@pytest.fixture
def scenario(tmp_path: Path, github: StandIn) -> Scenario:
    """Return a workspace with two equal runs."""
    root = tmp_path / "workspace"
    root.mkdir()
    return Scenario(root, github.url)
