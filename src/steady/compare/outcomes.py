"""Changes by what became of them: of the main results, and of the metrics beside them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from steady.compare.comparison import Change, Outcome, Verdict


class _HasChanges(Protocol):
    @property
    def changes(self) -> tuple[Change, ...]:
        """All of them."""


class ByOutcome:
    """What holds `changes`: those of each outcome, in the order in which a reader needs them."""

    @property
    def regressions(self: _HasChanges) -> tuple[Change, ...]:
        """The regressions that nobody acknowledged, worst first."""
        return _worst_first(_counted(self, "regression"))

    @property
    def improvements(self: _HasChanges) -> tuple[Change, ...]:
        """The improvements that nobody acknowledged, greatest first."""
        changes = _counted(self, "improvement")
        return tuple(sorted(changes, key=lambda c: (c.worsening, c.identity)))

    @property
    def unchanged(self: _HasChanges) -> tuple[Change, ...]:
        """What surely did not change by a size that counts, the nearest to a regression first."""
        return _worst_first(_counted(self, "unchanged"))

    @property
    def unclear(self: _HasChanges) -> tuple[Change, ...]:
        """What cannot be told, the least known first; too few runs before any of them."""
        changes = _counted(self, "unclear")
        return tuple(
            sorted(changes, key=lambda c: (not c.lacking, -c.excluded, -c.worsening, c.identity))
        )

    @property
    def acknowledged(self: _HasChanges) -> tuple[Change, ...]:
        """The regressions and improvements that are accepted, worst first."""
        return _worst_first(change for change in self.changes if change.acknowledged is not None)


@dataclass(frozen=True, eq=False)
class MetricComparison(ByOutcome):
    """Further results of base and head: allocation, and what the settings or a reader ask for.

    Parameters
    ----------
    changes : tuple of Change
        One for each metric compared of each benchmark, in the suite's order.
    shown : tuple of Change
        Metrics that were only to be shown: nothing is said of how they differ.
    """

    changes: tuple[Change, ...] = ()
    shown: tuple[Change, ...] = ()

    @property
    def verdict(self) -> Verdict | None:
        """The one word for all metrics; None where none was compared."""
        if not self.changes:
            return None
        if self.regressions:
            return "regression"
        if any(change.outcome == "regression" for change in self.acknowledged):
            return "acknowledged"
        if self.improvements:
            return "improvement"
        return "unclear" if self.unclear else "unchanged"


def _counted(holder: _HasChanges, outcome: Outcome) -> list[Change]:
    return [c for c in holder.changes if c.outcome == outcome and c.acknowledged is None]


def _worst_first(changes: Iterable[Change]) -> tuple[Change, ...]:
    return tuple(sorted(changes, key=lambda c: (-c.worsening, c.identity)))
