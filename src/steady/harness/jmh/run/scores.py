"""Scores of a record, computed from its measurements as in JMH."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from steady.harness.fields import NON_FINITE
from steady.harness.jmh.read import json_results
from steady.harness.jmh.run.fork_outcome import RAW, raw_data
from steady.model import FloatArray
from steady.scipy_special import stdtrit
from steady.stats.samples import IntArray

CONFIDENCE = 0.999
RANKS = (0.0, 50.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999, 99.9999, 100.0)


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """Statistics of the measurements of all forks of a benchmark.

    Source: ``org.openjdk.jmh.util.ListStatistics`` and ``MultisetStatistics``.

    Parameters
    ----------
    values : ndarray of float64, shape (m,)
        Measurements in order of time; for histograms, the distinct values in ascending order.
    counts : ndarray of int64, shape (m,), optional
        For histograms, the count of each value; None for single values.
    """

    values: FloatArray
    counts: IntArray | None = None

    @classmethod
    def of_histograms(cls, histograms: Sequence[Sequence[tuple[float, int]]]) -> Statistics:
        """Return the sum of histograms; each is ``[[value, count], ...]``."""
        pairs = [pair for histogram in histograms for pair in histogram]
        values, places = np.unique(
            np.array([value for value, _ in pairs], dtype=np.float64), return_inverse=True
        )
        counts = np.zeros(len(values), dtype=np.int64)
        np.add.at(counts, places, np.array([count for _, count in pairs], dtype=np.int64))
        return cls(values, counts)

    @property
    def n(self) -> int:
        """Number of values."""
        return len(self.values) if self.counts is None else int(self.counts.sum())

    @property
    def mean(self) -> float:
        """Arithmetic mean; NaN without values."""
        return self.total / self.n if self.n else float("nan")

    @property
    def total(self) -> float:
        """Sum of all values."""
        return self._sum(self.values)

    @property
    def variance(self) -> float:
        """Sample variance; NaN for fewer than two values."""
        if self.n < 2:
            return float("nan")
        return self._sum((self.values - self.mean) ** 2) / (self.n - 1)

    @property
    def mean_error(self) -> float:
        """Half-width of the 99.9 % confidence interval; NaN for two values or fewer.

        Source: ``org.openjdk.jmh.util.AbstractStatistics.getMeanErrorAt``.
        """
        if self.n <= 2:
            return float("nan")
        quantile = stdtrit(self.n - 1, 1 - (1 - CONFIDENCE) / 2)
        return float(quantile * np.sqrt(self.variance) / np.sqrt(self.n))

    def percentile(self, rank: float) -> float:
        """Return a percentile; `rank` is between 0 and 100.

        Source for single values: ``Percentile`` of commons-math, type ``LEGACY``, which ignores
        NaN.
        """
        if self.counts is not None:
            return self._weighted_percentile(rank, self.counts)
        ordered = np.sort(self.values[~np.isnan(self.values)])
        if not ordered.size or (rank == 0.0 and ordered.size < self.n):
            return float("nan")
        position = rank / 100 * (ordered.size + 1)
        below = int(np.floor(position))
        if below < 1 or below >= ordered.size:
            return float(ordered[0 if below < 1 else -1])
        low, high = ordered[below - 1 : below + 1]
        return float(low + (position - below) * (high - low))

    def _weighted_percentile(self, rank: float, counts: IntArray) -> float:
        if not self.n:
            return float("nan")
        position = rank * (self.n + 1) / 100
        below = np.floor(position)
        places = np.searchsorted(np.cumsum(counts), [below, below + 1])
        low, high = self.values[np.minimum(places, len(self.values) - 1)]
        return float(low + (high - low) * (position - below))

    def _sum(self, terms: FloatArray) -> float:
        """Sum one term per measurement from left to right, like Java's loops."""
        counted = terms if self.counts is None else terms * self.counts
        return float(np.cumsum(counted)[-1]) if counted.size else 0.0


JmhRecord = dict[str, Any]
Kind = Callable[[Sequence[Sequence[Any]]], JmhRecord]

_COUNT_UNIT = "#"

_SUMS = frozenset({"gc.count", "gc.time"})
"""Metrics whose score is a sum, which for a single iteration equals the mean."""

_ABSENT: Mapping[str, Any] = {"rawData": [[]]}


