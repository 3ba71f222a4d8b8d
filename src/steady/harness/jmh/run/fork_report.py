"""What a fork tells of its warm-up beside its scores: what an operation costs, and who compiles."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

COMPILING_SHARE = 0.05
"""A fork is not warm while compilers take more than this share of its processor time. In forks
that were warm it was 1 to 3 %, in others 10 to 65 % (docs/live-stopping.md)."""

_WINDOW = 10
"""Iterations over which that share is taken."""


@dataclass(frozen=True, slots=True)
class ForkReport:
    """The report of a fork after an iteration.

    Parameters
    ----------
    score : float
        Of this iteration.
    compiling, others : float
        Microseconds of processor time that its compilers, and its other threads, have taken so
        far; 0 where it does not tell.
    operations : int
        How many it has run so far; 0 where it does not tell.
    """

    score: float
    compiling: float = 0.0
    others: float = 0.0
    operations: int = 0

    @classmethod
    def parse(cls, text: bytes) -> ForkReport:
        """Read what a fork has written: a score, or all four.

        Raises
        ------
        ValueError
            If it is anything else.
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
        """Take what the fork tells after its next iteration."""
        self._told.append(told)

    @property
    def operations(self) -> int:
        """How many operations it has run; 0 where it does not tell."""
        return self._told[-1].operations if self._told else 0

    @property
    def cost(self) -> float:
        """Processor time of an operation in the latest iteration, without that of compilers.

        What else runs on the machine changes it less than the time by the clock. NaN where the
        fork does not tell.
        """
        if len(self._told) < 2:
            return math.nan
        before, now = self._told[-2:]
        operations, spent = now.operations - before.operations, now.others - before.others
        return spent / operations if operations > 0 and spent > 0 else math.nan

    @property
    def compiling(self) -> bool:
        """Whether compilers still take a considerable share of what the fork spends."""
        latest = self._told[-_WINDOW - 1 :]
        if len(latest) < 2:
            return False
        first, last = latest[0], latest[-1]
        compiled = max(last.compiling - first.compiling, 0.0)
        spent = compiled + last.others - first.others
        return compiled > COMPILING_SHARE * spent
