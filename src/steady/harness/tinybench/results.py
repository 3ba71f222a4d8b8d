"""The JSON of tinybench's results, and of ``vitest bench``.

That of tinybench is ``{"tinybench": [{"name": ..., "latency": {...}}, ...]}``. A process of
`steady run` has the mean of each run of tinybench, in chronological order. Any other process has
one value: tinybench sorts its samples, so that they do not show the warm-up.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

import numpy as np

from steady.harness.document import Document
from steady.harness.fields import Field
from steady.harness.fork_facts import NO_FACTS, facts_in
from steady.model import FloatArray, Identity, Suite
from steady.programs.entries_format import EntriesFormat, each_entry, top_of
from steady.programs.fork_entries import ForkEntry, Record, place_of, skipped, without_result

KEY = "tinybench"
UNIT = "ms/op"

_MOST_FOLDERS = 30
_THREW = "its function threw an error"
_NOT_COMPLETED = ("aborted", "errored", "not-started", "started")
"""Beginnings of the states of an incomplete result."""


def recognizes_vitest(document: Document) -> bool:
    """Return whether a document looks like the JSON of ``vitest bench``."""
    marks = (("files", '"groups"'), ("testResults", '"benchmarks"'))
    return any(document.is_marked(key) and inner in document.text for key, inner in marks)


def _of_vitest(document: Document) -> Iterator[Record]:
    """Return the records of ``vitest bench``: a benchmark with one value, the mean of the process.

    ``--outputJson`` writes it up to vitest 4, ``--reporter=json`` since then, without samples.
    """
    top = top_of(document)
    return _of_files(top) if "files" in top.table() else _of_tests(top)


def _identity(entry: Field) -> Identity:
    return Identity(entry.member("name").text())


def _entries(identity: Identity, entry: Field) -> Iterator[ForkEntry]:
    table, facts, place = entry.table(), facts_in(entry), place_of(entry)
    error, state = table.get("error"), table.get("state")
    if error is not None or (isinstance(state, str) and state.startswith(_NOT_COMPLETED)):
        failure = "it was aborted" if error is None and state != "errored" else _THREW
        failure = error if error and isinstance(error, str) else failure
        yield without_result(identity, failure, facts=facts, place=place)
        return
    latency = entry.member("latency") if "latency" in table else entry
    samples = _mean(latency) if facts == NO_FACTS else latency.member("samples").numbers()
    yield ForkEntry(identity, UNIT, samples, facts=facts, place=place)


def _mean(latency: Field) -> FloatArray:
    """Return the mean of a process, with or without samples."""
    if "mean" in latency.table():
        return np.array([latency.member("mean").number()])
    samples = latency.member("samples").numbers()
    return samples.mean(keepdims=True) if samples.size else samples


def _of_files(top: Field) -> Iterator[Record]:
    for file in top.member("files").items():
        for group in file.member("groups").items():
            place = group.member("fullName").text()
            for one in group.member("benchmarks").items():
                yield _record(one, one, place)


def _record(entry: Field, latency: Field, *places: str) -> Record:
    """Return a benchmark of vitest, which has one value: the mean."""
    identity = Identity(" > ".join((*places, entry.member("name").text())))

    def entries() -> Iterator[ForkEntry]:
        yield ForkEntry(identity, UNIT, _mean(latency), place=entry.where)

    return identity, entry, entries()


def _of_tests(top: Field) -> Iterator[Record]:
    files = list(top.member("testResults").items())
    places = [file.member("name").text().split("/") for file in files]
    root = 0  # number of common parent folders, since a check-out may be anywhere
    while len({tuple(place[: root + 1]) for place in places}) == 1 < len(places[0]) - root:
        root += 1
    for file, place in zip(files, places, strict=True):
        for test in file.member("assertionResults").items():
            yield from _of_test(test, "/".join(place[root:]))


def renames(base: Suite, head: Suite) -> Mapping[Identity, Identity]:
    """Match benchmarks whose files are named relative to different folders.

    A report omits the common parent folders of its files.
    See `steady.harness.contract.Harness.renames`.
    """
    found: dict[Identity, Identity] = {}
    for ours, theirs in ((base, head), (head, base)):
        longer: dict[str, list[Identity]] = {}
        for identity in theirs:
            if identity not in ours:
                file, separator, test = identity.name.partition(" > ")
                for place in islice(re.finditer("/", file), _MOST_FOLDERS):
                    name = f"{file[place.end() :]}{separator}{test}"
                    longer.setdefault(name, []).append(identity)
        for identity in ours:
            if identity not in theirs and len(known := longer.get(identity.name, [])) == 1:
                found[identity] = known[0]
    return found


def _of_test(test: Field, file: str) -> Iterator[Record]:
    """Yield the benchmarks of a test, or the test itself if it failed or was skipped."""
    status = test.table().get("status", "passed")
    if status == "passed":
        for run in test.optional("benchmarks", []).items():
            for one in run.member("tasks").items():
                yield _record(one, one.member("latency"), file, run.member("name").text())
        return
    identity = Identity(f"{file} > {test.member('fullName').text()}")
    if status == "failed":
        said = [one for one in test.optional("failureMessages", []).array() if one]
        why = str(said[0]).strip().partition("\n")[0] if said else _THREW
        yield identity, test, [without_result(identity, why, place=test.where)]
    else:
        yield identity, test, [skipped(identity, place=test.where)]


FORMAT = EntriesFormat(
    name="tinybench", key=KEY, mark=KEY, records=each_entry(KEY, _identity, _entries)
)
recognizes, read = FORMAT.recognizes, FORMAT.read
read_vitest = replace(FORMAT, records=_of_vitest).read
