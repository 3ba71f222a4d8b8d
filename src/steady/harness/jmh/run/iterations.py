"""The iterations of one fork's record: some of them, or all, warm-up included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from steady.harness.jmh.read.json_results import STOPS
from steady.harness.jmh.run.fork_outcome import RAW, raw_data
from steady.harness.jmh.run.joint_stop import times_as_one
from steady.harness.jmh.run.scores import JmhRecord, kind_of

_WARMUP = "steadyWarmup"
_SAMPLED = "sample"


@dataclass(frozen=True, slots=True)
class Warmup:
    """What came before the measurements of a fork, as far as the record of JMH does not hold it.

    Parameters
    ----------
    scores : sequence of float
        The scores of the warm-up's iterations.
    turns : int
        How many measured turns take the time of one of them.
    """

    scores: Sequence[float]
    turns: int


def with_warmup(record: JmhRecord, warmup: Warmup) -> JmhRecord:
    """Return a record that remembers its warm-up, for `whole`."""
    return {**record, _WARMUP: asdict(warmup)}


def with_iterations(record: JmhRecord, start: int, end: int) -> JmhRecord:
    """Return a record of one fork with only some of its iterations, of all its results.

    What was not measured in each iteration stays as it is.
    """
    iterations = len(raw_data(record)[0])

    def cut(metric: JmhRecord) -> JmhRecord:
        rows = {key: metric[key] for key in RAW if key in metric}
        shorter = {
            key: [row[start:end] if len(row) == iterations else row for row in own]
            for key, own in rows.items()
        }
        kind = kind_of([metric])
        return {**metric, **({} if kind is None else kind(shorter["rawData"])), **shorter}

    secondary = record.get("secondaryMetrics", {})
    return {
        **record,
        "primaryMetric": cut(record["primaryMetric"]),
        "secondaryMetrics": {name: cut(metric) for name, metric in secondary.items()},
    }


def without_warmup(record: JmhRecord) -> JmhRecord:
    """Return the record of a fork that was stopped without the warm-up, even if JMH measured it."""
    if STOPS not in record:
        return record
    iterations = len(raw_data(record)[0])
    kept = with_iterations(record, iterations - record[STOPS]["iterations"], iterations)
    return {key: value for key, value in kept.items() if key != _WARMUP}


def whole(record: JmhRecord) -> JmhRecord:
    """Return the record of a fork that was stopped with all that it ran, as after --full.

    Turns become iterations as long as those of the warm-up. Secondary metrics are left out where
    the warm-up has none.
    """
    if STOPS not in record:
        return record
    kept = {key: value for key, value in record.items() if key not in (STOPS, _WARMUP)}
    if _WARMUP in record:
        kept = _with_all(kept, Warmup(**record[_WARMUP]))
    counts = {"warmupIterations": 0, "measurementIterations": len(raw_data(kept)[0])}
    return {**kept, **counts}


def _with_all(record: JmhRecord, warmup: Warmup) -> JmhRecord:
    metric, mode = record["primaryMetric"], record["mode"]
    key = next(key for key in RAW if key in metric)
    row = metric[key][0]
    groups = [
        _joined(row[start : start + warmup.turns], mode)
        for start in range(0, len(row) - warmup.turns + 1, warmup.turns)
    ]
    before = [[[score, 1]] if mode == _SAMPLED else score for score in warmup.scores]
    return {
        **record,
        "measurementTime": record["warmupTime"],
        "primaryMetric": {**metric, key: [[*before, *groups]]},
        "secondaryMetrics": {},
    }


def _joined(turns: Sequence[Any], mode: str) -> Any:
    """Return what one iteration had measured in place of some turns."""
    if mode == _SAMPLED:
        return [pair for histogram in turns for pair in histogram]
    more_is_better = mode == "thrpt"
    (one,) = times_as_one(np.array([turns], dtype=np.float64), more_is_better=more_is_better)
    return float(1 / one if more_is_better else one)
