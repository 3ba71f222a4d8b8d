"""A test binary, from its start to its end, with everything that it starts."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from steady.run.processes import kill_group


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of a process.

    Parameters
    ----------
    code : int
        Its exit code; negative: the signal that ended it.
    output : str
        All that it wrote, errors included.
    timed_out : bool
        Whether it was stopped because it took too long.
    """

    code: int
    output: str
    timed_out: bool = False


def run_to_end(command: Sequence[str], folder: Path, timeout: float) -> Ended:
    """Run a program in a process group of its own; nothing of the group is left afterwards.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    folder : Path
        Its working directory.
    timeout : float
        Seconds after which it is stopped.

    Raises
    ------
    OSError
        If it cannot be started.
    """
    # A file and not a pipe: what is left of the group may hold a pipe open for ever.
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(  # noqa: S603 - the user's own benchmarks
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        timed_out = False
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            kill_group(process)
            process.wait()
        output.seek(0)
        return Ended(process.returncode, output.read().decode("utf-8", "replace"), timed_out)
