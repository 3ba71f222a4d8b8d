"""Which benchmarks of a version are looked for, and how long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from steady.model import Identity
from steady.run.only import Only

LISTING_SECONDS = 30.0
"""A benchmark that does not run once in so long is passed over."""


def _nobody(_: str) -> None:
    """Hear nothing."""


@dataclass(frozen=True, slots=True)
class Search:
    """Which benchmarks are looked for, where that costs time: Go tells them only by running them.

    A harness may find more than is asked for.

    Parameters
    ----------
    only : Only, optional
        What their names must match.
    known : sequence of Identity
        What the plan names.
    new : bool
        Whether those that the plan does not name are looked for.
    seconds : float
        After how long a benchmark that is run to see what it holds is passed over.
    tell : callable
        Is told in one line how far it is, and what is passed over.
    """

    only: Only | None = None
    known: Sequence[Identity] = ()
    new: bool = True
    seconds: float = LISTING_SECONDS
    tell: Callable[[str], None] = _nobody

    def wants(self, identity: Identity) -> bool:
        """Tell whether a benchmark is asked for."""
        return self.only is None or self.only.wants(identity)


EVERYTHING = Search()
