"""The records of single forks, joined into the file that JMH would have written for all of them."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steady.errors import InputError
from steady.harness.fork_facts import KEY, as_list, facts_of
from steady.harness.jmh.configure.expressible import MODES
from steady.harness.jmh.run.fork_outcome import raw_data, read_records
from steady.harness.jmh.run.scores import JmhRecord, merged_record
from steady.harness.jmh.run.stopped import as_measured, stop_of, whole
from steady.harness.runs import ForkResult, RunFacts
from steady.harness.trial import TrialError
from steady.model import Identity


def merge_forks(results: Sequence[ForkResult], facts: RunFacts) -> bytes:
    """Return JMH's JSON with one record for each benchmark.

    Parameters
    ----------
    results : sequence of ForkResult
        In the order in which they ran.
    facts : RunFacts
        Facts about the run.

    Returns
    -------
    bytes
        In JMH's order: by mode, name and parameters. Values of a parameter are sorted, since a
        record does not contain their annotated order.

    Raises
    ------
    InputError
        If a result has changed since it was measured.
    """
    forks: dict[Identity, list[ForkResult]] = {}
    for result in results:
        forks.setdefault(result.trial.identity, []).append(result)
    return _file([_merged(forks[identity], facts) for identity in sorted(forks, key=_place)])


def join_records(merged: Sequence[Path]) -> bytes:
    """Return the file that `merge_forks` would have written for the contents of several."""
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
    records = [(whole if facts.whole else as_measured)(record) for record in noted]
    merged = merged_record(records)
    merged["forks"] = facts.planned_forks.get(identity, len(records))
    merged |= _most_iterations(records)
    if facts.whole:
        merged["measurementIterations"] = min(record["measurementIterations"] for record in records)
    if identity.params:  # JMH's JSON does not keep every character of a value
        merged["params"] = dict(identity.params)
    merged[KEY] = as_list(
        [
            facts_of(result, facts, stop=None if facts.whole else stop_of(record, result.path))
            for result, record in zip(results, noted, strict=True)
        ]
    )
    return merged


def _most_iterations(records: Sequence[JmhRecord]) -> JmhRecord:
    """Return the largest numbers, where forks have different ones, and how long the most last."""
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
            "is no longer the result of one fork; run again into another folder", source=result.path
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
    """Write JSON with a line for each member, each row of numbers and the facts about each fork."""
    if isinstance(value, dict) and value:
        inner = indent + "    "
        members = (f"{inner}{json.dumps(k)} : {_text(v, inner).lstrip()}" for k, v in value.items())
        return f"{indent}{{\n" + ",\n".join(members) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, list | dict) for item in value):
        inner = indent + "    "
        items = (_text(i, inner) if isinstance(i, list) else inner + json.dumps(i) for i in value)
        return f"{indent}[\n" + ",\n".join(items) + f"\n{indent}]"
    return indent + json.dumps(value)
