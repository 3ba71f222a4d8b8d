"""Which benchmarks of a version to search for, and how long."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from steady.harness.only import Only
from steady.model import Identity

LISTING_SECONDS = 30.0
"""Seconds after which a benchmark that has not run once is left out."""


def _nobody(*_: object) -> None:
    """Hear nothing."""


@dataclass(frozen=True, slots=True)
class Search:
    """Which benchmarks to search for, if that costs time: Go shows them only by running them.

    A harness may find more than that.

    Parameters
    ----------
    only : Only, optional
        What their names must match.
    known : sequence of Identity
        The benchmarks in the plan.
    new : bool
        Whether to search for benchmarks that are not in the plan.
    left : callable
        Returns the seconds that are left for the whole search.
    seconds : float
        A benchmark that runs longer than this during the search is left out.
    functions : {"never", "if same", "always"}
        When the functions that hold benchmarks are enough, because their cases need not be known:
        if nothing differs between base and head and is left out, or always.
    tell : callable
        Gets lines about the progress, and about what is left out.
    lost : callable
        Gets each benchmark that is asked for and whose search did not come to its end, and why:
        it has no result, and no verdict passes over it.
    late : callable
        Gets each benchmark that there was no time to search for.
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
        """Tell whether the user asks for a benchmark."""
        return self.only is None or self.only.wants(identity)


EVERYTHING = Search()
