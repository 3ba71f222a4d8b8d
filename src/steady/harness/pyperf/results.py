"""pyperf's JSON (``-o``), format 1.0, which pyperf 1.0 and newer write."""

import json
import math
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from steady.errors import InputError
from steady.harness.document import Document
from steady.harness.fields import Field
from steady.harness.fork_facts import NO_FACTS, ForkFacts, facts_in
from steady.model import Environment, FloatArray, Identity
from steady.programs.entries_format import EntriesFormat, top_of
from steady.programs.fork_entries import ForkEntry, Record, place_of, without_result

KEY = "benchmarks"
MARK = "version"
_VERSION = "1.0"
_OLD = (5, 6)

_MOST = 2**40
"""Upper limit for the loops of a value."""

_SECOND = "second"
_UNITS = {_SECOND: "s/op", "byte": "B"}

_Run = tuple[Field, Mapping[str, Any]]
"""The result of a process, and its metadata."""


def recognizes(document: Document) -> bool:
    """Return whether a document looks like pyperf's JSON, including old formats."""
    known = document.is_marked(KEY) and document.is_marked(MARK)
    return known and Field(document.data, "").member(MARK).value in (_VERSION, *_OLD)


def _records(document: Document) -> Iterator[Record]:
    """Yield the records of a document: a benchmark with its processes.

    A value is an iteration. Calibration processes are skipped. Files of `steady run` have shorter
    values, and an iteration is the mean of those in an equal share of the time. A value may also be
    a number of bytes (``--track-memory``) or another quantity, as its unit shows.

    Source: ``pyperf/_bench.py`` of version 2.10.

    Raises
    ------
    InputError
        If pyperf does not write such documents.
    """
    top = top_of(document)
    if top.member(MARK).value != _VERSION:
        raise top.error("is of pyperf 0.9 or older; convert it with `pyperf convert FILE -o NEW`")
    benchmarks: dict[str, list[_Run]] = {}
    for run, facts in _runs(top):
        benchmarks.setdefault(facts["name"], []).append((run, facts))
    for name, own in benchmarks.items():
        yield Identity(name), own[0][0], _entries(Identity(name), own)


def _environment(document: Document) -> Environment:
    """Return the environment of the first run."""
    first: Mapping[str, Any] = next((facts for _, facts in _runs(top_of(document))), {})
    return Environment(
        cpu=_text(first, "cpu_model_name"),
        os=_text(first, "platform"),
        vm=f"Python {version}" if (version := _text(first, "python_version")) else "",
    )


def _runs(top: Field) -> Iterator[_Run]:
    whole = _metadata(top)
    for benchmark in top.member(KEY).items():
        common = _metadata(benchmark)
        for run in benchmark.member("runs").items():
            facts = ChainMap(
                _metadata(run), common, whole
            )  # shared, because there can be very many runs
            if not isinstance(facts.get("name"), str):
                raise run.error("its metadata lack the benchmark's name, which pyperf writes")
            yield run, facts


def _metadata(field: Field) -> dict[str, object]:
    return field.optional("metadata", {}).table()


def _entries(identity: Identity, runs: Sequence[_Run]) -> Iterator[ForkEntry]:
    """Yield an entry for each process; `runs` are fields ``benchmarks[n].runs[m]``."""
    places = [place_of(run) and run.where.partition(".")[0] for run, _ in runs]
    measured = [
        (run, facts, place)
        for (run, facts), place in zip(runs, places, strict=True)
        if run.table().get("values")
    ]
    if not measured:
        for place in dict.fromkeys(places):
            yield without_result(identity, "all of its runs are calibration runs", place=place)
        return
    warm = min(len(run.optional("warmups", []).array()) for run, *_ in measured)
    for run, facts, place in measured:
        values = run.member("values").numbers()
        warmups = run.optional("warmups", []).pairs().reshape(-1, 2)[:, 1]
        unit = _text(facts, "unit") or _SECOND
        fork = facts_in(run)
        calibrated = fork == NO_FACTS
        if calibrated:
            warmups = warmups[warmups.size - warm :]
            fork = ForkFacts(
                forks=len(measured),
                warmup=warm,
                iterations=values.size,
                iteration_seconds=_seconds_of_a_value(unit, values, warm, facts),
            )
        yield ForkEntry(
            identity,
            _UNITS.get(unit, unit),
            np.concatenate([warmups, values]),
            facts=fork,
            calibrated=calibrated,
            place=place,
        )


def _seconds_of_a_value(
    unit: str, values: FloatArray, warm: int, facts: Mapping[str, Any]
) -> float:
    """Return the duration of the measurement of a value; 0 if unknown."""
    if unit == _SECOND:
        return float(np.median(values)) * _operations(facts)
    whole = facts.get("duration")  # of the process
    if isinstance(whole, int | float) and 0 < whole < math.inf:
        return float(whole) / (values.size + warm)
    return 0.0


def _operations(facts: Mapping[str, Any]) -> float:
    """Return the number of operations that a value averages."""
    counts = (facts.get(name) for name in ("loops", "inner_loops"))
    return math.prod(min(one, _MOST) for one in counts if isinstance(one, int) and one > 0)


def _text(facts: Mapping[str, Any], key: str) -> str:
    value = facts.get(key)
    return value if isinstance(value, str) else ""


def calibrated(document: Document) -> dict[str, tuple[int, float]]:
    """Read the result of a process that calibrated all benchmarks of a script.

    Returns
    -------
    dict of str to (int, float)
        Loops of a value and their shortest duration in seconds, by name in the order of the file.

    Raises
    ------
    InputError
        If the document is not such a result.
    """
    found = {}
    for run, facts in _runs(top_of(document)):
        warmups = run.member("warmups").pairs()
        if not warmups.size:
            raise InputError("lacks the number of loops of a value", source=run.source)
        loops = int(warmups[-1, 0])
        seconds = float(warmups[warmups[:, 0] == loops, 1].min())
        found[facts["name"]] = (loops, seconds * _operations({**facts, "loops": loops}))
    return found


def plain_runs(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the runs of a file of `steady run`, each with all its metadata."""
    top = document.get("metadata", {})
    return [
        {**run, "metadata": {**top, **benchmark.get("metadata", {}), **run.get("metadata", {})}}
        for benchmark in document[KEY]
        for run in benchmark["runs"]
    ]


def written(runs: Iterable[Mapping[str, Any]]) -> bytes:
    """Return a pyperf file, in which each benchmark has one entry."""
    benchmarks: dict[str, list[Mapping[str, Any]]] = {}
    for run in runs:
        benchmarks.setdefault(run["metadata"]["name"], []).append(run)
    listed = [_shared(own) for own in benchmarks.values()]
    return (json.dumps({KEY: listed, MARK: _VERSION}, indent=1) + "\n").encode()


def _shared(runs: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a benchmark whose common metadata are stored once."""
    facts = [run["metadata"] for run in runs]
    common = {k: v for k, v in facts[0].items() if all(one.get(k) == v for one in facts)}
    own = [{k: v for k, v in one.items() if k not in common} for one in facts]
    return {
        "metadata": common,
        "runs": [{**run, "metadata": rest} for run, rest in zip(runs, own, strict=True)],
    }


FORMAT = EntriesFormat(
    name="pyperf", key=KEY, mark=MARK, records=_records, environment=_environment
)
read = FORMAT.read
