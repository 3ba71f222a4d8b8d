"""The base of a harness that is a program: its constants, and the programs that it needs."""

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


@dataclass(frozen=True, slots=True)
class Place:
    """One version of a program: where it is, and what is typed there.

    Parameters
    ----------
    target : Path
        Its folder, or the program itself.
    command : tuple of str
        The words behind ``--``; empty if there are none.
    """

    target: Path
    command: tuple[str, ...] = ()


class ProgramKind(Protocol):
    """A harness that is a program and writes JSON.

    A kind declares its constants, and says how its benchmarks are listed and by which program one
    of them is run. All else has a default.
    """

    title: str
    """The harness, as people write it."""

    format: EntriesFormat
    """Its JSON."""

    builder: str = ""
    """As in `Runs.builder`."""

    runner: str = ""
    """The program that runs in a check-out, as messages name it."""

    command_missing: str = ""
    """Message to a user who gives no command behind ``--``; empty if it needs none."""

    def check(self, place: Place) -> None:
        """Raise InputError if nothing of this kind can run: without a folder or a command."""
        if not place.target.is_dir():
            raise InputError(
                f"is not a folder; give the check-out in which {self.runner} runs, or a virtual "
                "environment",
                source=place.target,
            )
        if self.command_missing and not place.command:
            raise InputError(self.command_missing)

    def build(self, place: Place) -> None:  # noqa: ARG002
        """Build what is not built yet; only for kinds with a `builder`."""
        return

    def listed(self, place: Place) -> Sequence[Identity]:
        """List the benchmarks.

        Raises
        ------
        InputError
            If they cannot be listed; the message says why.
        """

    def program(self, place: Place, trial: Trial, result: Path) -> Program:
        """Return what runs one benchmark once, and writes its JSON to `result`."""

    def collect(self, result: Path) -> None:  # noqa: ARG002
        """Write `result`, if the program has ended and does not do it by itself."""
        return

    def counting(self, place: Place, identity: Identity, file: Path, library: str) -> Program:  # noqa: ARG002
        """Return what runs one benchmark once; only for kinds that count (`Running.counts`).

        It counts instructions if it gets a library, and else writes allocations to `file`.
        """
        raise TypeError(f"nothing counts for {identity.name} in {place.target}")

    def counted(self, file: Path) -> float:
        """Return the bytes that `counting` has written."""
        return number_in(file)

    def reason(self, output: str) -> str:
        """Return the line of a failed process's output that says why; empty if none does."""