def merged_record(records: Sequence[JmhRecord]) -> JmhRecord:
    """Return the record of several forks, merged from records of some forks each.

    Parameters
    ----------
    records : sequence of dict
        Records of one benchmark; members other than measurements are those of the first.
    """
    first = records[0]
    metric = first["primaryMetric"]
    rows = [row for record in records for row in raw_data(record)]
    statistics = statistics_of(rows, histogram=RAW[1] in metric)
    key = next(key for key in RAW if key in metric)
    return {
        **first,
        "primaryMetric": {**metric, **scores_of(statistics), key: rows},
        "secondaryMetrics": _secondary(records),
    }


def _secondary(records: Sequence[JmhRecord]) -> JmhRecord:
    """Merge the secondary metrics whose scores are means or sums.

    Counts of events, and percentiles in sample mode, are omitted because JMH does not write their
    values. A fork without a metric gets an empty row, as in JMH's own runs of several forks.
    """
    metrics = [record.get("secondaryMetrics", {}) for record in records]
    merged = {}
    for name in dict.fromkeys(chain.from_iterable(metrics)):
        own = [metric[name] for metric in metrics if name in metric]
        one = kind_of(own)
        if one is None or (json_results.is_percentile(name) and records[0]["mode"] == "sample"):
            continue
        kind = sum_of if json_results.metric_name(name) in _SUMS else one
        rows = [row for metric in metrics for row in metric.get(name, _ABSENT)["rawData"]]
        merged[name] = {**own[0], **kind(rows), "rawData": rows}
    return merged


def statistics_of(rows: Sequence[Sequence[Any]], *, histogram: bool) -> Statistics:
    """Return the statistics of rows of numbers or histograms, one row for each fork."""
    iterations = [iteration for row in rows for iteration in row]
    return Statistics.of_histograms(iterations) if histogram else Statistics(_numbers(iterations))


def scores_of(statistics: Statistics) -> JmhRecord:
    """Return the members of a record that contain statistics."""
    error = statistics.mean_error
    return {
        "score": _number(statistics.mean),
        "scoreError": _number(error),
        "scoreConfidence": [_number(statistics.mean - error), _number(statistics.mean + error)],
        "scorePercentiles": {str(r): _number(statistics.percentile(r)) for r in RANKS},
    }


def mean_of(rows: Sequence[Sequence[Any]]) -> JmhRecord:
    """Return the scores of a metric that JMH averages."""
    return scores_of(statistics_of(rows, histogram=False))


def sum_of(rows: Sequence[Sequence[Any]]) -> JmhRecord:
    """Return the scores of a metric that JMH sums (``AggregationPolicy.SUM``), without an error."""
    statistics = statistics_of(rows, histogram=False)
    total = _number(statistics.total)
    scores = scores_of(statistics)
    return {**scores, "score": total, "scoreError": "NaN", "scoreConfidence": [total, total]}


def kind_of(metrics: Sequence[JmhRecord]) -> Kind | None:
    """Return `mean_of` or `sum_of`, whichever reproduces all scores; None if neither does."""
    return next((kind for kind in (mean_of, sum_of) if all(_is(kind, m) for m in metrics)), None)


def _is(kind: Kind, metric: JmhRecord) -> bool:
    rows = metric.get("rawData", [])
    counted = metric.get("scoreUnit") == _COUNT_UNIT
    return bool(rows) and not counted and kind(rows)["score"] == metric["score"]


def _numbers(values: Sequence[Any]) -> FloatArray:
    return np.array([NON_FINITE.get(value, value) for value in values], dtype=np.float64)


def _number(value: float) -> float | str:
    """Return a number as JMH writes it in JSON."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+INF" if value > 0 else "-INF"
    return value


def times_as_one(scores: FloatArray, *, more_is_better: bool) -> FloatArray:
    """Return the time per operation of iterations that are combined into one.

    All iterations have the same length, so those with shorter operations have more of them.

    Parameters
    ----------
    scores : array of shape (sides, iterations)
        Times per operation, or operations per time if `more_is_better`.
    more_is_better : bool
        Whether scores are throughputs.

    Returns
    -------
    array of shape (sides,)
        Time per operation of each side.
    """
    with np.errstate(divide="ignore"):
        rates = scores if more_is_better else 1 / scores
        times: FloatArray = 1 / rates.mean(axis=1)
    return times
