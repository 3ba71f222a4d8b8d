"""The change of one benchmark or metric, and tables and plots of changes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from steady.model import Direction, Identity, seconds_factor
from steady.settings.repo_settings import Acceptance
from steady.text.escape import visible
from steady.text.numbers import percent, value

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

Outcome = Literal["regression", "improvement", "unchanged", "unclear"]
"""Outcome of a benchmark. *Unchanged*: a change of the smallest size to report is excluded.
*Unclear*: the benchmark is neither changed nor unchanged."""


CHANGED: tuple[Outcome, ...] = ("regression", "improvement")
"""The outcomes of changed benchmarks."""


def relative_change(base: float, head: float) -> float:
    """Return (head - base) / base as a signed fraction; 0 if both are 0."""
    if base == 0:
        return 0.0 if head == 0 else math.copysign(math.inf, head)
    return (head - base) / abs(base)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A result with its confidence interval.

    Parameters
    ----------
    center, low, high : float
        Estimate and endpoints of its interval, in the benchmark's unit.
    forks, iterations : int
        Numbers of forks, and of measured iterations in all forks.
    score : float, optional
        Score in the harness's own tools: for JMH the mean of all iterations, for benchstat the
        median. None if unknown.
    """

    center: float
    low: float
    high: float
    forks: int
    iterations: int
    score: float | None = None

    def with_score(self, score: float | None) -> Estimate:
        """Return the estimate with another score."""
        return Estimate(self.center, self.low, self.high, self.forks, self.iterations, score)


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one benchmark, or of one of its metrics, from base to head.

    Parameters
    ----------
    identity : Identity
        The benchmark.
    unit : str
        Unit of both estimates.
    direction : {"lower", "higher"}
        Which direction is better.
    base, head : Estimate
        The two results.
    outcome : {"regression", "improvement", "unchanged", "unclear"}
        Outcome by the rule of the comparison.
    smallest : float
        Smallest change with the observed sign that these results can detect, as a fraction. A
        change is reported if and only if it is at least that large. Infinite if none is
        detectable.
    notes : tuple of str
        Remarks for the reader, one sentence each.
    interval : tuple of (float, float), optional
        Confidence interval of `ratio`. It excludes zero if and only if the change is significant
        by the rule. None if base is not positive.
    min_change : float, optional
        The benchmark's own threshold as a fraction; None if the comparison's threshold applies.
    accepted : Acceptance, optional
        Entry that accepts the change. The outcome remains, but no verdict counts it.
    excluded : float, optional
        Upper bound on the size of the change, as a fraction, at the confidence level of the rule,
        or at that of the option `exclusion` if it is given. Infinite if no change is excluded.
    lacking : str, optional
        Data that the rule lacks for a decision; the change is then unclear.
    metric : str
        Name of the secondary metric, such as ``gc.alloc.rate.norm`` or ``allocs/op``; empty for
        the main result. For counts, the estimates contain the minimum and the maximum of the
        forks.
    refused : tuple of str
        Reasons why matching entries do not accept the change: it is larger, or they have expired.
    cold_seconds : float
        Time limit in seconds within which the forks did not reach steady state, if the change is
        unclear for this reason; otherwise 0.

    Examples
    --------
    >>> import numpy as np
    >>> import steady
    >>> random = np.random.default_rng(1)
    >>> base = steady.Suite.of({"parse": 100 + random.standard_normal((10, 20))}, unit="ns/op")
    >>> head = steady.Suite.of({"parse": 110 + random.standard_normal((10, 20))}, unit="ns/op")
    >>> [change] = steady.compare(base, head).changes
    >>> change
    <parse: regression, +9.9 % (+9.6 % to +10.2 %), 100.00 ns/op to 109.9 ns/op>
    >>> [f"{side:.1%}" for side in change.interval]
    ['9.6%', '10.2%']
    """

    identity: Identity
    unit: str
    direction: Direction
    base: Estimate
    head: Estimate
    outcome: Outcome
    smallest: float
    notes: tuple[str, ...] = ()
    interval: tuple[float, float] | None = None
    min_change: float | None = None
    accepted: Acceptance | None = None
    excluded: float = math.inf
    lacking: str = ""
    metric: str = ""
    refused: tuple[str, ...] = ()
    cold_seconds: float = 0.0

    @property
    def ratio(self) -> float:
        """Relative change of the value from base to head, as a signed fraction.

        Infinite if only base is 0.
        """
        return relative_change(self.base.center, self.head.center)

    @property
    def worsening(self) -> float:
        """`ratio` with its sign chosen so that positive is worse."""
        return self.ratio if self.direction == "lower" else -self.ratio

    def __repr__(self) -> str:
        by = " to ".join(percent(end, signed=True) for end in self.interval or ())
        base, head = (f"{value(side.center)} {self.unit}" for side in (self.base, self.head))
        change = f"{percent(self.ratio, signed=True)} ({by or 'no interval'})"
        return visible(f"<{self.identity.label}: {self.outcome}, {change}, {base} to {head}>")


def meaning(change: Change) -> str:
    """Return ``slower`` or ``faster`` for times and rates, otherwise ``worse`` or ``better``.

    Empty if the two results are equal.
    """
    is_speed = change.direction == "higher" or math.isfinite(seconds_factor(change.unit))
    words = ("slower", "faster") if is_speed else ("worse", "better")
    if change.worsening == 0:
        return ""
    return words[0] if change.worsening > 0 else words[1]


def row_of(change: Change) -> dict[str, str | int | float | None]:
    """Return a change as a row of a table, with None for numbers that are not finite.

    Changes, `smallest` and `excluded` are fractions: 0.05 is 5 %.
    """
    low, high = change.interval or (math.nan, math.nan)
    row: dict[str, str | int | float] = {
        "benchmark": change.identity.label,
        "metric": change.metric,
        "unit": change.unit,
        "outcome": change.outcome,
        "accepted": "" if change.accepted is None else change.accepted.reason,
        "change": change.ratio,
        "change_low": low,
        "change_high": high,
        "base": change.base.center,
        "head": change.head.center,
        "base_forks": change.base.forks,
        "head_forks": change.head.forks,
        "smallest": change.smallest,
        "excluded": change.excluded,
    }
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: str | int | float) -> str | int | float | None:
    return None if isinstance(value, float) and not math.isfinite(value) else value


COLUMNS: Mapping[str, type] = {
    "benchmark": str, "metric": str, "unit": str, "outcome": str, "accepted": str,
    "change": float, "change_low": float, "change_high": float, "base": float, "head": float,
    "base_forks": int, "head_forks": int, "smallest": float, "excluded": float,
}  # fmt: skip
"""Columns of `row_of` and their types, in the same order."""

HEADER = ("benchmark", "outcome", "change", "interval", "base", "head", "unit")
"""Column headings of the table in a notebook."""


def change_frame(changes: Iterable[Change]) -> pandas.DataFrame:
    """Return a row for each change; see `Comparison.to_pandas`."""
    from steady.tables import frame_of_rows

    return frame_of_rows(map(row_of, changes), COLUMNS)


def change_csv(changes: Iterable[Change]) -> str:
    """Return the rows of `change_frame` as CSV."""
    from steady.tables import csv_text

    return csv_text(list(COLUMNS), map(row_of, changes))


def change_html(sentence: str, changes: Sequence[Change]) -> str:
    """Return a table of the first changes for a notebook."""
    from steady.tables import html_table

    return html_table(sentence, HEADER, map(_cells, changes), len(changes))


def draw_changes(title: str, changes: Sequence[Change], threshold: float, ax: Axes | None) -> Axes:
    """Draw changes with their intervals, the first at the top."""
    from steady.plots.rows import Intervals, draw_intervals

    ends = [change.interval or (math.nan, math.nan) for change in changes]
    intervals = Intervals(
        [change.identity.label for change in changes],
        [change.outcome for change in changes],
        [change.ratio for change in changes],
        [low for low, _ in ends],
        [high for _, high in ends],
        threshold,
        title,
    )
    return draw_intervals(intervals, ax)


def _cells(change: Change) -> tuple[str, ...]:
    accepted = "" if change.accepted is None else ", accepted"
    ends = [percent(end, signed=True) for end in change.interval or ()]
    sides = (value(side.center) for side in (change.base, change.head))
    return (
        change.identity.label,
        f"{change.outcome}{accepted}",
        percent(change.ratio, signed=True),
        " to ".join(ends) or "–",
        *sides,
        change.unit,
    )
