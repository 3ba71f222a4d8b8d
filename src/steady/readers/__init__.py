"""Readers of result files, one for each format; each returns a suite."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from steady.errors import InputError, limit_errors
from steady.harness import Format
from steady.harness.document import SIZE_LIMIT as SIZE_LIMIT
from steady.harness.document import Document as Document
from steady.harness.document import open_document as open_document
from steady.harness.fields import quoted
from steady.harnesses import HARNESSES
from steady.model import Suite
from steady.readers import series_format, sidecars
from steady.readers.joined_suites import join
from steady.readers.lengths import limited
from steady.readers.series_format import write_series as write_series
from steady.readers.sources import find_files, harness_formats
from steady.registry import Registered, Registry
from steady.samecode.choice import add_same_code


def _formats() -> Iterator[Registered[Format]]:
    yield from harness_formats()
    yield Registered(
        "series",
        "plain arrays of measurements as JSON",
        "docs/series-format.md",
        Format(series_format.recognizes, series_format.read),
    )


FORMATS = Registry("result format", further=_formats)
"""The formats of results: those of each harness, and steady's own."""

_FAILURES_SHOWN = 3


def load(
    paths: str | Path | Sequence[str | Path],
    *,
    format: str | None = None,  # noqa: A002 - the name in the public interface
    limit: int = SIZE_LIMIT,
    empty: bool = False,
) -> Suite:
    """Read the result files of one run.

    Parameters
    ----------
    paths : str, Path, or sequence of them
        Files, folders (their ``*.json`` and ``*.json.gz``) or glob patterns; gzip is unpacked.
    format : str, optional
        A name in `FORMATS`; by default the content of each file decides.
    limit : int
        Largest size of a file, in unpacked bytes.
    empty : bool
        Whether to return an empty suite for a run without benchmarks instead of raising an error.

    Returns
    -------
    Suite
        The benchmarks of all files. A benchmark in several files gets the forks of all of them.
        JMH's log beside its JSON adds the warm-up iterations and the failures; an
        ``environment.json`` in the folder of a file adds processor and operating system,
        ``same-code.json`` the benchmarks that were not measured because their code path is
        identical in base and head, and ``not-run.json`` those that were omitted or have no result.

    Raises
    ------
    InputError
        If a file is invalid, a text exceeds the limits of `steady.readers.lengths`, two files
        contradict each other, or no benchmark is left; the message names the file and the place.

    Examples
    --------
    >>> import steady
    >>> suite = steady.Suite.of({"parse": [[3.0, 1.0, 1.1], [2.9, 1.0, 1.2]]}, unit="ms/op")
    >>> steady.write_series(suite, "series.json")
    >>> loaded = steady.load("series.json")
    >>> loaded["parse"].measurements.shape
    (2, 3)
    """
    given = None if format is None else FORMATS[format]  # an unknown name is an error at once
    results: list[Suite] = []
    logs: dict[Registered[Format], list[Document]] = {}
    for path in find_files(paths):
        with limit_errors(path):
            document = open_document(path, limit)
            if sidecars.is_sidecar(document):
                continue
            if given and given.value.empty and not document.text.strip():
                raise InputError(given.value.empty, source=path)
            entry = given or _format_of(document)
            if entry.value.joins is not None:
                logs.setdefault(entry, []).append(document)
            else:
                suite = entry.value.read(document)
                suite = sidecars.add_sidecar(suite, path)
                results.append(add_same_code(suite, path.parent))
    suite = _combined(results, logs)
    suite = limited(suite, ", ".join(suite.sources))
    if not suite.benchmarks and not empty:
        raise _nothing_left(suite)
    return suite


def _combined(results: list[Suite], logs: Mapping[Registered[Format], Sequence[Document]]) -> Suite:
    if results:
        suite = join(results)
        for entry, documents in logs.items():
            suite = _joined(suite, entry, documents)
        return suite
    if logs:
        return join(
            [
                sidecars.add_sidecar(entry.value.read(document), document.path)
                for entry, documents in logs.items()
                for document in documents
            ]
        )
    raise InputError("only environment.json or run.json was given; give the result files too")


