"""The JSON of tinybench's results, and of ``vitest bench``."""

from collections.abc import Iterator

import numpy as np

from steady.model import FloatArray, Identity, Suite
from steady.programs.fork_file import NO_NOTE, ForkEntry, note_of, suite_of
from steady.readers.fields import Field
from steady.readers.sources import Document

NAME = KEY = MARK = "tinybench"
UNIT = "ms/op"


def recognizes(document: Document) -> bool:
    """Tell whether a document looks like tinybench's results."""
    return document.is_marked(KEY)


def recognizes_vitest(document: Document) -> bool:
    """Tell whether a document looks like the JSON of ``vitest bench``."""
    marks = (("files", '"groups"'), ("testResults", '"benchmarks"'))
    return any(document.is_marked(key) and inner in document.text for key, inner in marks)


def read(document: Document) -> Suite:
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


def read_vitest(document: Document) -> Suite:
    """Read the JSON of ``vitest bench``: a benchmark with one value, the mean of the process.

    Up to vitest 4, ``--outputJson`` writes it, and then ``--reporter=json``. It holds no samples.

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
        error = table.get("error")
        if error is not None:
            said = error if error and isinstance(error, str) else "its function threw an error"
            yield ForkEntry(identity, UNIT, np.empty(0), {}, note, said)
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
    root = 0  # as many folders as all have in common: a check-out may lie anywhere
    while len({tuple(place[: root + 1]) for place in places}) == 1 < len(places[0]) - root:
        root += 1
    for file, place in zip(files, places, strict=True):
        for test in file.member("assertionResults").items():
            for run in test.optional("benchmarks", []).items():
                for one in run.member("tasks").items():
                    words = (run.member("name").text(), one.member("name").text())
                    name = " > ".join(("/".join(place[root:]), *words))
                    yield ForkEntry(Identity(name), UNIT, _mean(one.member("latency")))
