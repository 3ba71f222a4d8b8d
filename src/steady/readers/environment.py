"""Files beside results: ``environment.json`` has processor and system, which JMH leaves out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from steady.model import Benchmark, Environment, Suite
from steady.readers import not_run
from steady.readers.fields import Field
from steady.readers.sources import Document, open_document
from steady.samecode import file as same_code
from steady.samecode.lookup import marks_of_learned

FILE_NAME = "environment.json"

_MARK = "steady_environment"
_MARKS = {
    FILE_NAME: _MARK,
    "run.json": "steady_run",
    same_code.FILE_NAME: same_code.MARK,
    not_run.FILE_NAME: not_run.MARK,
}
_SIZE_LIMIT = 2**16


def is_sidecar(document: Document) -> bool:
    """Tell whether a document is one that `steady run` writes beside results."""
    mark = (_MARKS | marks_of_learned()).get(document.path.name)
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
    suite = not_run.add_not_run(suite, folder)
    path = folder / FILE_NAME
    if not path.is_file():
        return suite
    document = open_document(path, _SIZE_LIMIT)
    if not document.is_marked(_MARK):
        return suite
    cpu, system = _read(document)
    return replace(suite, benchmarks=tuple(_filled(b, cpu, system) for b in suite.benchmarks))


def _read(document: Document) -> tuple[str, str]:
    top = Field(document.data, document.source, advice="docs/series-format.md shows how it looks")
    version = top.member(_MARK)
    if version.whole(1) != 1:
        raise version.error(f"is version {version.value}; this release reads version 1")
    return top.optional("cpu", "").text(), top.optional("os", "").text()


def _filled(benchmark: Benchmark, cpu: str, system: str) -> Benchmark:
    known: Environment = benchmark.environment
    filled = replace(known, cpu=known.cpu or cpu, os=known.os or system)
    return replace(benchmark, environment=filled)
