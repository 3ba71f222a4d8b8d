"""Which benchmarks run the same code in base and head: all of a program, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from steady.harness.runs import Runs
from steady.harness.trial import Held, Version
from steady.programs.program_runs import Place, ProgramRuns
from steady.programs.same_program import difference
from steady.samecode.builds import Builds
from steady.samecode.decision import Decision, decided


@dataclass(frozen=True, slots=True)
class GoogleBuilds(Builds):
    """The programs of base and head.

    Parameters
    ----------
    places : sequence of Place
        Of base and head.
    """

    places: Sequence[Place]

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        """Decide for each benchmark as for the program."""
        base, head = map(_program, self.places)
        why = "it is not known which program runs" if None in (base, head) else ""
        if base is not None and head is not None:
            why = difference(base, head)
        return decided(held, lambda _: why)


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
