"""Which benchmarks run the same code in base and head: all of a program, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from steady.harness.runs import Runs
from steady.harness.trial import Held, Version
from steady.programs.program_runs import Place, ProgramRuns
from steady.programs.same_program import difference
from steady.samecode.decision import Builds, Decision, decided


@dataclass(frozen=True)
class GoogleBuilds(Builds):
    """The programs of base and head.

    Parameters
    ----------
    places : sequence of Place
        Of base and head.
    """

    places: Sequence[Place]

    @property
    def nothing_differs(self) -> bool:
        """Whether both are the same program for certain."""
        return not self._why

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        """Decide for each benchmark as for the program."""
        return decided(held, lambda _: self._why)

    @cached_property
    def _why(self) -> str:
        base, head = map(_program, self.places)
        if base is None or head is None:
            return "it is not known which program runs"
        return difference(base, head)


def google_builds(runs: Runs, versions: Sequence[Version]) -> GoogleBuilds:
    """Return the programs of base and head."""
    if not isinstance(runs, ProgramRuns):
        raise TypeError(f"{runs.name} does not run as a program")
    return GoogleBuilds([runs.place(version) for version in versions])


def _program(place: Place) -> Path | None:
    """Return the file that runs; None where a program of the system runs it, or may."""
    if not place.command:
        return place.target
    own = place.target / place.command[0]
    return own if "/" in place.command[0] and own.is_file() else None
