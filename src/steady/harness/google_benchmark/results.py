"""Google Benchmark's JSON (``--benchmark_out``), as versions 1.5 to 1.9 write it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from steady.model import Environment, FloatArray, Identity, Suite
from steady.programs.fork_file import ForkEntry, ForkNote, note_of, suite_of
from steady.readers.fields import Field
from steady.readers.sources import Document

NAME = "google-benchmark"
KEY = "benchmarks"

_OWN = frozenset(
    {
        *("name", "run_name", "run_type", "repetitions", "repetition_index", "threads"),
        *("iterations", "real_time", "cpu_time", "time_unit", "family_index", "label"),
        *("per_family_instance_index", "error_occurred", "error_message", "skipped"),
        *("skip_message", "aggregate_name", "aggregate_unit", "steady", "big_o", "rms"),
    }
)
"""What each entry holds beside its counters."""

_RATES = {"bytes_per_second": "B/s", "items_per_second": "items/s"}


def recognizes(document: Document) -> bool:
    """Tell whether a document looks like Google Benchmark's JSON."""
    return document.is_marked("context") and document.is_marked(KEY)


def read(document: Document) -> Suite:
    """Read Google Benchmark's JSON: a benchmark with a row for each process.

    Each repetition is an iteration. The time is the real time, or the manual time if the benchmark
    sets it. The processor's time, and the benchmark's own counters, are `Benchmark.metrics`.

    Source: ``src/json_reporter.cc`` of Google Benchmark 1.7 and 1.9.

    Raises
    ------
    InputError
        If the document is not what it writes, or holds only aggregates.
    """
    top = Field(document.data, document.source)
    context = top.member("context").table()
    host = context.get("host_name")
    forks: dict[tuple[str, ForkNote, int], _Fork] = {}
    seen: dict[tuple[str, ForkNote], tuple[int, int]] = {}
    aggregates = False
    for entry in top.member(KEY).items():
        if entry.table().get("run_type", "iteration") != "iteration":
            aggregates = True
            continue
        name = entry.optional("run_name", entry.table().get("name")).text()
        note = note_of(entry)
        index = entry.optional("repetition_index", 0).whole(0)
        last, number = seen.get((name, note), (-1, 0))
        number += index <= last  # another run begins again with its first repetition
        seen[name, note] = index, number
        forks.setdefault((name, note, number), _Fork(name, note)).add(entry)
    if aggregates and not forks:
        raise top.error("holds only aggregates; run with --benchmark_report_aggregates_only=false")
    return suite_of(
        (fork.entry() for fork in forks.values()),
        harness=NAME,
        source=document.source,
        environment=Environment(os=host if isinstance(host, str) else ""),
    )


@dataclass
class _Fork:
    """The repetitions of one benchmark in one process."""

    name: str
    note: ForkNote
    times: list[float] = field(default_factory=list)
    counters: dict[str, list[float]] = field(default_factory=dict)
    unit: str = "ns"
    failure: str = ""

    def add(self, entry: Field) -> None:
        """Take a repetition."""
        table = entry.table()
        if table.get("error_occurred") or table.get("skipped"):
            self.failure = str(table.get("error_message") or table.get("skip_message") or "skipped")
            return
        self.unit = entry.optional("time_unit", "ns").text()
        self.times.append(entry.member("real_time").number())
        self.counters.setdefault("cpu_time", []).append(entry.member("cpu_time").number())
        for name, value in table.items():
            if name not in _OWN and isinstance(value, int | float) and not isinstance(value, bool):
                self.counters.setdefault(name, []).append(float(value))

    def entry(self) -> ForkEntry:
        """Return them as one."""
        further: Mapping[str, tuple[str, FloatArray]] = {
            name: (self._unit_of(name), np.array(values))
            for name, values in self.counters.items()
            if len(values) == len(self.times)
        }
        return ForkEntry(
            Identity(self.name),
            f"{self.unit}/op",
            np.array(self.times),
            further,
            self.note,
            self.failure,
        )

    def _unit_of(self, counter: str) -> str:
        return f"{self.unit}/op" if counter == "cpu_time" else _RATES.get(counter, counter)
