"""The strips of a whole report on one scale, and by what a reader may sort its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from steady.compare import Change, Comparison
from steady.model import Identity, Suite
from steady.report import legends
from steady.report.document import Tone
from steady.report.fork_levels import ForkLevels, fork_levels
from steady.report.strip import draw_scale, draw_strip
from steady.report.strip_scale import Scale


@dataclass(frozen=True, eq=False)
class Strips:
    """What a page needs to draw the rows of its table of changes.

    Parameters
    ----------
    scale : Scale
        Common to all.
    changes : mapping of Identity to Change
        Every benchmark that was compared.
    levels : mapping of Identity to ForkLevels
        Its forks and rounds, where the results are there.
    usual : float
        The smallest change that counts, where a benchmark has none of its own.
    """

    scale: Scale
    changes: Mapping[Identity, Change]
    levels: Mapping[Identity, ForkLevels]
    usual: float

    @classmethod
    def of(cls, comparison: Comparison, base: Suite | None, head: Suite | None) -> Strips:
        """Find the scale that suits all changes of a comparison."""
        levels = fork_levels(comparison.changes, base, head)
        scale = Scale.of(comparison.changes, [one.forks for one in levels.values()])
        changes = {change.identity: change for change in comparison.changes}
        return cls(scale, changes, levels, float(comparison.options.get("min_change") or 0))

    @property
    def has_forks(self) -> bool:
        """Whether forks are drawn, and not intervals alone."""
        return bool(self.levels)

    @property
    def has_rounds(self) -> bool:
        """Whether changes within rounds are drawn."""
        return any(one.rounds.size for one in self.levels.values())

    @property
    def legend(self) -> str:
        """What the signs mean."""
        return legends.strips(forks=self.has_forks, rounds=self.has_rounds)

    @property
    def axis(self) -> Markup:
        """The scale, to stand above the strips."""
        return draw_scale(self.scale)

    def threshold(self, identity: Identity) -> float:
        """Return the smallest change of a benchmark that counts."""
        own = self.changes[identity].min_change
        return self.usual if own is None else own

    def strip(self, identity: Identity, tone: Tone) -> Markup | None:
        """Draw the strip of a benchmark; None where the result of base is not positive."""
        change, levels = self.changes[identity], self.levels.get(identity)
        return draw_strip(change, levels, self.scale, tone, self.threshold(identity))
