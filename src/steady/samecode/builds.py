"""The builds of a run, as their harness looks into them."""

from __future__ import annotations

from typing import Protocol

from steady.harness.trial import Held
from steady.samecode.decision import Decision


class Builds(Protocol):
    """The builds of base and head."""

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        """Decide for each benchmark whether it runs the same code.

        Parameters
        ----------
        held : mapping of str to collection of Identity
            The benchmarks of ``base`` and ``head``.
        """
        ...
