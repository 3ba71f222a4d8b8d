"""What every test may ask for: the shared research data, and real tools."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder with the papers' data; skip where it is absent."""
    folder = Path(os.environ.get("STEADY_SHARED", ROOT.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip("the papers' data are not here: set STEADY_SHARED to their folder")
    return folder


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests whose tool is absent, or fail them where CI promises the tool."""
    for marker in item.iter_markers("needs"):
        for tool in marker.args:
            if shutil.which(tool) is None:
                if os.environ.get("STEADY_REQUIRE_TOOLS"):
                    pytest.fail(f"{tool} is not installed, and STEADY_REQUIRE_TOOLS is set")
                pytest.skip(f"{tool} is not installed")
