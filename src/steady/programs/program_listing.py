"""Read a list of benchmarks that a program prints or writes to a file."""

import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from steady.errors import InputError
from steady.programs.process import Ended, Program, run_alone, signal_of

_PRINTING_SECONDS = 60.0
_WRITING_SECONDS = 300.0
_NOT_RUN = (126, 127)
"""Exit codes of ``env``, which starts the programs, if there is no such program."""


def printed_list(program: Program, target: Path) -> list[str]:
    """Return the lines of the list that a program prints.

    Raises
    ------
    InputError
        If the program fails or takes too long; the message names `target`.
    """
    try:
        ended = run_alone(program, _PRINTING_SECONDS, errors=subprocess.DEVNULL)
    except OSError as error:
        raise InputError(
            f"{program.command[0]} cannot be run ({error.strerror})", source=target
        ) from None
    if ended.timed_out or ended.code != 0:
        why = signal_of(ended.code) or f"ended with exit code {ended.code}"
        if ended.timed_out:
            why = f"takes longer than {_PRINTING_SECONDS:g} s to list them"
        raise InputError(f"cannot list its benchmarks: {program.command[0]} {why}", source=target)
    return ended.output.splitlines()


@contextmanager
def written_list(
    program: Callable[[Path], Program],
    target: Path,
    *,
    cannot: str,
    install: str,
    reason: Callable[[str], str],
    fine: Collection[int] = (0,),
) -> Iterator[Path]:
    """Run a program that writes a list of benchmarks, and yield the file until it is read.

    Parameters
    ----------
    program : callable
        Returns the program, given the file to write.
    target : Path
        The version, for messages.
    cannot : str
        Beginning of the error message: ``"pytest cannot list its tests"``.
    install : str
        What to install if the program does not exist.
    reason : callable
        Returns the reason in its output; empty if there is none.
    fine : collection of int
        Exit codes of success.

    Raises
    ------
    InputError
        If there is no list.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder).resolve() / "listing.json"
        run = program(file)
        try:
            ended = run_alone(run, _WRITING_SECONDS)
        except OSError:
            ended = Ended(_NOT_RUN[0], "")
        if ended.code in _NOT_RUN:
            problem = f"holds no {run.command[0]} that can be executed; install {install}"
        elif ended.timed_out:
            problem = f"{cannot}: it takes longer than {_WRITING_SECONDS:g} s"
        elif ended.code in fine and file.is_file():
            yield file
            return
        else:
            problem = f"{cannot}: {reason(ended.output) or f'exit code {ended.code}'}"
        raise InputError(problem, source=target)
