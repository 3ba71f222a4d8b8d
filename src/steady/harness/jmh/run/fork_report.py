"""Reports of a fork on its warm-up: scores, processor time of operations, and of compilers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

COMPILING_SHARE = 0.05
"""A fork is cold while compilers take more than this share of its processor time: 1 to 3 % in warm
forks, 10 to 65 % in others (docs/live-stopping.md)."""

_WINDOW = 10
"""Iterations over which that share is computed."""


@dataclass(frozen=True, slots=True)
class ForkReport:
    """The report of a fork after an iteration.

    Parameters
    ----------
    score : float
        Score of the iteration.
    compiling, others : float
        Microseconds of processor time of its compilers, and of its other threads, so far; 0 if
        unknown.
    operations : int
        Number of operations so far; 0 if unknown.
    """

    score: float
    compiling: float = 0.0
    others: float = 0.0
    operations: int = 0

    @classmethod
    def parse(cls, text: bytes) -> ForkReport:
        """Parse a report: a score, or all four values.

        Raises
        ------
        ValueError
            If it has another form.
        """
        score, *spent = text.split()
        if not spent:
            return cls(float(score))
        compiling, others, operations = map(int, spent)
        return cls(float(score), float(compiling), float(others), operations)


@dataclass(eq=False)
class WarmUp:
    """The warm-up of one fork, iteration by iteration."""

    _told: list[ForkReport] = field(default_factory=list)

    def take(self, told: ForkReport) -> None:
        """Add the report of the next iteration."""
        self._told.append(told)

    @property
    def operations(self) -> int:
        """Number of operations so far; 0 if unknown."""
        return self._told[-1].operations if self._told else 0

    @property
    def cost(self) -> float:
        """Processor time of an operation in the latest iteration, without compilers.

        Other load on the machine changes it less than the elapsed time. NaN if unknown.
        """
        if len(self._told) < 2:
            return math.nan
        before, now = self._told[-2:]
        operations, spent = now.operations - before.operations, now.others - before.others
        return spent / operations if operations > 0 and spent > 0 else math.nan

    @property
    def compiling(self) -> bool:
        """Whether compilers still take more than `COMPILING_SHARE`."""
        latest = self._told[-_WINDOW - 1 :]
        if len(latest) < 2:
            return False
        first, last = latest[0], latest[-1]
        compiled = max(last.compiling - first.compiling, 0.0)
        spent = compiled + last.others - first.others
        return compiled > COMPILING_SHARE * spent
