"""Discovery of benchmarks in Go's test binaries, by listing and running top-level benchmarks once.

Each top-level benchmark runs in its own process, so that one that hangs, panics or exits does not
hide others. Several binaries run at the same time. The benchmarks of one binary run one after the
other, those nearest to a change first, because the time may be too short for all.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event

import numpy as np

from steady.errors import InputError
from steady.harness.document import Document
from steady.harness.go.bench_pattern import patterns, split_name
from steady.harness.go.read import benchmark_format
from steady.harness.go.read.lines import PROCESS
from steady.harness.go.read.output import HEADER, parse
from steady.harness.go.run.test_binaries import (
    exit_summary,
    lacks_benchmarks,
    package_of,
    reject_duplicates,
    start,
)
from steady.harness.search import Search
from steady.model import Identity, Suite
from steady.processors import available_processors
from steady.programs.process import Ended

_REPORT_SECONDS = 5.0

_LAST = math.inf, 0.0

_SHORTEST_SECONDS = 0.1
"""Shortest time limit of a process; the remaining time is checked before its start."""

_FIRST_SECONDS = 5.0
"""Shortest time limit for listing the benchmarks of a binary, and for the first operation: without
these, nothing can be measured in the remaining time."""

_TOP = re.compile(r"Benchmark(?![a-z])\S*")
_HEADER = re.compile("(?:{}): ".format("|".join(HEADER)))
_NUMBER_OF_PROCESSORS = re.compile(r"-([1-9]\d{0,3})$", re.ASCII)


@dataclass
class _Binary:
    """A test binary and its benchmarks so far."""

    path: Path
    package: str
    tops: tuple[str, ...] = ()
    patterns: dict[str, str] = field(default_factory=dict)
    found: dict[Identity, float] = field(default_factory=dict)
    runs: dict[str, Ended] = field(default_factory=dict)
    blamed: set[str] = field(default_factory=set)
    """Top-level benchmarks whose process failed and printed the name of the failed benchmark."""
    problem: str = ""

    @property
    def whole(self) -> bool:
        """Whether all processes have ended without a failure."""
        ended = self.runs.values()
        return (
            not self.problem and len(ended) == len(self.patterns) and not any(e.code for e in ended)
        )


SortKey = Callable[[str, str], tuple[float, float]]
"""Returns the sort key of a top-level benchmark, from its package and name."""


def _unordered(*_: str) -> tuple[float, float]:
    return 0.0, 0.0


@dataclass(frozen=True, slots=True)
class Discovered:
    """The benchmarks of a binary.

    Parameters
    ----------
    seconds : mapping of Identity to float
        Seconds of one operation of each benchmark; NaN if it did not run.
    whole : bool
        Whether all processes ended without a failure.
    """

    seconds: Mapping[Identity, float]
    whole: bool


def discover(
    paths: Sequence[Path],
    search: Search,
    sort_key: SortKey = _unordered,
    *,
    functions: bool = False,
) -> dict[Path, Discovered]:
    """Return the requested benchmarks of each binary.

    Parameters
    ----------
    paths : sequence of Path
        The test binaries.
    search : Search
        The search, with its callbacks. Planned benchmarks are listed with the plan's number of
        processors; they run only if they have sub-benchmarks.
    sort_key : callable
        Returns the sort key of a benchmark.
    functions : bool
        Whether to only list benchmarks: a top-level benchmark then represents its sub-benchmarks.

    Raises
    ------
    InputError
        If a binary is not executable, or no benchmarks can be listed.
    """
    with _Discovery(search) as discovery:
        binaries = discovery.each(
            [_Binary(path, package_of(path)) for path in paths], discovery.list
        )
        reject_duplicates(
            (_named(binary.package, top), binary.path)
            for binary in binaries
            if binary.package
            for top in binary.tops
        )
        if functions:
            discovery.add_listed(binaries)
        else:
            discovery.choose(binaries, sort_key)
            discovery.each(binaries, discovery.run_benchmarks)
            discovery.record_results(binaries)
    for binary in binaries:
        if binary.problem:
            search.tell(f"{binary.path.name} is left out: {binary.problem}")
    failed = next((binary for binary in binaries if binary.problem), None)
    if failed is not None and not any(binary.tops for binary in binaries):
        raise InputError(f"lists no benchmark: {failed.problem}", source=failed.path)
    shown = {
        b.path: Discovered({i: took for i, took in b.found.items() if search.wants(i)}, b.whole)
        for b in binaries
    }
    return {path: shown[path] for path in paths}


class _Discovery:
    """Threads for discovery; the end of a ``with`` statement ends them and their processes."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._stop = Event()
        self._pool = ThreadPoolExecutor(available_processors())
        self._total = self._done = 0
        self._now = ""
        self._reported = time.monotonic()
        self._known = _by_package(search)
        self._first: tuple[Path, str] | None = None

    def __enter__(self) -> _Discovery:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)

    def each(self, binaries: list[_Binary], work: Callable[[_Binary], None]) -> list[_Binary]:
        """Call a function for each binary, and report progress regularly."""
        left: set[Future[None]] = {self._pool.submit(work, binary) for binary in binaries}
        while left:
            done, left = wait(left, timeout=1.0, return_when=FIRST_COMPLETED)
            for future in done:
                future.result()
            if time.monotonic() - self._reported >= _REPORT_SECONDS:
                self._reported = time.monotonic()
                self._search.tell(
                    f"looking for benchmarks: {self._done} of {self._total} run once, now "
                    f"{self._now}"
                    if self._total
                    else f"looking for benchmarks in {len(binaries)} test binaries"
                )
        return binaries

    def list(self, binary: _Binary) -> None:
        """List the top-level benchmarks."""
        if lacks_benchmarks(binary.path):
            return
        limit = self._limit(_FIRST_SECONDS)
        ended = self._start(binary, "-test.list=^Benchmark", limit=limit)
        if ended.timed_out:
            binary.problem = f"it did not list its benchmarks in {limit:.3g} s"
        elif ended.code != 0:
            binary.problem = exit_summary(ended)
        else:
            binary.tops = tuple(filter(_TOP.fullmatch, ended.output.splitlines()))

    def add_listed(self, binaries: Sequence[_Binary]) -> None:
        """Add the listed top-level benchmarks, or those of the plan."""
        processors = _processors(())
        for binary in binaries:
            for top in binary.tops:
                own = Identity(_named(binary.package, top), threads=processors)
                known = self._known.get((binary.package, top)) or [own] * self._search.new
                binary.found.update(dict.fromkeys(known, math.nan))

    def choose(self, binaries: MutableSequence[_Binary], sort_key: SortKey) -> None:
        """Choose the benchmarks to run: all except planned ones without sub-benchmarks."""
        tops: dict[str, list[str]] = defaultdict(list)
        for binary in binaries:
            tops[binary.package] += binary.tops
        wanted = patterns(self._search.only, tops, available_processors())
        for binary in binaries:
            for top in sorted(binary.tops, key=partial(sort_key, binary.package)):
                pattern = wanted.get((binary.package, top))
                known = self._known.get((binary.package, top), ())
                if known and all(split_name(identity.name)[1] == top for identity in known):
                    binary.found.update(dict.fromkeys(known, math.nan))
                elif pattern is not None and (known or self._search.new):
                    binary.patterns[top] = pattern
            self._total += len(binary.patterns)
        binaries[:] = sorted(
            binaries, key=lambda b: min((sort_key(b.package, t) for t in b.patterns), default=_LAST)
        )
        self._first = next(((b.path, top) for b in binaries for top in b.patterns), None)

    def run_benchmarks(self, binary: _Binary) -> None:
        """Run each remaining benchmark once."""
        for top, pattern in binary.patterns.items():
            first = (binary.path, top) == self._first
            if self._stop.is_set() or (self._search.left() <= 0 and not first):
                return
            self._now = f"{top} of {binary.path.name}"
            least = _FIRST_SECONDS if first else _SHORTEST_SECONDS
            run_once = f"-test.bench={pattern}", "-test.benchtime=1x"
            ended = self._start(binary, *run_once, limit=self._limit(least))
            if ended.timed_out and self._search.left() <= 0:
                return
            binary.runs[top] = ended
            self._done += 1
            if ended.timed_out:
                self._search.tell(
                    f"{top} of {binary.path.name} is left out: it did not run once in "
                    f"{self._search.seconds:g} s; allow more with --list-timeout "
                    f"{4 * self._search.seconds:g}, or select others with --only"
                )

    def record_results(self, binaries: Sequence[_Binary]) -> None:
        """Record the results of the runs."""
        processors = _processors(run.output for binary in binaries for run in binary.runs.values())
        for binary in binaries:
            for top, ended in binary.runs.items():
                self._record(binary, top, ended, processors)
            for top in binary.patterns:
                self._report_failure(binary, top, processors)

    def _record(self, binary: _Binary, top: str, ended: Ended, processors: int) -> None:
        known = self._known.get((binary.package, top), ())
        seen, blamed = _results_of(binary, ended, processors)
        if blamed:
            binary.blamed.add(top)
        if ended.code != 0:  # some benchmarks may be missing
            seen.update({identity: math.nan for identity in known if identity not in seen})
        if ended.code != 0 and not seen and not ended.timed_out:
            seen[Identity(_named(binary.package, top), threads=processors)] = math.nan
        planned: dict[str, list[Identity]] = defaultdict(list)
        for identity in known:
            planned[identity.name].append(identity)
        for identity, took in seen.items():
            if identity.name in planned:
                binary.found.update(dict.fromkeys(planned[identity.name], took))
            elif self._search.new:
                binary.found[identity] = took

    def _report_failure(self, binary: _Binary, top: str, processors: int) -> None:
        """Report a benchmark that failed, since it may have unknown sub-benchmarks."""
        ended = binary.runs.get(top)
        own = Identity(_named(binary.package, top), threads=processors)
        if ended is None:
            self._search.late(own)
            return
        if ended.timed_out:
            reason = f"it did not run once in {self._search.seconds:g} s"
        elif ended.code != 0 and top not in binary.blamed:
            reason = exit_summary(ended)
        else:
            return
        if own not in binary.found:  # otherwise its own output reports the failure
            self._search.lost(own, reason)

    def _limit(self, least: float) -> float:
        """Return the time limit of a process: the remaining seconds, but at least `least`."""
        return min(self._search.seconds, max(self._search.left(), least))

    def _start(self, binary: _Binary, *arguments: str, limit: float) -> Ended:
        return start(binary.path, *arguments, timeout=limit, stop=self._stop)


