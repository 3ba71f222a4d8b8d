"""A parser of Go's benchmark output into the results of each process."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from msgspec.structs import replace

from steady.errors import InputError
from steady.harness.document import Document
from steady.harness.fields import quoted
from steady.harness.fork_facts import ForkFacts, Wrong, facts_in_text, read_facts
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

_NO_RESULT = "the output ends before its result: its process died, or the file was cut off"


_WHOLE = re.compile(r"\d{1,9}", re.ASCII)
_SECONDS = re.compile(r"\d{1,9}(?:\.\d{1,9})?", re.ASCII)


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
        """All results, those of the warm-up first."""
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
    noted : str
        The text of steady's own line.
    benchmarks : dict of str to Repeated
        Its benchmarks by printed name, which includes the number of processors.
    failures : dict of str to str
        Reasons for missing results, by printed name.
    skipped : dict of str to str
        Reasons of skipped benchmarks, by printed name; may be empty.
    """

    line: int
    keys: dict[str, str]
    noted: str = ""
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


def noted_of(process: Process, source: str) -> tuple[ForkFacts, Benchtime | None]:
    """Return the facts about a process, and the length of its iterations if that is known.

    Raises
    ------
    InputError
        If steady's line has another form, or the length is not a benchtime.
    """
    wrong = partial(InputError, source=source, where=f"line {process.line}")
    benchtime = process.keys.get("benchtime")
    if process.noted.startswith("{"):
        facts = facts_in_text(process.noted, source, process.line)
        if facts.iterations:
            benchtime = Benchtime(facts.iteration_seconds, facts.batch_size).text
    else:
        options = options_of(process.noted)
        facts, benchtime = old_facts(options, wrong), options.get("benchtime") or benchtime
    if len(process.benchmarks) > 1:  # the duration is that of all benchmarks of the process
        facts = replace(facts, seconds=None, active_seconds=None)
    if benchtime is None:
        return facts, None
    try:
        return facts, parse_benchtime(benchtime)
    except ValueError:
        raise wrong(
            f"benchtime {quoted(benchtime)} is not a duration such as 100ms, nor a number of "
            "operations such as 50x; write it as for go test"
        ) from None


def old_facts(options: Mapping[str, str], wrong: Wrong) -> ForkFacts:
    """Read the facts about a process as earlier releases wrote them: ``block=ab12:0 forks=3``.

    Raises the error of `wrong` for invalid turns or looks; other invalid numbers are ignored.
    """
    turns = options.get("turns", "0")
    facts: dict[str, Any] = {
        "block": options.get("block", ""),
        "in_turn": {"0": False, "1": True}.get(turns, turns),
    }
    for key, name in (("forks", "forks"), ("cpu", "threads")):
        if _WHOLE.fullmatch(options.get(key, "")):
            facts[name] = int(options[key])
    if _SECONDS.fullmatch(options.get("seconds", "")):
        facts["seconds"] = float(options["seconds"])
    if "looks" in options:
        rounds = options["looks"].split(",")
        facts["looks"] = [int(one) if _WHOLE.fullmatch(one) else one for one in rounds]
    return read_facts(facts, wrong)


class _Parser:
    """An incremental parser; a result may come many lines after its benchmark's name."""

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
        """Process the next line."""
        self._line = number
        explains, self._explains = self._explains, ""
        warmup = line.startswith(WARMUP)
        line = line.removeprefix(WARMUP)
        if name := NAME.match(line):
            self._benchmark(name[0], line[name.end() :], warmup=warmup)
        elif line.startswith(PROCESS):
            self._begin()
            self._process.noted = line.removeprefix(PROCESS).strip()
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
        """Process ``FAIL`` or ``SKIP``; ``BENCH`` only precedes the log of a benchmark."""
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
                    self._cause or reason or "go test failed; see its output"
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
