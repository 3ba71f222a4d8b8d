"""The process of a test binary and everything that it starts, from start to end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Event
from typing import IO

from steady.engine.processes import Group
from steady.errors import InputError
from steady.programs.process import Ended, Program, launched, run_alone

NO_TESTS = "-test.run=^$"


def start(binary: Path, *arguments: str, timeout: float, stop: Event | None = None) -> Ended:
    """Run a test binary in its own folder; see `steady.programs.process.run_alone`.

    Raises
    ------
    InputError
        If it cannot be started.
    """
    try:
        return run_alone(_program(binary, arguments), timeout, stop)
    except OSError as error:
        raise _not_run(binary, error) from None


def launched_binary(
    binary: Path, arguments: Sequence[str], output: int | IO[bytes], errors: int | IO[bytes]
) -> Group:
    """Start a test binary in its own folder, as the leader of a process group.

    Raises
    ------
    InputError
        If it cannot be started.
    """
    try:
        return launched(_program(binary, arguments), output, errors)
    except OSError as error:
        raise _not_run(binary, error) from None


def _program(binary: Path, arguments: Sequence[str]) -> Program:
    return Program((str(binary), NO_TESTS, *arguments), binary.parent)


def _not_run(binary: Path, error: OSError) -> InputError:
    return InputError(
        f"cannot be run ({error.strerror}); build it with go test -c on this machine",
        source=binary,
    )
