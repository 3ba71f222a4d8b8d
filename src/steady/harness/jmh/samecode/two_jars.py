"""The jars of base and head: what runs the same code is read from them alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode.decide import decisions
from steady.harness.trial import Held, Version
from steady.samecode.builds import Builds
from steady.samecode.decision import Decision


@dataclass(frozen=True, slots=True)
class JmhBuilds(Builds):
    """The jars of base and head.

    Parameters
    ----------
    harness : JmhRuns
        Knows the arguments of the forks.
    versions : sequence of Version
        The jars.
    """

    harness: JmhRuns
    versions: Sequence[Version]

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        """Decide for each benchmark; no JVM starts."""
        base, head = (version.target for version in self.versions)
        return decisions(base, head, held, self.harness.arguments)
