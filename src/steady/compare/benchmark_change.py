"""The change of one benchmark: base and head side by side, and whether it is accepted."""

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
"""Unchanged: a change of the smallest size that counts is excluded. Unclear: it cannot be told."""


CHANGED: tuple[Outcome, ...] = ("regression", "improvement")
"""The outcomes of what changed."""


def relative_change(base: float, head: float) -> float:
    """Return (head - base) / base, as a signed fraction; from 0 to 0 nothing changed."""
    if base == 0:
        return 0.0 if head == 0 else math.copysign(math.inf, head)
    return (head - base) / abs(base)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A result with its confidence interval.

    Parameters
    ----------
    center, low, high : float
        In the benchmark's unit.
    forks, iterations : int
        Forks, and measurement iterations of all forks together, that stand behind it.
    score : float, optional
        What the harness's own tools show: JMH the mean of all iterations, benchstat the median.
        None where nobody knows it.
    """

    center: float
    low: float
    high: float
    forks: int
    iterations: int
    score: float | None = None

    def with_score(self, score: float | None) -> Estimate:
        """Return the same with another score."""
        return Estimate(self.center, self.low, self.high, self.forks, self.iterations, score)


@dataclass(frozen=True, slots=True)
class Change:
    """Base and head of one benchmark side by side.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    unit : str
        Of both estimates.
    direction : {"lower", "higher"}
        Which way is better.
    base, head : Estimate
        The two results.
    outcome : {"regression", "improvement", "unchanged", "unclear"}
        By the rule of the comparison.
    smallest : float
        The smallest relative change of the sign observed, as a fraction, that these two results
        could have shown: a change is reported exactly where it is at least as large. Infinite
        where none could have been.
    notes : tuple of str
        What else a reader should know, one plain sentence each.
    interval : tuple of (float, float), optional
        Of `ratio`, at the confidence of the rule: zero lies outside it exactly where the rule
        tells the two sides apart. None where the base is not positive.
    min_change : float, optional
        The smallest relative change that counts, as a fraction, where it is one of this
        benchmark's own; None where it is that of the comparison.
    accepted : Acceptance, optional
        What accepts this regression or improvement: the outcome stays what the rule found, and
        no verdict counts it.
    excluded : float, optional
        Larger relative changes than this, of either sign, are excluded at the confidence of the
        rule, or at `exclusion` where the options say it; infinite where none is.
    lacking : str, optional
        What the rule would need to judge at all, and does not have; such a change is unclear.
    metric : str
        Which further result was compared: ``gc.alloc.rate.norm``, ``allocs/op``; empty for the
        main result. Of a count, the estimates hold the smallest and the largest fork.
    refused : tuple of str
        Why entries that are about this change do not accept it: it is larger, or they expired.
    cold_seconds : float
        After how many seconds its forks were not warm, where that is why it is unclear; else 0.

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
        """Relative change of the value in its unit, head against base, as a signed fraction.

        Infinite where the base is 0 and the head is not.
        """
        return relative_change(self.base.center, self.head.center)

    @property
    def worsening(self) -> float:
        """`ratio` with its sign turned so that positive is worse."""
        return self.ratio if self.direction == "lower" else -self.ratio

    def __repr__(self) -> str:
        by = " to ".join(percent(end, signed=True) for end in self.interval or ())
        base, head = (f"{value(side.center)} {self.unit}" for side in (self.base, self.head))
        change = f"{percent(self.ratio, signed=True)} ({by or 'no interval'})"
        return visible(f"<{self.identity.label}: {self.outcome}, {change}, {base} to {head}>")


def meaning(change: Change) -> str:
    """Return what a change means: ``slower`` or ``faster`` of time and speed, else ``worse``.

    Empty if the two results are the same.
    """
    is_speed = change.direction == "higher" or math.isfinite(seconds_factor(change.unit))
    words = ("slower", "faster") if is_speed else ("worse", "better")
    if change.worsening == 0:
        return ""
    return words[0] if change.worsening > 0 else words[1]


def row_of(change: Change) -> dict[str, str | int | float | None]:
    """Return a change as a row of a table, None where there is no finite number.

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
"""The values of `row_of`, in its order."""

HEADER = ("benchmark", "outcome", "change", "interval", "base", "head", "unit")
"""Of the table in a notebook."""


def change_frame(changes: Iterable[Change]) -> pandas.DataFrame:
    """Return a row for each change; see `Comparison.to_pandas`."""
    from steady.tables.frames import frame_of_rows

    return frame_of_rows(map(row_of, changes), COLUMNS)


def change_csv(changes: Iterable[Change]) -> str:
    """Return the same rows as CSV."""
    from steady.tables.csv_text import csv_text

    return csv_text(list(COLUMNS), map(row_of, changes))


def change_html(sentence: str, changes: Sequence[Change]) -> str:
    """Return the first of the changes as a table of a notebook."""
    from steady.tables.html import html_table

    return html_table(sentence, HEADER, map(_cells, changes), len(changes))


def draw_changes(title: str, changes: Sequence[Change], threshold: float, ax: Axes | None) -> Axes:
    """Draw changes with their intervals, the first at the top."""
    from steady.plots.intervals import Intervals, draw_intervals

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
