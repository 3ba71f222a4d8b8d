"""The builds of a run, as their harness looks into them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from steady.harness.trial import Held
from steady.model import Identity
from steady.samecode.audit import Audit
from steady.samecode.decision import Decision


class Builds(Protocol):
    """The builds of base and head, or the only one; who learns nothing from forks only decides."""

    def within(self, left: Callable[[], float]) -> Builds:  # noqa: ARG002 - it takes no time
        """Return the same builds, which are looked into only as long as there is time.

        Parameters
        ----------
        left : callable
            Returns the seconds that are left. What is not known then counts as a difference.
        """
        return self

    def distances(self) -> Mapping[Identity, float]:
        """Return how far each benchmark is from what differs, as far as that is known.

        The nearest ones are measured first. Calls on the way to the nearest change, for example.
        """
        return {}

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        """Decide for each benchmark whether it runs the same code.

        Parameters
        ----------
        held : mapping of str to collection of Identity
            The benchmarks of ``base`` and ``head``.
        """
        ...

    def record(
        self,
        folder: Path,  # noqa: ARG002 - nothing was learned
        same: Collection[Identity] = (),  # noqa: ARG002
    ) -> None:
        """Write what the forks of a run have shown into its folder, for later runs.

        Parameters
        ----------
        folder : Path
            The folder.
        same : collection of Identity
            What runs the same code in both.
        """
        return

    def audited(
        self,
        decisions: Sequence[Decision],  # noqa: ARG002 - nothing was learned
        folder: Path,  # noqa: ARG002
        held: Held,  # noqa: ARG002
    ) -> Audit:
        """Hold the decisions against what the forks of a run have shown since.

        Parameters
        ----------
        decisions : sequence of Decision
            What runs the same code, as far as was known.
        folder : Path
            Of a run that left nothing out.
        held : mapping of str to collection of Identity
            The benchmarks of base and head.
        """
        return Audit()
