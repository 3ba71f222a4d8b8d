"""The record of a fork that was stopped: JMH's JSON, or the same written from JMH's log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from steady.engine.live_stop import Stopped
from steady.harness.jmh.read.json_results import STOPS
from steady.harness.jmh.read.log_record import LoggedBenchmark
from steady.harness.jmh.run.fork_outcome import read_records
from steady.harness.jmh.run.iterations import Warmup, with_iterations, with_warmup
from steady.harness.jmh.run.merged_records import configuration_members, merged_record
from steady.harness.jmh.run.scores import JmhRecord
from steady.harness.trial import Trial


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


def note_stop(path: Path, trial: Trial, stopped: Stopped, warmup: Warmup) -> None:
    """Note in a fork's result how much it ran before it was stopped.

    Parameters
    ----------
    path : Path
        JMH's JSON of one fork; turns beyond the last one of the pair are left out.
    trial : Trial
        What JMH ran.
    stopped : Stopped
        What is kept.
    warmup : Warmup
        What JMH leaves out.
    """
    (record,) = read_records(path)
    record.update(_members(trial, stopped))
    record[STOPS] = asdict(stopped)
    write_record(path, with_warmup(with_iterations(record, 0, stopped.iterations), warmup))


def _members(trial: Trial, stopped: Stopped) -> JmhRecord:
    """Return the members of a record that say what is kept of a fork."""
    kept = replace(
        trial.configuration,
        warmup_iterations=stopped.warmup,
        iterations=stopped.iterations,
        warmup_batch_size=trial.configuration.batch_size,
    )
    return configuration_members(kept, trial.identity.mode)


def write_record(path: Path, record: JmhRecord) -> None:
    """Write one record as JMH's JSON."""
    path.write_text(json.dumps([record], indent=1) + "\n", encoding="utf-8")
