"""Parse JMH's text log line by line into a record for each start of a benchmark.

Source: ``org.openjdk.jmh.runner.format.TextReportFormat`` and ``util.ScoreFormatter``.
"""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

from steady.errors import InputError
from steady.harness.document import Document
from steady.harness.fields import quoted
from steady.harness.jmh.read.log_record import (
    MEASUREMENT,
    WARMUP,
    LoggedBenchmark,
    LoggedFork,
    Score,
)

# The prefix of a CI service, a build tool or a container runtime: it ends in a time of day, a bar
# or a closing bracket. JMH's own lines begin with '#', so a benchmark's name or parameter cannot
# look like a prefix. The regular expression does not backtrack (`++`).
_PREFIX = r"(?:[^#]{0,200}?(?:\d\d:\d\d\S{0,100}+|[|\]>])\s++(?:\d\d[OE]\s++)?)??"

_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")

_MARKER = re.compile(
    _PREFIX
    + r"(?:# (?P<heading>JMH version|VM version|VM invoker|VM options|Warmup|Measurement|Threads"
    + r"|Benchmark mode|Benchmark|Parameters|Warmup Fork|Fork|Run progress|Run complete)"
    + r"|(?P<iteration>(?:# Warmup )?Iteration) {1,3}(?P<count>\d{1,9}))"
    + r": ?(?P<rest>.*)"
)

_NUMBER = r"[-+]?\d{1,330}(?:[.,]\d{1,330})?|NaN|[-+]?Infinity"
_TIME = r"(?:ns|us|ms|s|min|hr|day)"
_SCORE = re.compile(
    r"(?:\([^()]*\) )*"  # (benchmark timed out, interrupted 1 times)
    rf"(?:(?P<value>{_NUMBER})|(?P<magnitude>[≈?\ufffd] ?(?:10\S*|0)))"
    rf"(?: \S{{1,3}}\(99[.,]9%\) (?:{_NUMBER}))?"  # the error, between threads or samples
    rf" (?P<unit>ops/{_TIME}|{_TIME}/op)"
)

_FAILURE = re.compile(
    r"<(?:failure\b|forked VM failed|failed to invoke the VM|host VM has been interrupted"
    r"|binary link had failed)[^>]*>?"
)

