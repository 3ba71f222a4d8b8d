"""Records of single forks, and their merge into the file that JMH would write for all forks."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from steady.errors import InputError
from steady.execution.live_stop import Stopped
from steady.harness.fields import Field
from steady.harness.fork_facts import KEY, VERSION, Stop, as_list, facts_of
from steady.harness.jmh.configure.command_lines import MODES, duration
from steady.harness.jmh.read.conditions import STOP_KEY
from steady.harness.jmh.read.json_results import facts_about
from steady.harness.jmh.run.fork_outcome import RAW, raw_data, read_records
from steady.harness.jmh.run.scores import JmhRecord, kind_of, merged_record, times_as_one
from steady.harness.runs import ForkResult, RunFacts
from steady.harness.trial import Trial, TrialError
from steady.model import ExecutionConfiguration, Identity

_WARMUP = "steadyWarmup"
"""Key of the warm-up of a fork: its scores, and the number of turns per iteration."""

_SAMPLED = "sample"


def note_stop(
    path: Path, trial: Trial, stopped: Stopped, warmup_scores: Sequence[float], turns: int
) -> None:
    """Add the end of a stopped fork to its result, and remove later turns.

    Parameters
    ----------
    path : Path
        JMH's JSON of the fork.
    trial : Trial
        The fork.
    stopped : Stopped
        When and why it was stopped.
    warmup_scores : sequence of float
        Scores of the warm-up iterations, which JMH does not write.
    turns : int
        Number of turns per iteration.
    """
    (record,) = read_records(path)
    warmup = {"scores": warmup_scores, "turns": turns}
    facts = [{"version": VERSION, "stop": asdict(stopped)}]
    configuration = replace(
        trial.configuration,
        warmup_iterations=stopped.warmup,
        iterations=stopped.iterations,
        warmup_batch_size=trial.configuration.batch_size,
    )
    members = configuration_members(configuration, trial.identity.mode)
    noted = {**record, **members, KEY: facts, _WARMUP: warmup}
    kept = _with_iterations(noted, stopped.iterations)
    path.write_text(json.dumps([kept], indent=1) + "\n", encoding="utf-8")


def configuration_members(configuration: ExecutionConfiguration, mode: str) -> JmhRecord:
    """Return the members of a record with a configuration."""
    return {
        "forks": configuration.forks,
        "warmupIterations": configuration.warmup_iterations,
        "warmupTime": str(duration(configuration.warmup_seconds, mode) or "single-shot"),
        "warmupBatchSize": configuration.warmup_batch_size,
        "measurementIterations": configuration.iterations,
        "measurementTime": str(duration(configuration.iteration_seconds, mode) or "single-shot"),
        "measurementBatchSize": configuration.batch_size,
    }


def _with_iterations(record: JmhRecord, end: int) -> JmhRecord:
    """Return a record of one fork with only the first iterations of all its metrics.

    Metrics without a value for each iteration are unchanged.
    """
    iterations = len(raw_data(record)[0])

    def cut(metric: JmhRecord) -> JmhRecord:
        rows = {key: metric[key] for key in RAW if key in metric}
        shorter = {
            key: [row[:end] if len(row) == iterations else row for row in own]
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


def stop_of(record: JmhRecord, path: Path) -> Stop | None:
    """Return the live stop in a fork's record; None if it was not stopped early."""
    (facts,) = facts_about(Field(record, str(path), (0,)), 1)
    return facts.stop


def as_measured(record: JmhRecord) -> JmhRecord:
    """Return the record of a fork without the members that `note_stop` added."""
    return {key: value for key, value in record.items() if key not in (KEY, STOP_KEY, _WARMUP)}


def with_warmup(record: JmhRecord) -> JmhRecord:
    """Return the record of a fork with its warm-up as measured iterations, as after ``--full``.

    Turns are combined into iterations as long as those of the warm-up. Secondary metrics are
    omitted, as the warm-up has none. A fork that was not stopped early is unchanged.
    """
    kept = as_measured(record)
    if _WARMUP not in record:
        return kept
    kept = _with_warmup_scores(kept, **record[_WARMUP])
    counts = {"warmupIterations": 0, "measurementIterations": len(raw_data(kept)[0])}
    return {**kept, **counts}


