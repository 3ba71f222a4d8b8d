"""Builds libraries of C where they are used, with the compiler that is there."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from steady.errors import SteadyError
from steady.text.escape import visible

TURNS = Path(__file__).with_name("clock_turns.c")
_SECONDS = 60.0


class NoClockError(SteadyError):
    """A library cannot be built; the message is one line that says why."""


def built_library(folder: Path, source: Path = TURNS, use: str = "turns by the clock") -> Path:
    """Build a library, if nothing else is said the one that hands over by the clock.

    Parameters
    ----------
    folder : Path
        Where it is written.
    source : Path
        What it is built of.
    use : str
        What needs it, in the plural, for messages.

    Raises
    ------
    NoClockError
        If this is no Linux, or no compiler of C is there.
    """
    if sys.platform != "linux":
        raise NoClockError(f"{use} need Linux")
    compiler = shlex.split(os.environ.get("CC", "")) or ["cc"]
    if shutil.which(compiler[0]) is None:
        raise NoClockError(
            f"{use} need a compiler of C, and {visible(compiler[0])} is not there; "
            "install gcc or clang"
        )
    library = folder / f"{source.stem}.so"
    options = ("-O2", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl")
    try:
        built = subprocess.run(  # noqa: S603 - the user's own compiler
            [*compiler, *options], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        problem = "" if built.returncode == 0 else built.stderr.strip().partition("\n")[0]
    except (OSError, subprocess.TimeoutExpired) as error:
        problem = str(error)
    if problem or not library.is_file():
        raise NoClockError(f"{use} could not be built: {visible(problem)}")
    return library
