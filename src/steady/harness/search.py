"""The search for the benchmarks of a version."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from steady.harness.only import Only
from steady.model import Identity

LISTING_SECONDS = 30.0
"""Seconds after which a benchmark without a first result is left out."""


def _nobody(*_: object) -> None:
    """Ignore all arguments."""


@dataclass(frozen=True, slots=True)
class Search:
    """The benchmarks to search for, if that takes time: Go lists sub-benchmarks by running them.

    A harness may also find other benchmarks.

    Parameters
    ----------
    only : Only, optional
        Expression that their names must match.
    known : sequence of Identity
        The benchmarks in the plan.
    new : bool
        Whether to search for benchmarks that are not in the plan.
    left : callable
        Returns the seconds that are left for the whole search.
    seconds : float
        Longest duration of a benchmark during the search; longer ones are left out.
    functions : {"never", "if same", "always"}
        When to list a function of Go without its sub-benchmarks: never, only if base and head are
        identical (then all are skipped), or always.
    tell : callable
        Called with messages on the progress, and on benchmarks that are left out.
    lost : callable
        Called with each requested benchmark whose search failed, and the reason: it has no result,
        which the verdict reports.
    late : callable
        Called with each benchmark for whose search no time was left.
    """

    only: Only | None = None
    known: Sequence[Identity] = ()
    new: bool = True
    seconds: float = LISTING_SECONDS
    left: Callable[[], float] = lambda: math.inf
    functions: Literal["never", "if same", "always"] = "never"
    tell: Callable[[str], None] = _nobody
    lost: Callable[[Identity, str], None] = _nobody
    late: Callable[[Identity], None] = _nobody

    def wants(self, identity: Identity) -> bool:
        """Return whether a benchmark is requested."""
        return self.only is None or self.only.wants(identity)


EVERYTHING = Search()
