"""The number of benchmarks that a run measures simultaneously."""

from __future__ import annotations

from dataclasses import dataclass

from steady.engine.request import RunRequest
from steady.errors import InputError
from steady.harness.runs import Runs
from steady.harnesses import harness_named
from steady.processors import available_processors
from steady.text.numbers import count


@dataclass(frozen=True, slots=True)
class Simultaneous:
    """The number of benchmarks that are measured simultaneously, each as an interleaved pair.

    Parameters
    ----------
    measured : int
        Number in measured rounds.
    screened : int
        Number during screening.
    """

    measured: int = 1
    screened: int = 1

    @classmethod
    def by_default(cls, processors: int) -> Simultaneous:
        """Return the default for a number of processors.

        On two processors, a neighbour makes measured rounds less accurate than it makes them
        shorter; screening needs less accuracy (docs/measured.md). Machines with more processors
        have not been measured, so the default is the same there.
        """
        return cls(1, min(2, processors))

    @classmethod
    def of(cls, request: RunRequest, harness: Runs) -> Simultaneous:
        """Return the numbers of a run: those of ``--pairs``, or the default.

        Raises
        ------
        InputError
            If ``--pairs`` is above 1, and the harness or the machine does not support it.
        """
        processors = available_processors()
        interleaved = len(request.versions) > 1 and request.chosen_turns == "iterations"
        if request.pairs is None:
            possible = interleaved and harness.has_pairs
            return cls.by_default(processors) if possible else cls()
        if request.pairs > 1:
            given = f"--pairs {request.pairs}"
            if len(request.versions) == 1:
                raise InputError(f"{given} needs --base and --head")
            if not interleaved:
                raise InputError(
                    f"{given} needs interleaved forks; omit --turns {request.turns} or --pairs"
                )
            if not harness.has_pairs:
                title = harness_named(harness.name).title or "a command"
                raise InputError(f"{given} is not for {title}; omit it")
            if request.pairs > processors:
                available = count(processors, "is", "are")
                raise InputError(
                    f"{given} needs {request.pairs} processors, and {available} available; give a "
                    "smaller number"
                )
        return cls(request.pairs, request.pairs)

    def described(self, *, screening: bool) -> str:
        """Return the numbers as in ``run.json``; that of the screening only if there is one."""
        if screening and self.screened != self.measured:
            return f"{self.measured}, {self.screened} during screening"
        return str(self.measured)

    def announced(self, *, screening: bool) -> str:
        """Return the numbers for the announcement of a run; empty if both are 1."""
        if self.measured > 1:
            return f"{self.measured} benchmarks simultaneously"
        if screening and self.screened > 1:
            return f"{self.screened} benchmarks simultaneously during screening"
        return ""
