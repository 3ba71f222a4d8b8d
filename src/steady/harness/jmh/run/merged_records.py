"""The records of single forks, joined into the file that JMH would have written for all of them."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steady.errors import InputError
from steady.harness.jmh.configure.expressible import MODES
from steady.harness.jmh.read import json_results
from steady.harness.jmh.run.fork_outcome import raw_data, read_records
from steady.harness.jmh.run.scores import JmhRecord, merged_record
from steady.harness.jmh.run.stopped import configuration_members, whole, without_warmup
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
        What is written into the records besides.

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
    records = [
        {**_merged(own, is_whole=facts.whole), **_facts_of(identity, facts)}
        for identity, own in sorted(forks.items(), key=lambda item: _place(item[0]))
    ]
    return _file(records)


def join_records(merged: Sequence[Path]) -> bytes:
    """Return the file that `merge_forks` would have written for the contents of several."""
    records = [record for path in merged for record in read_records(path)]
    return _file(sorted(records, key=lambda record: _place(_identity(record))))


def _file(records: Sequence[JmhRecord]) -> bytes:
    return ("[\n" + ",\n".join(_text(record, "    ") for record in records) + "\n]\n").encode()


def _identity(record: JmhRecord) -> Identity:
    params = tuple(record.get("params", {}).items())
    return Identity(record["benchmark"], record["mode"], params, record["threads"])


def _merged(results: Sequence[ForkResult], *, is_whole: bool) -> JmhRecord:
    records = [(whole if is_whole else without_warmup)(_record(result)) for result in results]
    merged = merged_record(records)
    merged["forks"] = len(records)
    if json_results.STOPS in merged:
        merged[json_results.STOPS] = [record[json_results.STOPS] for record in records]
    merged |= _most_iterations(records)
    if is_whole:
        merged["measurementIterations"] = min(record["measurementIterations"] for record in records)
    if results[0].trial.identity.params:  # JMH's JSON does not keep every character of a value
        merged["params"] = dict(results[0].trial.identity.params)
    merged[json_results.BLOCKS] = [result.block for result in results]
    if any(result.in_turn for result in results):
        merged[json_results.TURNS] = [result.in_turn for result in results]
    spent = [result.spent for result in results if result.spent is not None]
    if len(spent) == len(results):
        merged[json_results.SPENT] = [
            [round(s, 3) for s in (one.seconds, one.iterations) if s is not None] for one in spent
        ]
    return merged


def _most_iterations(records: Sequence[JmhRecord]) -> JmhRecord:
    """Return the largest numbers, where forks have different ones, and how long the most last."""
    members: JmhRecord = {}
    for kind in ("warmup", "measurement"):
        most = max(records, key=lambda record: int(record[f"{kind}Iterations"]))
        members |= {key: most[key] for key in (f"{kind}Iterations", f"{kind}Time")}
    return members


def _facts_of(identity: Identity, facts: RunFacts) -> JmhRecord:
    """Return the members of a record that its forks' results do not say."""
    members: JmhRecord = {}
    if identity in facts.planned_forks:
        members["forks"] = facts.planned_forks[identity]
    if identity in facts.looks:
        members[json_results.LOOKS] = list(facts.looks[identity])
    if facts.not_run.get(identity, 0):
        members[json_results.NOT_RUN] = facts.not_run[identity]
    if identity in facts.declared:
        members[json_results.DECLARED] = configuration_members(
            facts.declared[identity], identity.mode
        )
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
    """Write JSON with a line for each member and each row of numbers."""
    if isinstance(value, dict) and value:
        inner = indent + "    "
        members = (f"{inner}{json.dumps(k)} : {_text(v, inner).lstrip()}" for k, v in value.items())
        return f"{indent}{{\n" + ",\n".join(members) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, list) for item in value):
        items = (_text(item, indent + "    ") for item in value)
        return f"{indent}[\n" + ",\n".join(items) + f"\n{indent}]"
    return indent + json.dumps(value)
