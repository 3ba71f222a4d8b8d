"""The result of a comparison: changes by their outcome, and one verdict."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from steady.compare.benchmark_change import (
    Change,
    Outcome,
    change_csv,
    change_frame,
    change_html,
    draw_changes,
    row_of,
)
from steady.compare.ledger import Ledger
from steady.compare.validity import Difference
from steady.model import Environment
from steady.text.numbers import count

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

MOST_TO_ASK_FOR = 10
"""Largest `min_change` that a suggestion gives, in percent. A noisier machine needs attention, and
a higher threshold would hide relevant changes."""

Verdict = Literal[
    "not comparable",
    "regression",
    "incomplete",
    "accepted",
    "improvement",
    "unclear",
    "unchanged",
    "same code",
]
"""Result of a whole comparison. If several verdicts apply, it is the first of them in this order.

Same code: all benchmarks have an identical code path in base and head, so none has changed.
"""

ALL = "all"
"""Placeholder for the names of all metrics."""


@dataclass(frozen=True, slots=True)
class Narrowing:
    """The restriction of a comparison.

    Parameters
    ----------
    only : str
        Regular expression that its benchmarks match; untrusted.
    left_out : int
        Number of measured benchmarks that do not match.
    """

    only: str
    left_out: int = 0


class ByOutcome:
    """Base class with `changes`, which it sorts by outcome and importance."""

    changes: tuple[Change, ...]

    @cached_property
    def regressions(self) -> tuple[Change, ...]:
        """The regressions that are not accepted, worst first."""
        return _worst_first(self._counted("regression"))

    @cached_property
    def improvements(self) -> tuple[Change, ...]:
        """The improvements that are not accepted, greatest first."""
        return tuple(sorted(self._counted("improvement"), key=lambda c: (c.worsening, c.identity)))

    @cached_property
    def unchanged(self) -> tuple[Change, ...]:
        """The unchanged benchmarks, the nearest to a regression first."""
        return _worst_first(self._counted("unchanged"))

    @cached_property
    def unclear(self) -> tuple[Change, ...]:
        """The unclear benchmarks: those with too few runs, then by upper bound, largest first."""
        changes = self._counted("unclear")
        return tuple(
            sorted(changes, key=lambda c: (not c.lacking, -c.excluded, -c.worsening, c.identity))
        )

    @cached_property
    def not_warm(self) -> tuple[Change, ...]:
        """The unclear benchmarks whose forks did not reach steady state in time."""
        return tuple(change for change in self._counted("unclear") if change.cold_seconds)

    @cached_property
    def accepted(self) -> tuple[Change, ...]:
        """The regressions and improvements that are accepted, worst first."""
        return _worst_first(change for change in self.changes if change.accepted is not None)

    def _counted(self, outcome: Outcome) -> list[Change]:
        return [c for c in self.changes if c.outcome == outcome and c.accepted is None]

    def _of_outcomes(self) -> Verdict:
        if self.regressions:
            return "regression"
        if any(change.outcome == "regression" for change in self.accepted):
            return "accepted"
        if self.improvements:
            return "improvement"
        return "unclear" if self.unclear else "unchanged"


@dataclass(frozen=True, eq=False)
class MetricComparison(ByOutcome):
    """Secondary metrics of base and head: allocation, and those that settings or options name.

    Parameters
    ----------
    changes : tuple of Change
        One for each compared metric of a benchmark, in the suite's order.
    shown : tuple of Change
        Metrics that are shown without an outcome.
    asked : tuple of str
        Names of the metrics to show regardless of their outcome.
    """

    changes: tuple[Change, ...] = ()
    shown: tuple[Change, ...] = ()
    asked: tuple[str, ...] = ()

    def is_asked_for(self, change: Change) -> bool:
        """Return whether a change is shown regardless of its outcome."""
        return is_asked_for(change.metric, self.asked)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict of all metrics; None if none was compared."""
        return self._of_outcomes() if self.changes else None


def is_asked_for(name: str, asked: Sequence[str]) -> bool:
    """Return whether a metric is requested, by its name or by ``all``."""
    return name in asked or ALL in asked


def _worst_first(changes: Iterable[Change]) -> tuple[Change, ...]:
    return tuple(sorted(changes, key=lambda c: (-c.worsening, c.identity)))


