"""The record of a fork that was stopped: JMH's JSON, or the same written from JMH's log.

Of its iterations some are kept, or all, warm-up included.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from steady.engine.live_stop import Stopped
from steady.harness.jmh.configure.expressible import duration
from steady.harness.jmh.read.json_results import STOPS
from steady.harness.jmh.read.log_record import LoggedBenchmark
from steady.harness.jmh.run.fork_outcome import RAW, raw_data, read_records
from steady.harness.jmh.run.joint_stop import times_as_one
from steady.harness.jmh.run.scores import JmhRecord, kind_of, merged_record
from steady.harness.trial import Trial
from steady.model import ExecutionConfiguration

_WARMUP = "steadyWarmup"
"""Key of what came before the measurements of a fork, as far as JMH's record does not hold it: the
scores, and how many measured turns take the time of one of these iterations."""

_SAMPLED = "sample"


def stopped_record(
    benchmark: LoggedBenchmark, trial: Trial, stopped: Stopped, values: Sequence[float]
) -> JmhRecord:
    """Return the record that JMH would have written for the iterations that were kept.

    Parameters
    ----------
    benchmark : LoggedBenchmark
        What JMH's log says.
    trial : Trial
        The trial that JMH ran.
    stopped : Stopped
        What is kept.
    values : sequence of float
        The scores of all iterations, warm-up first.

    Returns
    -------
    dict
        JMH's own members and `steadyStop`. Secondary metrics are left out, because JMH's log has
        them only if the fork ends by itself.
    """
    identity = trial.identity
    jdk, name, version = benchmark.virtual_machine
    record: JmhRecord = {
        "jmhVersion": benchmark.headings.get("JMH version", ""),
        "benchmark": identity.name,
        "mode": identity.mode,
        "threads": identity.threads,
        "forks": 1,
        "jvm": benchmark.headings.get("VM invoker", ""),
        "jvmArgs": benchmark.options,
        "jdkVersion": jdk,
        "vmName": name,
        "vmVersion": version,
        **_members(trial, stopped),
        **({"params": dict(identity.params)} if identity.params else {}),
        STOPS: asdict(stopped),
        "primaryMetric": {"scoreUnit": benchmark.unit, "rawData": [values[stopped.warmup :]]},
    }
    return merged_record([record])


def note_stop(
    path: Path, trial: Trial, stopped: Stopped, warmup_scores: Sequence[float], turns: int
) -> None:
    """Note in a fork's result how much it ran before it was stopped.

    Parameters
    ----------
    path : Path
        JMH's JSON of one fork; turns beyond the last one of the pair are left out.
    trial : Trial
        What JMH ran.
    stopped : Stopped
        What is kept.
    warmup_scores : sequence of float
        The scores of the warm-up's iterations, which JMH leaves out.
    turns : int
        How many measured turns take the time of one of them.
    """
    (record,) = read_records(path)
    warmup = {"scores": warmup_scores, "turns": turns}
    noted = {**record, **_members(trial, stopped), STOPS: asdict(stopped), _WARMUP: warmup}
    write_record(path, _with_iterations(noted, 0, stopped.iterations))


def _members(trial: Trial, stopped: Stopped) -> JmhRecord:
    """Return the members of a record that say what is kept of a fork."""
    kept = replace(
        trial.configuration,
        warmup_iterations=stopped.warmup,
        iterations=stopped.iterations,
        warmup_batch_size=trial.configuration.batch_size,
    )
    return configuration_members(kept, trial.identity.mode)


def configuration_members(configuration: ExecutionConfiguration, mode: str) -> JmhRecord:
    """Return a configuration in the form of JMH's records."""
    return {
        "forks": configuration.forks,
        "warmupIterations": configuration.warmup_iterations,
        "warmupTime": str(duration(configuration.warmup_seconds, mode) or "single-shot"),
        "warmupBatchSize": configuration.warmup_batch_size,
        "measurementIterations": configuration.iterations,
        "measurementTime": str(duration(configuration.iteration_seconds, mode) or "single-shot"),
        "measurementBatchSize": configuration.batch_size,
    }


def write_record(path: Path, record: JmhRecord) -> None:
    """Write one record as JMH's JSON."""
    path.write_text(json.dumps([record], indent=1) + "\n", encoding="utf-8")


def _with_iterations(record: JmhRecord, start: int, end: int) -> JmhRecord:
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
    kept = _with_iterations(record, iterations - record[STOPS]["iterations"], iterations)
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
        kept = _with_all(kept, **record[_WARMUP])
    counts = {"warmupIterations": 0, "measurementIterations": len(raw_data(kept)[0])}
    return {**kept, **counts}


def _with_all(record: JmhRecord, scores: Sequence[float], turns: int) -> JmhRecord:
    metric, mode = record["primaryMetric"], record["mode"]
    key = next(key for key in RAW if key in metric)
    row = metric[key][0]
    groups = [
        _joined(row[start : start + turns], mode) for start in range(0, len(row) - turns + 1, turns)
    ]
    before = [[[score, 1]] if mode == _SAMPLED else score for score in scores]
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
