"""Changes by their outcome: of the main results, and of the metrics beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from steady.compare.benchmark_change import Change, Outcome

Verdict = Literal[
    "not comparable",
    "regression",
    "incomplete",
    "acknowledged",
    "improvement",
    "unclear",
    "unchanged",
    "same code",
]
"""Of a whole comparison; where several hold, the first in this order.

Same code: all benchmarks run the same code in base and in head, so that none can have changed.
"""

ALL = "all"
"""Stands for the names of all metrics."""


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
    asked : tuple of str
        Names of the metrics that a reader wants to see whatever became of them.
    """

    changes: tuple[Change, ...] = ()
    shown: tuple[Change, ...] = ()
    asked: tuple[str, ...] = ()

    def is_asked_for(self, change: Change) -> bool:
        """Tell whether a reader wants to see a change, whatever became of it."""
        return is_asked_for(change.metric, self.asked)

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


def is_asked_for(name: str, asked: Sequence[str]) -> bool:
    """Tell whether a metric is among those that a reader wants to see; ``all`` are."""
    return name in asked or ALL in asked


def _counted(holder: _HasChanges, outcome: Outcome) -> list[Change]:
    return [c for c in holder.changes if c.outcome == outcome and c.acknowledged is None]


def _worst_first(changes: Iterable[Change]) -> tuple[Change, ...]:
    return tuple(sorted(changes, key=lambda c: (-c.worsening, c.identity)))
