"""The JSON of tinybench's results, and of ``vitest bench``."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from steady.model import FloatArray, Identity, Suite
from steady.programs.fork_file import NO_NOTE, ForkEntry, note_of, suite_of
from steady.readers.fields import Field
from steady.readers.sources import Document

NAME = "tinybench"
KEY = "tinybench"
UNIT = "ms/op"


def recognizes_tinybench(document: Document) -> bool:
    """Tell whether a document looks like tinybench's results."""
    return document.is_marked(KEY)


def recognizes_tinybench_vitest(document: Document) -> bool:
    """Tell whether a document looks like the JSON of ``vitest bench``."""
    key = next(filter(document.is_marked, ("files", "testResults")), None)
    if key is None:
        return False
    inner = "groups" if key == "files" else "assertionResults"
    files = document.data[key]
    held = [one.get(inner) for one in files if isinstance(one, dict)] if _is_list(files) else []
    if key == "files":
        return any(map(_is_list, held))
    tests = (test for own in held if _is_list(own) for test in own)
    return any(isinstance(one, dict) and _is_list(one.get("benchmarks")) for one in tests)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def read_tinybench(document: Document) -> Suite:
    """Read tinybench's results: ``{"tinybench": [{"name": ..., "latency": {...}}, ...]}``.

    A process of `steady run` has the mean of each run of tinybench, in their order. Any other
    process has one value: tinybench sorts its samples, so they do not show how it warmed up.

    Raises
    ------
    InputError
        If the document is something else.
    """
    top = Field(document.data, document.source)
    return suite_of(_results(top), harness=NAME, source=document.source)


def read_tinybench_vitest(document: Document) -> Suite:
    """Read the JSON of ``vitest bench``: a benchmark with one value, the mean of the process.

    vitest 1 to 4 write it by ``--outputJson``, vitest 5 by ``--reporter=json``. It holds no samples.

    Raises
    ------
    InputError
        If the document is something else.
    """
    top = Field(document.data, document.source)
    found = _of_files(top) if "files" in top.table() else _of_tests(top)
    return suite_of(found, harness=NAME, source=document.source)


def _results(top: Field) -> Iterator[ForkEntry]:
    for entry in top.member(KEY).items():
        table = entry.table()
        identity, note = Identity(entry.member("name").text()), note_of(entry)
        if table.get("error") is not None:
            error = table["error"]
            said = error if isinstance(error, str) else "its function threw an error"
            yield ForkEntry(identity, UNIT, np.empty(0), {}, note, said or "it threw an error")
            continue
        latency = entry.member("latency") if "latency" in table else entry
        if note != NO_NOTE:
            yield ForkEntry(identity, UNIT, latency.member("samples").numbers(), note=note)
        else:
            yield ForkEntry(identity, UNIT, _mean(latency))


def _mean(latency: Field) -> FloatArray:
    """Return the mean of a process; its samples may be left out."""
    if "mean" in latency.table():
        return np.array([latency.member("mean").number()])
    samples = latency.member("samples").numbers()
    return samples.mean(keepdims=True) if samples.size else samples


def _of_files(top: Field) -> Iterator[ForkEntry]:
    for file in top.member("files").items():
        for group in file.member("groups").items():
            place = group.member("fullName").text()
            for one in group.member("benchmarks").items():
                name = f"{place} > {one.member('name').text()}"
                yield ForkEntry(Identity(name), UNIT, _mean(one))


def _of_tests(top: Field) -> Iterator[ForkEntry]:
    files = list(top.member("testResults").items())
    places = [file.member("name").text().split("/") for file in files]
    root = len(os.path.commonprefix([place[:-1] for place in places]))
    for file, place in zip(files, places, strict=True):
        for test in file.member("assertionResults").items():
            for run in test.optional("benchmarks", []).items():
                for one in run.member("tasks").items():
                    words = (run.member("name").text(), one.member("name").text())
                    name = " > ".join(("/".join(place[root:]), *words))
                    yield ForkEntry(Identity(name), UNIT, _mean(one.member("latency")))
