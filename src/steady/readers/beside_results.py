"""The files beside results: ``environment.json``, which has processor and system, and others.

JMH leaves processor and system out. ``not-run.json`` says which benchmarks a run left out on
purpose, and why.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from steady.errors import InputError
from steady.files import json_text, plain, read_json
from steady.model import Benchmark, Environment, Identity, NotRun, Suite
from steady.readers.fields import Field
from steady.readers.sources import Document, open_document
from steady.samecode.builds import marks_of_learned
from steady.samecode.file import FILE_NAME as SAME_CODE
from steady.samecode.file import MARK as SAME_CODE_MARK

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

NOT_RUN_LIMIT = 2**22
"""Largest size of ``not-run.json``, in bytes."""

_NOT_RUN_FILE = "the benchmarks that a run left out, version 1"
_Text = Annotated[str, Meta(max_length=2000)]


def is_sidecar(document: Document) -> bool:
    """Tell whether a document is one that `steady run` writes beside results."""
    mark = _MARKS.get(document.path.name) or marks_of_learned().get(document.path.name)
    return mark is not None and document.is_marked(mark)


def add_sidecar(suite: Suite, folder: Path) -> Suite:
    """Add what the files in `folder` say that stand beside results.

    ``environment.json`` fills the empty ``cpu`` and ``os``. A file of that name without
    ``"steady_environment"`` belongs to something else and is ignored. ``not-run.json`` says what
    was left out on purpose.

    Raises
    ------
    InputError
        If such a file is of another version, or holds something else.
    """
    suite = _add_not_run(suite, folder)
    path = folder / ENVIRONMENT
    if not path.is_file():
        return suite
    document = open_document(path, _ENVIRONMENT_LIMIT)
    if not document.is_marked(_ENVIRONMENT_MARK):
        return suite
    cpu, system = _read(document)
    return replace(suite, benchmarks=tuple(_filled(b, cpu, system) for b in suite.benchmarks))


def _read(document: Document) -> tuple[str, str]:
    top = Field(document.data, document.source, advice="docs/series-format.md shows how it looks")
    version = top.member(_ENVIRONMENT_MARK)
    if version.whole(1) != 1:
        raise version.error(f"is version {version.value}; this release reads version 1")
    return top.optional("cpu", "").text(), top.optional("os", "").text()


def _filled(benchmark: Benchmark, cpu: str, system: str) -> Benchmark:
    known: Environment = benchmark.environment
    filled = replace(known, cpu=known.cpu or cpu, os=known.os or system)
    return replace(benchmark, environment=filled)


class _NotRunEntry(Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1, max_length=2000)]
    mode: _Text
    params: tuple[tuple[_Text, _Text], ...]
    threads: Annotated[int, Meta(ge=1)]
    reason: _Text


class _NotRunTable(Struct, frozen=True, forbid_unknown_fields=True):
    steady_not_run: Literal[1]
    benchmarks: tuple[_NotRunEntry, ...]


def not_run_json(entries: Iterable[NotRun]) -> str:
    """Return the file's text; the same entries give the same bytes."""
    benchmarks = [plain(entry.identity) | {"reason": entry.reason} for entry in entries]
    return json_text({_NOT_RUN_MARK: 1, "benchmarks": benchmarks})


def read_not_run(path: Path) -> tuple[NotRun, ...]:
    """Return what a file holds.

    Raises
    ------
    InputError
        If it is not such a file, or larger than `NOT_RUN_LIMIT`.
    """
    if path.stat().st_size > NOT_RUN_LIMIT:
        raise InputError(
            f"is larger than {NOT_RUN_LIMIT:,} bytes; expected {_NOT_RUN_FILE}", source=path
        )
    file = read_json(path, _NotRunTable, what=_NOT_RUN_FILE, remedy="run again")
    return tuple(
        NotRun(Identity(one.name, one.mode, one.params, one.threads), one.reason)
        for one in file.benchmarks
    )


def _add_not_run(suite: Suite, folder: Path) -> Suite:
    path = folder / NOT_RUN
    return replace(suite, not_run=read_not_run(path)) if path.is_file() else suite
