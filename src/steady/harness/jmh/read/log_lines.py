"""The lines of JMH's text log: which of them matter, and the scores in them.

Source: ``org.openjdk.jmh.runner.format.TextReportFormat`` and ``util.ScoreFormatter``.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

# The prefix of a CI service, a build tool or a container runtime: it ends in a time of day, a bar
# or a closing bracket. JMH's own lines begin with '#', so a benchmark's name or parameter cannot
# look like a prefix. No part of a line is tried twice (`++`).
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
class Score:
    """A score as the log prints it.

    Parameters
    ----------
    value : float
        NaN if `rounded`.
    decimals : int
        How many were printed.
    unit : str
        ``us/op``, ``ops/s``, ...
    rounded : bool
        Whether JMH printed only the order of magnitude: ``≈ 10⁻³``.
    """

    value: float
    decimals: int
    unit: str
    rounded: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not blank.

    Parameters
    ----------
    number : int
        1-based.
    kind : str
        What JMH writes before the colon (``Fork``, ``# Warmup Iteration``), ``failure``,
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
    """Yield the lines of a log that are not blank, without colours and CI prefixes."""
    for number, raw in enumerate(io.StringIO(text, newline="\n"), start=1):
        line = (_ANSI.sub("", raw) if "\x1b" in raw else raw).rstrip()
        if line:
            yield _classified(number, line)


def _classified(number: int, line: str) -> Line:
    marker = _MARKER.fullmatch(line)
    if marker is not None and marker["heading"] is not None:
        return Line(number, marker["heading"], marker["rest"])
    if marker is not None:
        return Line(number, marker["iteration"], marker["rest"], int(marker["count"]))
    failure = _LONE_FAILURE.fullmatch(line)
    if failure is not None:
        return Line(number, "failure", failure["failure"])
    lone = _LONE_SCORE.fullmatch(line)
    return Line(number, "text", line) if lone is None else Line(number, "score", lone["score"])


def failure_in(text: str) -> str | None:
    """Return JMH's notice of a failure in a line, without its brackets, or None."""
    match = _FAILURE.search(text)
    return None if match is None else match[0].strip("<>")


def parse_score(text: str) -> Score | None:
    """Return the score that `text` is, with a comma or a point for decimals, or None."""
    match = _SCORE.fullmatch(text)
    if match is None:
        return None
    if match["magnitude"] is not None:
        return Score(float("nan"), 0, match["unit"], rounded=True)
    digits = match["value"].replace(",", ".")
    decimals = len(digits.partition(".")[2])
    return Score(float(digits), decimals, match["unit"])
