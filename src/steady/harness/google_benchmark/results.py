"""Google Benchmark's JSON (``--benchmark_out``), as versions 1.5 to 1.9 write it."""

import re
import sys
from collections.abc import Sequence

import numpy as np

from steady.model import Identity, Suite
from steady.programs.fork_file import ForkEntry, ForkNote, note_of, suite_of
from steady.readers.fields import Field, quoted
from steady.readers.sources import Document

NAME = "google-benchmark"
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
"""What each entry holds beside its counters."""

_NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
"""In each unit that a benchmark may ask for. All become one, so that base and head may differ."""

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
    "holds only aggregates; leave out --benchmark_report_aggregates_only, and "
    "ReportAggregatesOnly(true) in the benchmark's code"
)


def recognizes(document: Document) -> bool:
    """Tell whether a document looks like Google Benchmark's JSON."""
    return document.is_marked(MARK) and document.is_marked(KEY)


def read(document: Document) -> Suite:
    """Read Google Benchmark's JSON: a benchmark with a row for each process.

    Each repetition is an iteration. The time is the real time, or the manual time if the benchmark
    sets it, always in nanoseconds. The processor's time, and the benchmark's own counters, are
    `Benchmark.metrics`. Of those, higher is better if the name says that it is per second; the file
    does not say it of other counters. What has only aggregates is a failure.

    Source: ``src/json_reporter.cc`` of Google Benchmark 1.7 and 1.9.

    Raises
    ------
    InputError
        If the document is not what it writes, or holds only aggregates.
    """
    top = Field(document.data, document.source)
    top.member(MARK).table()
    forks: dict[tuple[str, ForkNote, int], list[Field]] = {}
    seen: dict[tuple[str, ForkNote], tuple[int, int]] = {}
    aggregates: dict[str, ForkEntry] = {}
    for entry in top.member(KEY).items():
        table = entry.table()
        name = entry.optional("run_name", table.get("name")).text()
        note = note_of(entry)
        if table.get("run_type", "iteration") != "iteration":
            if table.get("aggregate_name") not in _OF_SEVERAL:
                aggregates[name] = ForkEntry(Identity(name), "", np.empty(0), {}, note, _AGGREGATES)
            continue
        index = entry.optional("repetition_index", 0).whole(0)
        last, number = seen.get((name, note), (-1, 0))
        number += index <= last  # another run begins again with its first repetition
        seen[name, note] = index, number
        forks.setdefault((name, note, number), []).append(entry)
    if aggregates and not forks:
        raise top.error(_AGGREGATES)
    measured = {name for name, *_ in forks}
    entries = [_fork(name, note, own) for (name, note, _), own in forks.items()]
    entries += [one for name, one in aggregates.items() if name not in measured]
    return suite_of(entries, harness=NAME, source=document.source)


def _fork(name: str, note: ForkNote, repetitions: Sequence[Field]) -> ForkEntry:
    """Return the repetitions of one benchmark in one process."""
    failure = ""
    values: dict[str, list[float]] = {"real_time": [], "cpu_time": []}
    for entry in repetitions:
        table = entry.table()
        if table.get("error_occurred") or table.get("skipped"):
            failure = str(table.get("error_message") or table.get("skip_message") or "skipped")
            continue
        unit = entry.optional("time_unit", "ns").text()
        if unit not in _NANOSECONDS:
            raise entry.error(f"its time_unit is {quoted(unit)}, and not ns, us, ms or s")
        for time in ("real_time", "cpu_time"):
            values[time].append(entry.member(time).number() * _NANOSECONDS[unit])
        for counter, value in table.items():
            if counter in _OWN or isinstance(value, bool) or not isinstance(value, int | float):
                continue
            limited = np.inf if abs(value) > _LARGEST else float(value)
            values.setdefault(counter, []).append(limited)
    times = np.array(values.pop("real_time"))
    further = {
        counter: (_unit_of(counter), np.array(own))
        for counter, own in values.items()
        if len(own) == times.size
    }
    return ForkEntry(Identity(name), "ns/op", times, further, note, failure)


def _unit_of(counter: str) -> str:
    per_second = _PER_SECOND.fullmatch(counter)
    return _UNITS.get(counter) or (f"{per_second['what']}/s" if per_second else counter)
