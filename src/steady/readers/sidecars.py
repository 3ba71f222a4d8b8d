"""Sidecar files: additional information in the folder of results.

``environment.json`` contains processor and operating system, which JMH does not report.
``not-run.json`` lists the benchmarks that a run deliberately omitted, and those without a result in
one version, each with a reason.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from steady.errors import InputError
from steady.files import json_text, plain, read_json
from steady.harness.document import Document, open_document
from steady.harness.fields import Field
from steady.model import Failure, Identity, NotRun, Suite
from steady.samecode.choice import FILE_NAME as SAME_CODE
from steady.samecode.choice import MARK as SAME_CODE_MARK

ENVIRONMENT = "environment.json"
NOT_RUN = "not-run.json"

_ENVIRONMENT_MARK = "steady_environment"
_NOT_RUN_MARK = "steady_not_run"
_MARKS = {
    ENVIRONMENT: _ENVIRONMENT_MARK,
    "run.json": "steady_run",
    SAME_CODE: SAME_CODE_MARK,
    NOT_RUN: _NOT_RUN_MARK,
}
_ENVIRONMENT_LIMIT = 2**16

NOT_RUN_LIMIT = 2**24
"""Largest size of ``not-run.json``, in bytes."""

_NOT_RUN_FILE = "the benchmarks that a run omitted, version 1"
_LONGEST = 2000
_Text = Annotated[str, Meta(max_length=_LONGEST)]


def is_sidecar(document: Document) -> bool:
    """Return whether a document is a sidecar file of `steady run`."""
    mark = _MARKS.get(document.path.name)
    return mark is not None and document.is_marked(mark)


@dataclass(frozen=True, slots=True)
class NoResult:
    """A planned benchmark without a result in a version, or in one of its forks.

    Parameters
    ----------
    version : str
        ``base``, ``head`` or ``results``.
    identity : Identity
        Identity of the benchmark.
    reason : str
        Reason, in one line.
    """

    version: str
    identity: Identity
    reason: str


def add_sidecar(suite: Suite, results: Path) -> Suite:
    """Add the contents of the sidecar files to a suite.

    ``environment.json`` fills an empty ``cpu`` and ``os``. A file of that name without
    ``"steady_environment"`` belongs to another program and is ignored. ``not-run.json`` adds the
    omitted benchmarks, and the failures of the version that the results file is named after.

    Parameters
    ----------
    suite : Suite
        The suite in the results file.
    results : Path
        The results file.

    Raises
    ------
    InputError
        If a sidecar file has a different format version, or is invalid.
    """
    suite = _add_not_run(suite, results)
    path = results.parent / ENVIRONMENT
    if not path.is_file():
        return suite
    document = open_document(path, _ENVIRONMENT_LIMIT, within=path.parent)
    if not document.is_marked(_ENVIRONMENT_MARK):
        return suite
    cpu, system = _read(document)
    benchmarks = []
    for benchmark in suite.benchmarks:
        known = benchmark.environment
        filled = replace(known, cpu=known.cpu or cpu, os=known.os or system)
        benchmarks.append(replace(benchmark, environment=filled))
    return replace(suite, benchmarks=tuple(benchmarks))


def _read(document: Document) -> tuple[str, str]:
    top = Field(document.data, document.source, advice="docs/series-format.md shows its format")
    version = top.member(_ENVIRONMENT_MARK)
    if version.whole(1) != 1:
        raise version.error(f"is version {version.value}; this release reads version 1")
    return top.optional("cpu", "").text(), top.optional("os", "").text()


class _NotRunEntry(Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1, max_length=2000)]
    mode: _Text
    params: tuple[tuple[_Text, _Text], ...]
    threads: Annotated[int, Meta(ge=1)]
    reason: _Text
    version: _Text = ""
    excluded: Annotated[float, Meta(gt=0)] | None = None

    @property
    def identity(self) -> Identity:
        return Identity(self.name, self.mode, self.params, self.threads)


class _NotRunTable(Struct, frozen=True, forbid_unknown_fields=True):
    steady_not_run: Literal[1]
    benchmarks: tuple[_NotRunEntry, ...]


def not_run_json(entries: Iterable[NotRun], without: Iterable[NoResult] = ()) -> str:
    """Return the content of ``not-run.json``, deterministically.

    Parameters
    ----------
    entries : iterable of NotRun
        Deliberately omitted benchmarks.
    without : iterable of NoResult
        Benchmarks without a result.
    """
    benchmarks = [
        plain(entry.identity)
        | {"reason": entry.reason}
        | ({} if entry.excluded is None else {"excluded": entry.excluded})
        for entry in entries
    ]
    benchmarks += [
        plain(one.identity) | {"reason": one.reason[:_LONGEST], "version": one.version}
        for one in without
    ]
    return json_text({_NOT_RUN_MARK: 1, "benchmarks": benchmarks})


def read_not_run(path: Path) -> tuple[tuple[NotRun, ...], tuple[NoResult, ...]]:
    """Read the omitted benchmarks, and those without a result.

    Raises
    ------
    InputError
        If the file is invalid, or larger than `NOT_RUN_LIMIT`.
    """
    if path.stat().st_size > NOT_RUN_LIMIT:
        raise InputError(
            f"is larger than {NOT_RUN_LIMIT:,} bytes; expected {_NOT_RUN_FILE}", source=path
        )
    file = read_json(path, _NotRunTable, what=_NOT_RUN_FILE, remedy="run again", within=path.parent)
    return (
        tuple(
            NotRun(one.identity, one.reason, one.excluded)
            for one in file.benchmarks
            if not one.version
        ),
        tuple(
            NoResult(one.version, one.identity, one.reason)
            for one in file.benchmarks
            if one.version
        ),
    )


def _add_not_run(suite: Suite, results: Path) -> Suite:
    path = results.parent / NOT_RUN
    if not path.is_file():
        return suite
    not_run, without = read_not_run(path)
    own = results.name.partition(".")[0]
    failures = {failure.identity: failure for failure in suite.failures}
    for one in without:
        if one.version == own:
            known = failures.get(one.identity)
            reason = one.reason if known is None else f"{known.reason}; {one.reason}"
            failures[one.identity] = Failure(one.identity, reason)
    return replace(suite, not_run=not_run, failures=tuple(failures.values()))