def _joined(suite: Suite, entry: Registered[Format], logs: Sequence[Document]) -> Suite:
    """Add the information of logs to the results of the same harness."""
    harness = next(one.value for one in HARNESSES.values() if entry in one.value.formats)
    joins = entry.value.joins
    if joins is None or suite.harness != harness.name:
        raise InputError(
            f"is a log of {harness.title}, but {', '.join(suite.sources)} is not; "
            "load them separately",
            source=logs[0].path,
        )
    return joins(suite, logs)


def _format_of(document: Document) -> Registered[Format]:
    try:
        for entry in _formats():
            if entry.value.recognizes(document):
                return entry
    except InputError:  # begins like JSON, but is not: '[INFO] # JMH version: ...'
        for entry in _formats():
            if entry.value.joins is not None and entry.value.recognizes(document):
                return entry
        raise
    raise _unknown(document)


def _unknown(document: Document) -> InputError:
    if document.bad_byte is not None or not document.text.strip():
        try:
            document.data  # noqa: B018 - it raises the right error
        except InputError as error:
            return error
    parts = (entry.value.unreadable for entry in HARNESSES.values())
    reasons = (reason for part in parts if part is not None and (reason := part(document)))
    problem = next(reasons, "")
    if problem:
        return InputError(problem, source=document.source)
    if harness := _other_harness(document):
        problem = (
            f"is a result file of {harness}, which steady cannot read; "
            "docs/series-format.md of steady shows how to convert it"
        )
    else:
        known = ", ".join(FORMATS)
        problem = (
            f"is not a result file of a known format ({known}); "
            "`steady methods` describes each of them"
        )
    return InputError(problem, source=document.source)


_Object = Mapping[str, Any]

_MARKS: Mapping[str, Callable[[_Object], bool]] = {
    "benchmark-ips": lambda data: {"ips", "stddev", "cycles"} <= data.keys(),
    "Renaissance": lambda data: {"format_version", "suite", "data"} <= data.keys(),
    "cargo-criterion": lambda data: data.get("reason") == "benchmark-complete",
    "BenchmarkTools.jl": lambda data: "BenchmarkTools" in data,
    "Catch2": lambda data: {"metadata", "test-run"} <= data.keys(),
}
"""Tests that recognize the JSON of unsupported harnesses."""

_LINES: Mapping[str, re.Pattern[str]] = {
    "cargo bench": re.compile(r"^test .{1,200} \.\.\. bench: ", re.MULTILINE),
    "Benchmark.js": re.compile(r"^.{1,200} x [\d,.]{1,30} ops/sec ±", re.MULTILINE),
    "Catch2": re.compile(r"<BenchmarkResults |^benchmark name +samples +iterations ", re.MULTILINE),
    "benchmark-ips": re.compile(r" \(± ?[\d.]+%\) i/s "),
    "PHPBench": re.compile(r"<phpbench |^Subjects: \d+, Assertions: \d", re.MULTILINE),
}
"""Patterns of lines in the output of unsupported harnesses."""

_SEARCHED = 100_000  # characters


def _other_harness(document: Document) -> str:
    """Return the name of the unsupported harness that wrote a document; empty if unknown."""
    try:
        data = document.data
    except InputError:
        text = document.text[:_SEARCHED]
        return next((name for name, line in _LINES.items() if line.search(text)), "")
    if isinstance(data, list) and data:
        data = data[0]
    if not isinstance(data, Mapping):
        return ""
    return next((name for name, matches in _MARKS.items() if matches(data)), "")


def _nothing_left(suite: Suite) -> InputError:
    sources = ", ".join(suite.sources)
    if not suite.failures:
        return InputError(
            "contains no benchmark: none matched the pattern, or all failed; see the harness's "
            "output",
            source=sources,
        )
    shown = "; ".join(
        f"{quoted(failure.identity.label)} ({quoted(failure.reason, 120)[1:-1]})"
        for failure in suite.failures[:_FAILURES_SHOWN]
    )
    rest = len(suite.failures) - _FAILURES_SHOWN
    more = f"; and {rest} more" if rest > 0 else ""
    return InputError(f"no benchmark gave a usable result: {shown}{more}", source=sources)
