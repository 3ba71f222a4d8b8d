"""JMH's secondary metrics: of profilers, of a group's threads, of auxiliary counters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from steady.errors import InputError
from steady.model import FloatArray, Metric
from steady.readers.fields import Field
from steady.readers.forks import Further, metric_of


def secondary_metrics(
    table: Field, names: Iterable[tuple[str, str]], kept: Sequence[int], like: Sequence[FloatArray]
) -> Further:
    """Read a record's secondary metrics.

    Parameters
    ----------
    table : Field
        ``secondaryMetrics`` of a record.
    names : iterable of (str, str)
        The keys to read, each with the name that the metric gets.
    kept : sequence of int
        Which of the record's forks have a main result.
    like : sequence of ndarray of float64
        The main result of these forks.
    """
    metrics: dict[str, Metric] = {}
    unread: dict[str, None] = {}
    for key, name in names:
        metric = _metric(table.member(key), kept, like)
        if metric is None or name in metrics:
            unread[name] = None
        else:
            metrics[name] = metric
    return metrics, tuple(unread)


def _metric(field: Field, kept: Sequence[int], like: Sequence[FloatArray]) -> Metric | None:
    """Return one metric; None where a profiler left no numbers of single iterations."""
    try:
        raw = field.member("rawData")
        rows = raw.rows()
        if rows is None:  # a text that stands for NaN or infinity, or something else
            rows = [fork.numbers() for fork in raw.items()]
        unit = field.member("scoreUnit").text()
    except InputError:  # profilers write what they like, and no verdict needs it
        return None
    if len(rows) <= max(kept):
        return None
    return metric_of(unit, [rows[index] for index in kept], like)
