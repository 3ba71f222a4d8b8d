"""Google Benchmark's JSON (``--benchmark_out``) of versions 1.5 to 1.9."""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from steady.harness.document import Document
from steady.harness.fields import Field, quoted
from steady.harness.fork_facts import facts_in
from steady.model import Identity
from steady.programs.entries_format import EntriesFormat, top_of
from steady.programs.fork_entries import ForkEntry, Record, place_of, skipped, without_result

KEY = "benchmarks"
MARK = "context"

_OWN = frozenset(
    {
        *("name", "run_name", "run_type", "repetitions", "repetition_index", "threads"),
        *("iterations", "real_time", "cpu_time", "time_unit", "family_index", "label"),
        *("per_family_instance_index", "error_occurred", "error_message", "skipped"),
        *("skip_message", "aggregate_name", "aggregate_unit", "steady", "big_o", "rms"),
    }
)
"""Keys of an entry that are not counters."""

_NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
"""Nanoseconds in each unit that a benchmark may select. Units of base and head may differ."""

_UNITS = {
    "cpu_time": "ns/op",
    "bytes_per_second": "B/s",
    "items_per_second": "items/s",
    "allocs_per_iter": "allocs/op",
    "max_bytes_used": "B",
    "total_allocated_bytes": "B",
    "net_heap_growth": "B",
}
_PER_SECOND = re.compile(r"(?P<what>\w+?)(?:_per_second|/s)")

_LARGEST = sys.float_info.max

_OF_SEVERAL = ("BigO", "RMS")
"""Aggregates of a whole family, not of one benchmark."""

_AGGREGATES = (
    "contains only aggregates; leave out --benchmark_report_aggregates_only, and "
    "ReportAggregatesOnly(true) in the benchmark's code"
)


def _records(document: Document) -> Iterator[Record]:
    """Yield the records of a document: one for each benchmark and process.

    Each repetition is an iteration. The time is the real time, or the manual time if the benchmark
    sets it, always in nanoseconds. The processor's time, and the benchmark's own counters, are
    `Benchmark.metrics`. Of those, higher is better if the name is a rate per second; the
    direction of others is unknown. A benchmark with only aggregates is a failure.

    Source: ``src/json_reporter.cc`` of Google Benchmark 1.4, 1.7 and 1.9.

    Raises
    ------
    InputError
        If Google Benchmark does not write such documents, or all entries are aggregates.
    """
    top = top_of(document)
    top.member(MARK).table()
    entries = list(top.member(KEY).items())
    old = _old_aggregates(entries)
    runs: dict[str, list[_Process]] = {}
    aggregates: dict[str, Field] = {}
    for entry in entries:
        table = entry.table()
        name = entry.optional("run_name", table.get("name")).text()
        if table.get("run_type", "iteration") == "iteration" and name not in old:
            _add(entry, runs.setdefault(name, []))
        elif not name.endswith(_OF_SEVERAL) and table.get("aggregate_name") not in _OF_SEVERAL:
            aggregates[old.get(name, name)] = entry
    if aggregates and not runs:
        raise top.error(_AGGREGATES)
    for name, own in runs.items():
        for one in own:
            yield Identity(name), one.repetitions[0], _entries(Identity(name), one)
    for name, aggregate in aggregates.items():
        if name not in runs:
            yield Identity(name), aggregate, [without_result(Identity(name), _AGGREGATES)]


_OLD_AGGREGATE = re.compile(r"(?P<name>.+)_(?:mean|median|stddev|cv|min|max|BigO|RMS)", re.DOTALL)


def _old_aggregates(entries: Sequence[Field]) -> dict[str, str]:
    """Return the names of aggregates before 1.5, with the benchmarks that they belong to."""
    if any("run_type" in entry.table() for entry in entries):
        return {}
    names = {entry.member("name").text() for entry in entries}
    found = {name: match["name"] for name in names if (match := _OLD_AGGREGATE.fullmatch(name))}
    return {name: of for name, of in found.items() if of in names or name.endswith(_OF_SEVERAL)}


@dataclass(frozen=True, slots=True)
class _Process:
    """The repetitions of one benchmark in one process.

    Parameters
    ----------
    of : tuple
        Properties that all of them share: the fork of `steady run`, the family, its instance.
    repetitions : list of Field
        Its entries.
    place : str
        Position of the first one of the family; empty in files of `steady run`.
    """

    of: tuple[object, ...]
    repetitions: list[Field]
    place: str


def _add(entry: Field, own: list[_Process]) -> None:
    """Add an entry to the last process, or to a new one if its repetitions start again."""
    table = entry.table()
    family = [table.get(key) for key in ("family_index", "per_family_instance_index")]
    of = (facts_in(entry), *family)
    known = [one for one in own if one.of == of]
    goes_on = "repetition_index" not in table  # before 1.5
    if known and (goes_on or _index(entry) > _index(known[-1].repetitions[-1])):
        known[-1].repetitions.append(entry)
    else:
        place = known[0].place if known else place_of(entry)
        own.append(_Process(of, [entry], place))


def _index(repetition: Field) -> int:
    return repetition.optional("repetition_index", 0).whole(0)


def _entries(identity: Identity, process: _Process) -> Iterator[ForkEntry]:
    """Yield the repetitions of one benchmark in one process."""
    facts = facts_in(process.repetitions[0])
    values: dict[str, list[float]] = {"real_time": [], "cpu_time": []}
    for entry in process.repetitions:
        table = entry.table()
        if table.get("error_occurred") or table.get("skipped"):
            why = table.get("error_message") or table.get("skip_message")
            known = {"facts": facts, "place": process.place}
            if table.get("error_occurred"):
                yield without_result(identity, str(why or "it failed without a message"), **known)
            else:
                yield skipped(identity, str(why or ""), **known)
            return
        _take(entry, values)
    times = np.array(values.pop("real_time"))
    further = {
        counter: (_unit_of(counter), np.array(own))
        for counter, own in values.items()
        if len(own) == times.size
    }
    yield ForkEntry(identity, "ns/op", times, further, facts, place=process.place)


def _take(entry: Field, values: dict[str, list[float]]) -> None:
    """Add the times and the counters of a repetition."""
    unit = entry.optional("time_unit", "ns").text()
    if unit not in _NANOSECONDS:
        raise entry.error(f"its time_unit is {quoted(unit)}; expected ns, us, ms or s")
    for time in ("real_time", "cpu_time"):
        values[time].append(entry.member(time).number() * _NANOSECONDS[unit])
    for counter, value in entry.table().items():
        if counter in _OWN or isinstance(value, bool) or not isinstance(value, int | float):
            continue
        limited = np.inf if abs(value) > _LARGEST else float(value)
        values.setdefault(counter, []).append(limited)


def _unit_of(counter: str) -> str:
    per_second = _PER_SECOND.fullmatch(counter)
    return _UNITS.get(counter) or (f"{per_second['what']}/s" if per_second else counter)


FORMAT = EntriesFormat(name="google-benchmark", key=KEY, mark=MARK, records=_records)
recognizes, read = FORMAT.recognizes, FORMAT.read
