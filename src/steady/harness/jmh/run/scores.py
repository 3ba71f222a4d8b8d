"""The scores of a record: what JMH computes from a result's measurements."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from steady.harness.jmh.run.statistics import RANKS, Statistics
from steady.model import FloatArray
from steady.readers.fields import NON_FINITE

JmhRecord = dict[str, Any]
Kind = Callable[[Sequence[Sequence[Any]]], JmhRecord]

_COUNT_UNIT = "#"


def statistics_of(rows: Sequence[Sequence[Any]], *, histogram: bool) -> Statistics:
    """Return the statistics of rows, one for each fork, of numbers or of histograms."""
    iterations = [iteration for row in rows for iteration in row]
    return Statistics.of_histograms(iterations) if histogram else Statistics(_numbers(iterations))


def scores_of(statistics: Statistics) -> JmhRecord:
    """Return the members of a record that say how large a result is."""
    error = statistics.mean_error
    return {
        "score": _number(statistics.mean),
        "scoreError": _number(error),
        "scoreConfidence": [_number(statistics.mean - error), _number(statistics.mean + error)],
        "scorePercentiles": {str(r): _number(statistics.percentile(r)) for r in RANKS},
    }


def mean_of(rows: Sequence[Sequence[Any]]) -> JmhRecord:
    """Return the scores of what is a mean of all measurements."""
    return scores_of(statistics_of(rows, histogram=False))


def sum_of(rows: Sequence[Sequence[Any]]) -> JmhRecord:
    """Return the scores of what JMH adds up (``AggregationPolicy.SUM``): it knows no error."""
    statistics = statistics_of(rows, histogram=False)
    total = _number(statistics.total)
    scores = scores_of(statistics)
    return {**scores, "score": total, "scoreError": "NaN", "scoreConfidence": [total, total]}


def kind_of(metrics: Sequence[JmhRecord]) -> Kind | None:
    """Return `mean_of` or `sum_of`, whichever makes the scores of all; None if neither does."""
    return next((kind for kind in (mean_of, sum_of) if all(_is(kind, m) for m in metrics)), None)


def _is(kind: Kind, metric: JmhRecord) -> bool:
    rows = metric.get("rawData", [])
    counted = metric.get("scoreUnit") == _COUNT_UNIT
    return bool(rows) and not counted and kind(rows)["score"] == metric["score"]


def _numbers(values: Sequence[Any]) -> FloatArray:
    return np.array([NON_FINITE.get(value, value) for value in values], dtype=np.float64)


def _number(value: float) -> float | str:
    """Return a number as JMH writes it."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+INF" if value > 0 else "-INF"
    return value