def _with_warmup_scores(record: JmhRecord, scores: Sequence[float], turns: int) -> JmhRecord:
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
    """Return the measurement of an iteration that consists of some turns."""
    if mode == _SAMPLED:
        return [pair for histogram in turns for pair in histogram]
    more_is_better = mode == "thrpt"
    (one,) = times_as_one(np.array([turns], dtype=np.float64), more_is_better=more_is_better)
    return float(1 / one if more_is_better else one)


def merge_forks(results: Sequence[ForkResult], facts: RunFacts) -> bytes:
    """Return JMH's JSON with one record for each benchmark.

    Parameters
    ----------
    results : sequence of ForkResult
        The forks, in the order in which they ran.
    facts : RunFacts
        Facts about the run.

    Returns
    -------
    bytes
        The JSON, in JMH's order: by mode, name and parameters. Parameter values are sorted, since
        records do not contain their annotated order.

    Raises
    ------
    InputError
        If a file is no longer the result of one fork.
    """
    forks: dict[Identity, list[ForkResult]] = {}
    for result in results:
        forks.setdefault(result.trial.identity, []).append(result)
    return _file([_merged(forks[identity], facts) for identity in sorted(forks, key=_place)])


def join_records(merged: Sequence[Path]) -> bytes:
    """Return the merge of several files that `merge_forks` wrote."""
    records = [record for path in merged for record in read_records(path)]
    return _file(sorted(records, key=lambda record: _place(_identity(record))))


def _file(records: Sequence[JmhRecord]) -> bytes:
    return ("[\n" + ",\n".join(_text(record, "    ") for record in records) + "\n]\n").encode()


def _identity(record: JmhRecord) -> Identity:
    params = tuple(record.get("params", {}).items())
    return Identity(record["benchmark"], record["mode"], params, record["threads"])


def _merged(results: Sequence[ForkResult], facts: RunFacts) -> JmhRecord:
    identity = results[0].trial.identity
    noted = [_record(result) for result in results]
    records = [(with_warmup if facts.whole else as_measured)(record) for record in noted]
    merged = merged_record(records)
    merged["forks"] = facts.planned_forks.get(identity, len(records))
    merged |= _most_iterations(records)
    if facts.whole:
        merged["measurementIterations"] = min(record["measurementIterations"] for record in records)
    if identity.params:  # JMH's JSON omits some characters of values
        merged["params"] = dict(identity.params)
    merged[KEY] = as_list(
        [
            facts_of(result, facts, stop=None if facts.whole else stop_of(record, result.path))
            for result, record in zip(results, noted, strict=True)
        ]
    )
    return merged


def _most_iterations(records: Sequence[JmhRecord]) -> JmhRecord:
    """Return the maximum number of iterations among forks, with their length."""
    members: JmhRecord = {}
    for kind in ("warmup", "measurement"):
        most = max(records, key=lambda record: int(record[f"{kind}Iterations"]))
        members |= {key: most[key] for key in (f"{kind}Iterations", f"{kind}Time")}
    return members


def _record(result: ForkResult) -> JmhRecord:
    try:
        (record,) = read_records(result.path)
        raw_data(record)
    except (TrialError, ValueError):
        raise InputError(
            "is no longer the result of one fork; run again with a new output folder",
            source=result.path,
        ) from None
    return record


def _place(identity: Identity) -> tuple[object, ...]:
    params = tuple((key, _natural(value)) for key, value in identity.params)
    return (MODES.index(identity.mode), identity.name, params, identity.threads)


def _natural(value: str) -> tuple[bool, float, str]:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    return (False, number, value) if math.isfinite(number) else (True, 0.0, value)


def _text(value: Any, indent: str) -> str:
    """Return JSON with one line for each member, row of numbers, and facts about a fork."""
    if isinstance(value, dict) and value:
        inner = indent + "    "
        members = (f"{inner}{json.dumps(k)} : {_text(v, inner).lstrip()}" for k, v in value.items())
        return f"{indent}{{\n" + ",\n".join(members) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, list | dict) for item in value):
        inner = indent + "    "
        items = (_text(i, inner) if isinstance(i, list) else inner + json.dumps(i) for i in value)
        return f"{indent}[\n" + ",\n".join(items) + f"\n{indent}]"
    return indent + json.dumps(value)