_LONE_SCORE = re.compile(_PREFIX + rf"(?P<score>{_SCORE.pattern})")
_LONE_FAILURE = re.compile(_PREFIX + rf"(?P<failure>{_FAILURE.pattern}).*")


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not blank.

    Parameters
    ----------
    number : int
        1-based.
    kind : str
        Text before the colon (``Fork``, ``# Warmup Iteration``), ``failure``,
        ``score`` for a score alone on its line, or ``text`` for anything else.
    rest : str
        The text after the colon; the whole line if there is none.
    iteration : int
        The iteration's number, for the two kinds that have one.
    """

    number: int
    kind: str
    rest: str
    iteration: int = 0


def lines_of(text: str) -> Iterator[Line]:
    """Yield the non-blank lines of a log, without colours and CI prefixes."""
    for number, raw in enumerate(io.StringIO(text, newline="\n"), start=1):
        line = (_ANSI.sub("", raw) if "\x1b" in raw else raw).rstrip()
        if line:
            yield _classified(number, line)


def _classified(number: int, line: str) -> Line:
    if marker := _MARKER.fullmatch(line):
        kind = marker["heading"] or marker["iteration"]
        return Line(number, kind, marker["rest"], int(marker["count"] or 0))
    if failure := _LONE_FAILURE.fullmatch(line):
        return Line(number, "failure", failure["failure"])
    lone = _LONE_SCORE.fullmatch(line)
    return Line(number, "score", lone["score"]) if lone else Line(number, "text", line)


def failure_in(text: str) -> str | None:
    """Return JMH's notice of a failure in a line, without its brackets, or None."""
    match = _FAILURE.search(text)
    return None if match is None else match[0].strip("<>")


def parse_score(text: str) -> Score | None:
    """Return the score in `text`, with a decimal comma or point, or None."""
    match = _SCORE.fullmatch(text)
    if match is None:
        return None
    if match["magnitude"] is not None:
        return Score(float("nan"), 0, match["unit"], rounded=True)
    digits = match["value"].replace(",", ".")
    decimals = len(digits.partition(".")[2])
    return Score(float(digits), decimals, match["unit"])


_NEEDED = ("Benchmark mode", "Threads", "Warmup", "Measurement")
_HEADINGS = frozenset({"JMH version", "VM version", "VM invoker", "VM options", *_NEEDED})
_FORK = re.compile(r"(\d{1,9}) of (\d{1,9})\b.*|(N/A).*")
_NO_REASON = ("<", "Benchmark had encountered error")
_REASON_LENGTH = 200
_SECONDARY = 'Secondary result "'  # and the benchmark's name, a colon, the result's name


def parse(document: Document) -> list[LoggedBenchmark]:
    """Return the records of a log, in its order.

    Raises
    ------
    InputError
        If a fork comes before its heading, or a score cannot be read; the message names the line.
    """
    parser = LogParser(document.source)
    for line in lines_of(document.text):
        parser.take(line)
    return parser.records


class LogParser:
    """An incremental parser; a score may come long after its iteration's name."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.records: list[LoggedBenchmark] = []
        self._headings: dict[str, str] = {}
        self._record: LoggedBenchmark | None = None
        self._fork: LoggedFork | None = None
        self._waiting: Line | None = None
        self._wants_reason = False
        self._in_parameters = False

    def take(self, line: Line) -> None:
        """Process the next line."""
        if line.kind not in ("text", "score"):
            self._wants_reason = self._in_parameters = False
        if line.kind in _HEADINGS:
            self._heading(line)
        elif line.kind == "Benchmark":
            self._benchmark(line)
        elif line.kind == "Parameters":
            self._parameters(line)
        elif line.kind in ("Fork", "Warmup Fork"):
            self._begin_fork(line)
        elif line.kind in (WARMUP, MEASUREMENT):
            self._iteration(line)
        elif line.kind == "failure":
            self._failed(line.rest.strip("<>"))
        else:
            self._other(line)

    def _heading(self, line: Line) -> None:
        if line.kind == "JMH version":
            self._headings = {}
        self._record = self._fork = self._waiting = None
        self._headings[line.kind] = line.rest

    def _benchmark(self, line: Line) -> None:
        self._fork = self._waiting = None
        self._record = LoggedBenchmark(self.source, line.number, line.rest, dict(self._headings))
        self.records.append(self._record)

    def _parameters(self, line: Line) -> None:
        if self._record is not None:
            self._record.parameter_lines = [line.rest.removeprefix("(").removesuffix(")")]
            self._in_parameters = not line.rest.endswith(")")

    def _begin_fork(self, line: Line) -> None:
        match = _FORK.fullmatch(line.rest)
        if match is None:
            return
        record = self._record
        if record is None or any(key not in record.headings for key in _NEEDED):
            raise self._error(
                line, "a fork without JMH's heading above it; give the log from its beginning"
            )
        self._waiting = self._fork = None
        if line.kind == "Fork":
            self._fork = LoggedFork()
            record.all_forks.append(self._fork)
            record.configured_forks = 1 if match[3] else int(match[2])

    def _iteration(self, line: Line) -> None:
        fork = self._fork
        if fork is None or (line.kind == WARMUP and self._only_others_warm_up()):
            return
        done = fork.warmup if line.kind == WARMUP else fork.measured
        begins_again = line.kind == WARMUP and line.iteration == 1 and not fork.measured
        if line.iteration != len(done) + 1 and not begins_again:
            return  # the benchmark's own output
        if self._waiting is not None:
            raise self._error(
                self._waiting,
                "the score of this iteration cannot be read; let the benchmark print less, "
                "or have JMH write its log to a file of its own (-o)",
            )
        if begins_again:  # -wm BULK_INDI: other benchmarks warmed up before, in the same fork
            fork.forget()
        self._waiting = line
        self._score(line.rest, line)

    def _only_others_warm_up(self) -> bool:
        """Return whether the benchmark has no warm-up of its own (-wm BULK)."""
        return self._record is not None and self._record.headings["Warmup"] == "<none>"

    def _score(self, text: str, line: Line) -> None:
        failure = failure_in(text)
        if failure is not None:
            self._failed(failure)
            return
        score = parse_score(text)
        if score is None or self._waiting is None or self._fork is None:
            return
        if score.rounded and self._record is not None:
            self._record.coarse = self._record.coarse or self._error(
                line,
                f"JMH printed only the order of magnitude of a score ({text}); run it again "
                "with -Djmh.scorePrecision=9, or in a finer unit (-tu ns)",
            )
        self._fork.add(self._waiting.kind, score)
        self._waiting = None

    def _failed(self, notice: str) -> None:
        if self._record is None:
            return
        self._waiting = self._fork = None
        self._wants_reason = True
        self._record.failure = "the benchmark threw" if notice == "failure" else notice
        # An exception ends only its fork; if a JVM dies, JMH discards the other forks too.
        self._record.lost = self._record.lost or notice != "failure"

    def _other(self, line: Line) -> None:
        if self._in_parameters and self._record is not None:
            self._record.parameter_lines.append(line.rest.removesuffix(")"))
            self._in_parameters = not line.rest.endswith(")")
        elif self._wants_reason and self._record is not None:
            if not line.rest.startswith(_NO_REASON):
                self._record.failure += ": " + line.rest.strip()[:_REASON_LENGTH]
                self._wants_reason = False
        elif self._waiting is not None:
            self._score(line.rest, line)
        elif self._record is not None and line.rest.startswith(_SECONDARY):
            self._record.secondary.append(line.rest.removesuffix('":').partition(":")[2])

    def _error(self, line: Line, problem: str) -> InputError:
        name = "" if self._record is None else f" ({quoted(self._record.name)})"
        return InputError(problem, source=self.source, where=f"line {line.number}{name}")
