"""A parser of Go's benchmark output into the results of each process."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from steady.errors import InputError
from steady.harness.document import Document
from steady.harness.fields import quoted
from steady.harness.go.read.benchtime import Benchtime, parse_benchtime
from steady.harness.go.read.lines import (
    CAUSE,
    CONFIGURATION,
    END,
    NAME,
    NAME_LATER,
    PROCESS,
    VERDICT,
    WARMUP,
    Result,
    cause_in,
    lines_of,
    options_of,
    parse_result,
    result_in,
)

HEADER = ("goos", "goarch", "pkg", "cpu")
"""Keys that Go prints above the results of a process."""

REASON_LENGTH = 200
"""Longest reason for a failure, in characters."""

SILENT = "it failed without giving a reason"

_NUMBERS = re.compile(r"\d{1,9}(?:,\d{1,9}){0,99}", re.ASCII)

_NO_RESULT = "the output ends before its result: its process died, or the file was cut off"


@dataclass
class Repeated:
    """The printed results of one benchmark in a process.

    Parameters
    ----------
    warmup, measured : list of Result
        Its results, in order.
    """

    warmup: list[Result] = field(default_factory=list)
    measured: list[Result] = field(default_factory=list)

    @property
    def results(self) -> list[Result]:
        """Those of the warm-up, and then the others."""
        return self.warmup + self.measured


@dataclass
class Process:
    """The output of one process.

    Parameters
    ----------
    line : int
        Its first line.
    keys : dict of str to str
        ``goos``, ``goarch``, ``pkg``, ``cpu`` and other keys above its results.
    from_steady : mapping of str to str
        The keys of steady's own line: ``block``, ``benchtime``, ``cpu``, ``forks``,
        ``seconds``, ``turns``, ``looks``.
    benchmarks : dict of str to Repeated
        Its benchmarks by printed name, which includes the number of processors.
    failures : dict of str to str
        Reasons for missing results, by printed name.
    skipped : dict of str to str
        Reasons of skipped benchmarks, by printed name; may be empty.
    """

    line: int
    keys: dict[str, str]
    from_steady: Mapping[str, str] = field(default_factory=dict)
    benchmarks: dict[str, Repeated] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)


@dataclass
class Output:
    """The contents of a document.

    Parameters
    ----------
    processes : list of Process
        In the order of the document.
    failed_packages : dict of str to str
        By import path, why none of its benchmarks ran.
    better : dict of str to str
        By unit, ``higher`` or ``lower``, if a ``Unit`` line says so.
    """

    processes: list[Process] = field(default_factory=list)
    failed_packages: dict[str, str] = field(default_factory=dict)
    better: dict[str, str] = field(default_factory=dict)


def parse(document: Document) -> Output:
    """Parse a document."""
    parser = _Parser()
    for number, line in lines_of(document.text):
        parser.take(number, line)
    parser.close()
    return parser.output


def benchtime_of(process: Process, source: str) -> Benchtime | None:
    """Return how long the iterations of a process should last, if its output says so.

    Raises
    ------
    InputError
        If the value is not a benchtime.
    """
    text = process.from_steady.get("benchtime") or process.keys.get("benchtime")
    if text is None:
        return None
    try:
        return parse_benchtime(text)
    except ValueError:
        raise InputError(
            f"benchtime {quoted(text)} is not a duration such as 100ms, nor a number of "
            "operations such as 50x; write it as for go test",
            source=source,
            where=f"line {process.line}",
        ) from None


def turns_of(process: Process, source: str) -> bool:
    """Tell whether the iterations of a process took turns with those of the other version.

    Raises
    ------
    InputError
        If its line says neither yes nor no.
    """
    text = process.from_steady.get("turns", "0")
    if text not in ("0", "1"):
        raise _wrong(process, source, f"turns={quoted(text)} is neither 0 nor 1")
    return text == "1"


def looks_of(process: Process, source: str) -> tuple[int, ...]:
    """Return after how many rounds its run decided about its benchmark; empty if it did not.

    Raises
    ------
    InputError
        If these are not numbers of rounds in ascending order.
    """
    text = process.from_steady.get("looks")
    if text is None:
        return ()
    looks = tuple(map(int, text.split(","))) if _NUMBERS.fullmatch(text) else ()
    if not looks or any(earlier >= later for earlier, later in pairwise((0, *looks))):
        problem = f"looks={quoted(text)} are not numbers of rounds in ascending order"
        raise _wrong(process, source, problem)
    return looks


def _wrong(process: Process, source: str, problem: str) -> InputError:
    return InputError(
        f"{problem}; run `steady run` again", source=source, where=f"line {process.line}"
    )


class _Parser:
    """Reads one line after the other; a result may come many lines after its benchmark's name."""

    def __init__(self) -> None:
        self.output = Output()
        self._line = 1
        self._process = Process(1, {})
        self._ended = True  # the next result begins a process
        self._waiting = ""
        self._explains = ""
        self._cause = ""
        self._failing: set[str] = set()  # packages with a benchmark that failed

    def take(self, number: int, line: str) -> None:
        """Process the next line: of a benchmark, of steady, a key above results, or of Go's own."""
        self._line = number
        explains, self._explains = self._explains, ""
        warmup = line.startswith(WARMUP)
        line = line.removeprefix(WARMUP)
        if name := NAME.match(line):
            self._benchmark(name[0], line[name.end() :], warmup=warmup)
        elif line.startswith(PROCESS):
            self._begin()
            self._process.from_steady = options_of(line.removeprefix(PROCESS))
        elif (key := CONFIGURATION.fullmatch(line)) and not CAUSE.match(line):
            self._key(key["key"], (key["value"] or "").strip())
        elif verdict := VERDICT.match(line):
            self._verdict(verdict["verdict"], verdict["name"])
        elif end := END.fullmatch(line):
            reason = "" if end["verdict"] == "ok" else (end["rest"] or "").strip()
            self._end(end["package"] or "", reason)
        elif line.startswith("Unit ") and len(line.split()) > 1:
            self.output.better[line.split()[1]] = options_of(line).get("better", "")
        elif CAUSE.match(line):
            self._cause = self._cause or line
        else:
            self._text(line, explains)

    def _key(self, key: str, value: str) -> None:
        if key in HEADER:
            if self._ended or self._process.benchmarks or self._process.failures:
                self._begin()
            self._process.keys[key] = value
        elif key == "benchtime":
            self._process.keys[key] = value

    def _begin(self) -> None:
        self.close()
        self._cause = ""
        self._process = Process(self._line, dict(self._process.keys))
        self.output.processes.append(self._process)
        self._ended = False

    def _benchmark(self, name: str, rest: str, *, warmup: bool) -> None:
        verdict = VERDICT.search(rest)
        if verdict and verdict["name"] == name:
            self._verdict(verdict["verdict"], name)
            return
        if self._ended:
            self._begin()
        self._waiting = name
        if result := result_in(rest):
            self._add(result, warmup=warmup)
        else:
            self._cause = cause_in(rest)

    def _add(self, result: Result, *, warmup: bool = False) -> None:
        repeated = self._process.benchmarks.setdefault(self._waiting, Repeated())
        (repeated.warmup if warmup else repeated.measured).append(result)
        self._waiting = ""

    def _text(self, line: str, explains: str) -> None:
        if self._waiting:
            if result := result_in(line):
                self._add(result)
        elif (late := NAME_LATER.search(line)) and parse_result(late["rest"]):
            self._benchmark(late["name"], late["rest"], warmup=False)
        elif explains and line[:1].isspace():
            process = self._process
            reasons = process.failures if explains in process.failures else process.skipped
            reasons[explains] = line.strip()[:REASON_LENGTH]
            return
        self._explains = explains

    def _verdict(self, verdict: str, name: str) -> None:
        """Take ``FAIL`` or ``SKIP``; after ``BENCH`` comes what a benchmark has logged."""
        if verdict == "BENCH":
            return
        if not name.startswith("Benchmark"):
            if verdict == "FAIL":
                self._cause = self._cause or f"{name} failed, so no benchmark ran"
        else:
            if self._ended:
                self._begin()
            if verdict == "SKIP":
                self._process.skipped.setdefault(name, "")
            else:
                self._process.failures.setdefault(name, SILENT)
            self._explains, self._waiting = name, ""

    def _end(self, package: str, said: str) -> None:
        # After PASS or FAIL of a test binary, go test reports on the package.
        if package and said:
            self.close()
            reason = said.strip("[]") if said.startswith("[") else ""
            if package not in self._failing:
                self.output.failed_packages[package] = (
                    self._cause or reason or "go test failed; its output says why"
                )
        if package:
            self._cause = ""
        self._ended = True

    def close(self) -> None:
        """End the process; a benchmark that still waits for its result failed."""
        if self._waiting:
            self._process.failures[self._waiting] = self._cause[:REASON_LENGTH] or _NO_RESULT
            self._cause = ""
        if self._process.failures:
            self._failing.add(self._process.keys.get("pkg", ""))
        self._waiting = ""
        self._ended = True
