"""The builds of a run, as the part of their harness looks into them that is found here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from steady.harness import HARNESSES
from steady.harness.runs import Runs
from steady.harness.trial import Held, Version
from steady.samecode.decision import Decision


class Builds(Protocol):
    """The builds of base and head."""

    @property
    def nothing_differs(self) -> bool:
        """Whether base and head are known to be the same in all that benchmarks run and read."""
        return False

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        """Decide for each benchmark whether it runs the same code.

        Parameters
        ----------
        held : mapping of str to collection of Identity
            The benchmarks of ``base`` and ``head``.
        """
        ...


def builds_of(harness: Runs, versions: Sequence[Version]) -> Builds | None:
    """Return builds, as their harness looks into them; None if it does not.

    Parameters
    ----------
    harness : Runs
        What runs the benchmarks.
    versions : sequence of Version
        Base and head.
    """
    search = HARNESSES[harness.name].value.same_code if harness.name in HARNESSES else None
    return None if search is None else search.builds(harness, versions)
