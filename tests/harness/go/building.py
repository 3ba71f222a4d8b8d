"""Go test binaries for the tests."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.harness.program_trials import written

FLAGS = ("-trimpath", "-buildvcs=false")
SHOP = Path(__file__).parent / "samecode" / "shop"


def build(
    folder: Path,
    out: str = "out",
    *,
    flags: tuple[str, ...] = FLAGS,
    packages: str = "./...",
    **environment: str,
) -> Path:
    """Build packages of a module into a folder, or one into a file; return it."""
    path = folder / out
    # go vet is irrelevant here, and takes as long as the compiler.
    command = ["go", "test", "-c", "-vet=off", *flags, "-o"]
    place = str(path) if path.suffix else f"{path}{os.sep}"
    done = subprocess.run(
        [*command, place, *packages.split()],
        cwd=folder, capture_output=True, text=True, env=os.environ | environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return path


def build_shop(
    folder: Path,
    files: Mapping[str, str] = {},
    *,
    flags: tuple[str, ...] = FLAGS,
    packages: str = "./text",
) -> Path:
    """Copy the module of a shop to a new folder, with other files, and build packages of it."""
    shutil.copytree(SHOP, folder)
    return build(written(folder, files), flags=flags, packages=packages)