def _named(package: str, benchmark: str) -> str:
    return f"{package}.{benchmark}" if package else benchmark


def _by_package(search: Search) -> dict[tuple[str, str], list[Identity]]:
    """Return the requested planned benchmarks, by package and top-level benchmark."""
    known: dict[tuple[str, str], list[Identity]] = defaultdict(list)
    for identity in filter(search.wants, search.known):
        package, benchmark = split_name(identity.name)
        known[package, benchmark.partition("/")[0]].append(identity)
    return known


def _processors(outputs: Iterable[str]) -> int:
    """Return the number of processors, which Go appends to each name if it is above 1.

    A name may also end with a number of its own, but not all names do.
    """
    setting = os.environ.get("GOMAXPROCS", "")
    if re.fullmatch(r"[1-9]\d{0,3}", setting, re.ASCII):
        return int(setting)
    names = [
        name
        for output in outputs
        for process in parse(Document(Path(), output)).processes
        for name in process.benchmarks
    ]
    if not names:
        return available_processors()
    ends = {match[1] if (match := _NUMBER_OF_PROCESSORS.search(name)) else "1" for name in names}
    number = int(ends.pop()) if len(ends) == 1 else 1
    return number if number <= (os.cpu_count() or 1) else 1


def _results_of(
    binary: _Binary, ended: Ended, processors: int
) -> tuple[dict[Identity, float], bool]:
    """Return the benchmarks of a process with their seconds, and whether any failed.

    Go prints the header before the first result, so failures may precede it.
    """
    lines = ended.output.split("\n")
    header = [line for line in lines if _HEADER.match(line)]
    rest = (line for line in lines if not _HEADER.match(line))
    if binary.package:
        header.append(f"pkg: {binary.package}")
    text = "\n".join((f"{PROCESS} cpu={processors}", *header, *rest))
    suite: Suite = benchmark_format.read(Document(binary.path, text))
    seconds = {
        identity: float(np.nanmax(benchmark.seconds_per_operation, initial=0.0)) or math.nan
        for identity, benchmark in suite.items()
    }
    failed = {f.identity: math.nan for f in suite.failures if f.identity not in seconds}
    return seconds | failed, bool(failed)
