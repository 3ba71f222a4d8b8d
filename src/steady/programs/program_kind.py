"""A harness that is a program: its constants, its benchmarks, and the program that runs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from steady.errors import InputError
from steady.harness.trial import Trial
from steady.model import Identity
from steady.programs.counting import number_in
from steady.programs.entries_format import EntriesFormat
from steady.programs.process import Program
from steady.programs.shared_process import Member


@dataclass(frozen=True, slots=True)
class Place:
    """One version of a program: its location and command.

    Parameters
    ----------
    target : Path
        Its folder, or the program itself.
    command : tuple of str
        The command after ``--``; empty if there is none.
    """

    target: Path
    command: tuple[str, ...] = ()


class ProgramKind(Protocol):
    """A harness that is a program and writes JSON.

    A kind declares its constants, lists its benchmarks, and returns the program that runs one of
    them. Everything else has a default.
    """

    title: str
    """Display name of the harness."""

    format: EntriesFormat
    """Its JSON."""

    builder: str = ""
    """As in `Runs.builder`."""

    runner: str = ""
    """The program that runs in a check-out, for messages."""

    command_missing: str = ""
    """Error message if no command is given after ``--``; empty if none is needed."""

    native: bool = False
    """Whether its benchmarks are machine code, whose speed depends on the position of the stack."""

    def check(self, place: Place) -> None:
        """Raise InputError if the folder or the command is missing."""
        if not place.target.is_dir():
            raise InputError(
                f"is not a folder; give the check-out in which {self.runner} runs, or a virtual "
                "environment",
                source=place.target,
            )
        if self.command_missing and not place.command:
            raise InputError(self.command_missing)

    def build(self, place: Place) -> None:  # noqa: ARG002
        """Build a version if necessary; only for kinds with a `builder`."""
        return

    def listed(self, place: Place) -> Sequence[Identity]:
        """List the benchmarks.

        Raises
        ------
        InputError
            If they cannot be listed; the message has the reason.
        """

    def program(self, place: Place, trial: Trial, result: Path) -> Program:
        """Return the program that runs one benchmark once and writes JSON to `result`."""

    def shared_process(self, identity: Identity) -> str:  # noqa: ARG002
        """Return the name of the process that a benchmark can share; see `Runs.shared_process`."""
        return ""

    def loading(self, place: Place, identity: Identity) -> Program:
        """Return the program that only loads the benchmarks that share a process."""
        raise TypeError(f"{identity.name} in {place.target} cannot share a process")

    def together(self, place: Place, members: Sequence[Member], file: Path) -> Program:  # noqa: ARG002
        """Return the program that runs several benchmarks; only for kinds with `shared_process`.

        Before each of them, it calls ``steady_meet`` of ``clock_turns.c`` with its number, from 1.
        After each of them, it writes its result, with the seconds of the benchmark as `SECONDS`.

        Parameters
        ----------
        place : Place
            The version.
        members : sequence of (Trial, Path)
            The benchmarks in their order, with the file for the result of each.
        file : Path
            A file in which the program may find its list of benchmarks.
        """
        raise TypeError(f"{len(members)} benchmarks in {place.target} cannot share a process")

    def collect(self, result: Path) -> None:  # noqa: ARG002
        """Write `result` after the program has ended, if the program does not."""
        return

    def counting(self, place: Place, identity: Identity, file: Path, library: str) -> Program:  # noqa: ARG002
        """Return the program that runs one benchmark once; only for kinds with `Running.counts`.

        With a library it counts instructions; otherwise it writes allocations to `file`.
        """
        raise TypeError(f"nothing counts for {identity.name} in {place.target}")

    def counted(self, file: Path) -> float:
        """Return the number of bytes that `counting` wrote."""
        return number_in(file)

    def reason(self, output: str) -> str:
        """Return the reason from a failed process's output; empty if there is none."""
