"""Run a program, end all processes that it started, and read its list of benchmarks."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import IO

from steady.errors import InputError, SteadyError
from steady.execution.fork_log import both_ends, excerpt
from steady.execution.processes import Group, kill_group, start_group, uninterrupted

_LOOKS_SECONDS = 0.1
"""Seconds between two checks of a process that may be stopped early."""

_PRINTING_SECONDS = 60.0
_WRITING_SECONDS = 300.0
_NOT_RUN = (126, 127)
"""Exit codes of ``env``, which starts the programs, if there is no such program."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run: its command, folder and environment.

    Parameters
    ----------
    command : tuple of str
        The program and its arguments, without a shell.
    folder : Path, optional
        Working directory; None for that of steady.
    environment : mapping of str to str
        Variables in addition to those of steady.
    """

    command: tuple[str, ...]
    folder: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended.

    Parameters
    ----------
    code : int
        Its exit code; if negative, the signal that ended it.
    output : str
        Its output, including errors; only both ends if it is very long.
    timed_out : bool
        Whether it was stopped because it took too long.
    turns : int
        Number of its turns, if it was interleaved with another process.
    place : int
        Number of the last benchmark that it arrived at, from 1, if it runs several.
    """

    code: int
    output: str
    timed_out: bool = False
    turns: int = 0
    place: int = 0

    @property
    def log(self) -> bytes:
        """Part of the output to keep if there is no result."""
        return excerpt(self.output.encode(errors="replace"))


class NotInTurnError(SteadyError):
    """Raised if two processes of a benchmark cannot be interleaved; the message is one line."""


def run_alone(
    program: Program, timeout: float, stop: Event | None = None, *, errors: int = subprocess.STDOUT
) -> Ended:
    """Run a program, then end all processes that it started.

    Parameters
    ----------
    program : Program
        The program.
    timeout : float
        Seconds after which it is stopped.
    stop : Event, optional
        Stops it early when set; for threads, which Ctrl-C does not reach.
    errors : int
        Destination of its errors, as in `subprocess`.

    Raises
    ------
    OSError
        If it cannot be started.
    """
    # A file, not a pipe: a process of the group could keep a pipe open forever.
    with tempfile.TemporaryFile() as output:
        process = None
        try:
            with uninterrupted():
                process = launched(program, output, errors)
            timed_out = not _ends(process, timeout, stop)
        finally:
            if process is not None:
                kill_group(process)
                process.wait()
        return Ended(process.returncode, text_of(output), timed_out)


def launched(program: Program, output: int | IO[bytes], errors: int | IO[bytes]) -> Group:
    """Start a program as the leader of a process group.

    Raises
    ------
    OSError
        If it cannot be started.
    """
    words = [f"{name}={value}" for name, value in program.environment.items()]
    command: Sequence[str] = ["env", *words, *program.command] if words else program.command
    return start_group(command, subprocess.DEVNULL, output, errors, program.folder)


def run_folder(version: Path) -> Path:
    """Return a version's working directory: its check-out, or steady's own for an environment."""
    return Path() if (version / "pyvenv.cfg").is_file() else version


def program_in(
    version: Path, words: Sequence[str], variables: Mapping[str, str] | None = None
) -> Program:
    """Return the program for a command in a version, preferring programs of its own environment."""
    folder = run_folder(version)
    checked_out = folder == version
    folders = [version / one for one in ((".venv/bin", "venv/bin") if checked_out else ("bin",))]
    found = (str((one / words[0]).absolute()) for one in folders if (one / words[0]).is_file())
    command = (next(found, words[0]), *words[1:])
    path = os.pathsep.join([str(folders[0].absolute()), os.environ.get("PATH", "")])
    more = {} if checked_out else {"PATH": path}
    return Program(command, folder, {**more, **(variables or {})})


def signal_of(code: int) -> str:
    """Return a message on the signal that ended a process, by its exit code; may be empty."""
    with suppress(ValueError):
        return f"was ended by {signal.Signals(-code).name}" if code < 0 else ""
    return f"was ended by signal {-code}"


def text_of(output: IO[bytes]) -> str:
    """Return both ends of the output that a process wrote to a file."""
    return both_ends(output).decode("utf-8", "replace")


def _ends(process: Group, timeout: float, stop: Event | None) -> bool:
    """Wait until a process ends; return False if it takes too long."""
    deadline = time.monotonic() + timeout
    # Poll only if necessary, so as not to wake a core while a benchmark is measured.
    pause = timeout if stop is None else _LOOKS_SECONDS
    while stop is None or not stop.is_set():
        left = deadline - time.monotonic()
        try:
            process.wait(max(min(pause, left), 0.0))
        except subprocess.TimeoutExpired:
            if left <= pause:
                return False
        else:
            break
    return True


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
