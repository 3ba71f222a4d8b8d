"""The lines of Go's benchmark output, and the results in them.

``go test -json`` prints the same lines in events.

Source: package testing of Go 1.26, ``benchmark.go``; "Go Benchmark Data Format"
(golang.org/design/14313-benchmark-format) and golang.org/x/perf/benchfmt; package cmd/test2json.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from steady.files import decode_json

PROCESS = "# steady process"
"""Prefix of steady's line before the output of a process; Go's tools ignore it."""

WARMUP = "# steady warm-up: "
"""Prefix of results of warm-up iterations, so that Go's tools ignore them."""

CONFIGURATION = re.compile(r"(?P<key>[a-z][^\sA-Z:]*):(?:[ \t]++(?P<value>.*))?")
_NUMBER = re.compile(
    r"[-+]?(?:\d{1,330}(?:\.\d{0,330})?|\.\d{1,330})(?:[eE][-+]?\d{1,4})?|NaN|[-+]?Inf", re.ASCII
)
_COUNT = re.compile(r"\d{1,18}", re.ASCII)
NAME = re.compile(r"Benchmark(?:[^\sa-z]\S*)?(?=\s|$)")
NAME_LATER = re.compile(
    r"(?<!\S)(?:(?!Benchmark[^\sa-z])\S)++(?P<name>Benchmark\S*+)(?P<rest>\s++\d{1,18}\s.*)"
)
"""A name that follows other output on its line."""

VERDICT = re.compile(r"--- (?P<verdict>FAIL|SKIP|BENCH): (?P<name>\S+)")
END = re.compile(
    r"(?:PASS|FAIL)[ \t]*|(?P<verdict>ok|FAIL)[ \t]+(?P<package>\S+)"
    r"[ \t]+(?P<rest>\d[\d.]*s\b.*|\(cached\).*|\[[^]]*\].*)"
)
_PRINTED_BEFORE = re.compile(r"(?:^|.*\s)(?=\d{1,18}\t)", re.ASCII)

_EVENT = re.compile(
    r"\A\s*\{\s*\"(?:Time|Action|ImportPath)\"\s*:"
    # Go prints lines of its own before the first event: "go: downloading ..."
    r"|^[ \t]*\{\s?(?:\"(?:Time|ImportPath)\"\s?:\s?\"[^\"\n]{0,1000}\",\s?){0,2}\"Action\"\s?:",
    re.MULTILINE,
)

_PREFIX = re.compile(
    r"^\ufeff?(?:[^\t\n{]{1,200}\t[^\t\n]{0,200}\t)?\ufeff?"  # the job and the step (gh run view)
    r"\[?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z\]? (?:\d\d[OE]\+? )?",
    re.MULTILINE,
)
"""The timestamp of a CI service before each line; GitLab adds the stream."""

_BEGINNING = 20_000
CAUSE = re.compile(r"(?:panic: |fatal error: |signal: |exit status |\*\*\* Test killed).*")


@dataclass(frozen=True, slots=True)
class Result:
    """Go's result of one iteration.

    Parameters
    ----------
    operations : int
        Number of operations.
    metrics : mapping of str to float
        By unit, in the order of the line.
    """

    operations: int
    metrics: Mapping[str, float]


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the non-blank lines of a text, numbered from 1; of events, their output."""
    text = without_prefixes(text)
    text = _plain_text(text) if is_event_stream(text) else text
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.removesuffix("\r")
        if line.strip():
            yield number, line


def parse_result(text: str) -> Result | None:
    """Return the result in ``1000  1234 ns/op  16 B/op``; None if it is not a result."""
    fields = text.split()
    if len(fields) < 3 or len(fields) % 2 == 0 or not _COUNT.fullmatch(fields[0]):
        return None
    values, units = fields[1::2], fields[2::2]
    if int(fields[0]) == 0:  # a panic follows; Go prints NaN before its message
        return None
    if not all(map(_NUMBER.fullmatch, values)) or any(map(_NUMBER.fullmatch, units)):
        return None
    return Result(int(fields[0]), dict(zip(units, map(float, values), strict=True)))


def result_in(text: str) -> Result | None:
    """Return the result in `text`, or at its end after output of the benchmark."""
    printed = _PRINTED_BEFORE.match(text)
    return parse_result(text) or (printed and parse_result(text[printed.end() :])) or None


def cause_in(text: str) -> str:
    """Return the reason for the early end of a process from a line; empty if it gives none."""
    match = CAUSE.search(text)
    return "" if match is None else match[0]


def options_of(text: str) -> Mapping[str, str]:
    """Parse ``key=value key=value``."""
    pairs = (word.partition("=") for word in text.split())
    return {key: value for key, sign, value in pairs if sign}


def is_event_stream(text: str) -> bool:
    """Return whether a text looks like events of ``go test -json``."""
    return _EVENT.search(text) is not None


def without_prefixes(text: str) -> str:
    """Return a text without the timestamps of a CI service."""
    return _PREFIX.sub("", text) if _PREFIX.search(text, 0, _BEGINNING) else text


def _plain_text(text: str) -> str:
    """Return the output in events, package by package; other lines are unchanged.

    A lone surrogate becomes U+FFFD, like a byte that is not UTF-8.
    """
    printed: dict[str, list[str]] = {}
    for line in text.split("\n"):
        event = _event(line)
        if event is None:
            printed.setdefault("", []).append(f"{line}\n")
        elif isinstance(output := event.get("Output"), str):
            printed.setdefault(str(event.get("Package", "")), []).append(output)
    text = "".join(part for parts in printed.values() for part in parts)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _event(line: str) -> dict[str, object] | None:
    try:
        event = decode_json(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None
