"""The library ``clock_turns.c``, built where it is used, with the compiler that is there."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from steady.errors import SteadyError
from steady.text.escape import visible

_SOURCE = Path(__file__).with_name("clock_turns.c")
_SECONDS = 60.0


class NoClockError(SteadyError):
    """Programs cannot take turns by the clock; the message is one line that says why."""


def built_library(folder: Path) -> Path:
    """Build the library that hands over by the clock.

    Parameters
    ----------
    folder : Path
        Where it is written.

    Raises
    ------
    NoClockError
        If this is no Linux, or no compiler of C is there.
    """
    if sys.platform != "linux":
        raise NoClockError("turns by the clock need Linux")
    compiler = shlex.split(os.environ.get("CC", "")) or ["cc"]
    if shutil.which(compiler[0]) is None:
        raise NoClockError(
            f"turns by the clock need a compiler of C, and {visible(compiler[0])} is not there; "
            "install gcc or clang"
        )
    library = folder / "clock_turns.so"
    options = ("-O2", "-shared", "-fPIC", "-o", str(library), str(_SOURCE), "-ldl")
    try:
        built = subprocess.run(  # noqa: S603 - the user's own compiler
            [*compiler, *options], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        problem = "" if built.returncode == 0 else built.stderr.strip().partition("\n")[0]
    except (OSError, subprocess.TimeoutExpired) as error:
        problem = str(error)
    if problem or not library.is_file():
        raise NoClockError(f"turns by the clock could not be built: {visible(problem)}")
    return library
