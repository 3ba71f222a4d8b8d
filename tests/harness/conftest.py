"""Programs that speak the command line of Criterion.rs, built once."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "criterion" / "stand_in.c"


@pytest.fixture(scope="session")
def criterion_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the programs ``base`` and ``head``; head does ten times the work."""
    if not shutil.which("cc"):
        if os.environ.get("STEADY_REQUIRE_TOOLS"):
            pytest.fail("cc is not installed, and STEADY_REQUIRE_TOOLS is set")
        pytest.skip("cc is not installed")
    folder = tmp_path_factory.mktemp("criterion")
    for name, work in (("base", 1000), ("head", 10_000)):
        command = ["cc", "-O1", f"-DWORK={work}", str(SOURCE), "-o", str(folder / name)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
    return folder
