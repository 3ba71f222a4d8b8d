"""Rows of a comparison: plain values, for tables in other tools."""

from __future__ import annotations

import math

from steady.compare.benchmark_change import Change

COLUMNS = (
    "benchmark", "metric", "unit", "outcome", "acknowledged", "change", "change_low",
    "change_high", "base", "head", "base_forks", "head_forks", "smallest", "excluded",
)  # fmt: skip
"""Changes, `smallest` and `excluded` are fractions: 0.05 is 5 %."""


def row_of(change: Change) -> tuple[str | int | float, ...]:
    """Return a change in the order of `COLUMNS`; a number is not finite where there is none."""
    low, high = change.interval or (math.nan, math.nan)
    return (
        change.identity.label,
        change.metric,
        change.unit,
        change.outcome,
        "" if change.acknowledged is None else change.acknowledged.reason,
        *(change.ratio, low, high, change.base.center, change.head.center),
        *(change.base.forks, change.head.forks, change.smallest, change.excluded),
    )
