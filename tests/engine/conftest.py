"""What the tests of runs share."""

from __future__ import annotations

from pathlib import Path

import pytest
from whole_suite import Whole, whole_runs


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Whole:
    """Return what runs base and head of a suite, by the whole command."""
    return whole_runs(monkeypatch, tmp_path)
