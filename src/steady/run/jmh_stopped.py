"""The record of a fork that was stopped: JMH's JSON, written from JMH's log."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from steady.emit.jmh_check import duration
from steady.readers.jmh_json import STOPS
from steady.run.jmh_merge import JmhRecord, merged_record
from steady.run.live_stop import Stopped
from steady.run.trial import Trial


def stopped_record(
    headings: Mapping[str, str],
    trial: Trial,
    stopped: Stopped,
    unit: str,
    values: Sequence[float],
) -> JmhRecord:
    """Return the record that JMH would have written for the iterations that were kept.

    Parameters
    ----------
    headings : mapping of str to str
        Headings of the log: ``JMH version``, ``VM version``, ``VM invoker``, ``VM options``.
    trial : Trial
        The trial that JMH ran.
    stopped : Stopped
        What is kept.
    unit : str
        Unit of the scores.
    values : sequence of float
        The scores of all iterations, warm-up first.

    Returns
    -------
    dict
        JMH's own members and `steadyStop`. Secondary metrics are left out, because JMH's log has
        them only if the fork ends by itself.
    """
    configuration = trial.configuration
    each = str(duration(configuration.iteration_seconds, trial.identity.mode))
    identity = trial.identity
    record: JmhRecord = {
        "jmhVersion": headings.get("JMH version", ""),
        "benchmark": identity.name,
        "mode": identity.mode,
        "threads": identity.threads,
        "forks": 1,
        "jvm": headings.get("VM invoker", ""),
        **_virtual_machine(headings),
        "warmupIterations": stopped.warmup,
        "warmupTime": each,
        "warmupBatchSize": configuration.batch_size,
        "measurementIterations": stopped.iterations,
        "measurementTime": each,
        "measurementBatchSize": configuration.batch_size,
        **({"params": dict(identity.params)} if identity.params else {}),
        STOPS: asdict(stopped),
        "primaryMetric": {"scoreUnit": unit, "rawData": [list(values[stopped.warmup :])]},
    }
    return merged_record([record])


def write_record(path: Path, record: JmhRecord) -> None:
    """Write one record as JMH's JSON."""
    path.write_text(json.dumps([record], indent=1) + "\n", encoding="utf-8")


def _virtual_machine(headings: Mapping[str, str]) -> dict[str, Any]:
    """Return the virtual machine as in JMH's JSON.

    Source: ``TextReportFormat.startBenchmark``: ``JDK version, name, version``; old versions write
    ``JDK version, VM version``.
    """
    jdk, _, machine = headings.get("VM version", "").removeprefix("JDK ").partition(", ")
    name, _, version = machine.rpartition(", ")
    options = headings.get("VM options", "<none>")
    return {
        "jvmArgs": [] if options == "<none>" else options.split(),
        "jdkVersion": jdk,
        "vmName": name,
        "vmVersion": version if name else version.removeprefix("VM "),
    }