_PLURALS: Mapping[Outcome, str] = {
    "regression": "regressions",
    "improvement": "improvements",
    "unclear": "unclear",
    "unchanged": "unchanged",
}


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(ByOutcome):
    """The result of comparing head with base.

    Outcomes and verdict are those of the main results.

    Parameters
    ----------
    changes : tuple of Change
        One for each benchmark compared, in the suite's order.
    ledger : Ledger
        Every benchmark by its state: compared, failed, missing and so on.
    differences : tuple of Difference
        Differences between the environments of the two runs.
    rule : str
        Registered name of the rule.
    options : mapping of str to JSON scalars
        All options of the rule, defaults included.
    comparable : bool
        False if the environments differ and the options then allow no verdict.
    remarks : tuple of str
        Remarks on the whole comparison, one sentence each.
    metrics : MetricComparison
        Secondary metrics such as allocation, with outcomes and a verdict of their own.
    controls : tuple of Change
        Changes of benchmarks with an identical code path that were measured as a control. They
        can only be false alarms, and are not part of the verdict.
    narrowed : Narrowing, optional
        Restriction of the comparison; None if it includes all results.

    Examples
    --------
    >>> import numpy as np
    >>> import steady
    >>> random = np.random.default_rng(1)
    >>> base = steady.Suite.of({"parse": 100 + random.standard_normal((10, 20))}, unit="ns/op")
    >>> head = steady.Suite.of({"parse": 110 + random.standard_normal((10, 20))}, unit="ns/op")
    >>> comparison = steady.compare(base, head)
    >>> len(comparison.regressions), len(comparison.unchanged)
    (1, 0)
    >>> comparison.to_dict()["verdict"]
    'regression'
    """

    steady_comparison: ClassVar[Literal[2]] = 2
    """Version of the JSON format."""

    changes: tuple[Change, ...]
    ledger: Ledger
    differences: tuple[Difference, ...] = ()
    rule: str = "overlap"
    options: Mapping[str, str | float | int | bool | None] = field(default_factory=dict)
    comparable: bool = True
    base_environments: tuple[Environment, ...] = ()
    head_environments: tuple[Environment, ...] = ()
    remarks: tuple[str, ...] = ()
    metrics: MetricComparison = field(default_factory=MetricComparison)
    controls: tuple[Change, ...] = ()
    narrowed: Narrowing | None = None

    def __repr__(self) -> str:
        counts = Counter(change.outcome for change in self.changes)
        listed = ", ".join(
            count(counts[outcome], outcome, plural)
            for outcome, plural in _PLURALS.items()
            if counts[outcome]
        )
        return f"Comparison: {self.verdict} ({listed})"

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict and a mapping for each change; `to_json` writes all data."""
        return {
            "verdict": self.verdict,
            "rule": self.rule,
            "options": dict(self.options),
            "changes": [row_of(change) for change in self._all_changes],
        }

    def _repr_html_(self) -> str:
        return change_html(repr(self), self._in_order)

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a row for each change; requires the extra ``tables``.

        Rows and columns are those of ``changes`` in `to_dict`: a row for each benchmark compared,
        followed by a row for each secondary metric compared, with its name in ``metric``.
        ``change``, ``change_low`` and ``change_high`` (its confidence interval), ``smallest`` and
        ``excluded`` are fractions; ``base`` and ``head`` are in ``unit``. Unknown and infinite
        values are NaN.

        Raises
        ------
        MissingToolError
            If pandas is not installed.
        """
        return change_frame(self._all_changes)

    def to_csv(self) -> str:
        """Return the rows of `to_pandas` as CSV (RFC 4180), with formulas in texts disabled."""
        return change_csv(self._all_changes)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Plot the changes with their confidence intervals; requires the extra ``plot``.

        Parameters
        ----------
        ax : Axes, optional
            Axes to draw on; a new figure by default, which a notebook shows.

        Returns
        -------
        matplotlib.axes.Axes
            The axes with the changes, worst first. For very large suites, only the first changes
            are drawn.

        Raises
        ------
        InputError
            If no benchmark was compared.
        MissingToolError
            If matplotlib is not installed.
        """
        usual = float(self.options.get("min_change") or 0)
        return draw_changes(repr(self), self._in_order, usual, ax)

    @property
    def _all_changes(self) -> tuple[Change, ...]:
        return (*self.changes, *self.metrics.changes)

    @property
    def _in_order(self) -> tuple[Change, ...]:
        """Changed, unclear, then unchanged benchmarks; within each outcome, worst first."""
        changed = (*self.regressions, *self.improvements, *self.accepted)
        return (*changed, *self.unclear, *self.unchanged)

    def threshold(self, change: Change) -> float:
        """Return the smallest change to report: the benchmark's own, or that of the options."""
        usual = float(self.options.get("min_change") or 0)
        return usual if change.min_change is None else change.min_change

    @property
    def deciding_percent(self) -> int | None:
        """The `min_change`, in whole percent, from which half of the unclear ones are unchanged.

        None if it is above `MOST_TO_ASK_FOR`, or if nothing is unclear.
        """
        sizes = sorted(change.excluded for change in self.unclear)
        half = sizes[(len(sizes) - 1) // 2] if sizes else math.inf
        enough = math.floor(min(100 * half, MOST_TO_ASK_FOR)) + 1
        return enough if enough <= MOST_TO_ASK_FOR else None

    @property
    def has_checked(self) -> bool:
        """Whether a benchmark was compared, or all have an identical code path."""
        same = self.controls or self.ledger.same_code
        return bool(self.changes or (same and not self.ledger.not_run))

    @property
    def metric_verdict(self) -> Verdict | None:
        """The verdict of all metrics; None if none was compared."""
        verdict = self.metrics.verdict
        return verdict if verdict is None or self.comparable else "not comparable"

    @property
    def verdict(self) -> Verdict:
        """The verdict; see `Verdict`."""
        if not self.comparable:
            return "not comparable"
        if not self.regressions:
            if not self.ledger.complete or not self.has_checked:
                return "incomplete"
            if not self.changes:
                return "same code"
        return self._of_outcomes()
