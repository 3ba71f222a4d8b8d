"""The JSON of pytest-benchmark (``--benchmark-json``), as version 4 and 5 write it."""

from collections.abc import Iterator

from steady.harness.document import Document
from steady.harness.fields import Field
from steady.harness.fork_facts import facts_in
from steady.model import Environment, Identity, Suite
from steady.programs.fork_entries import (
    ForkEntry,
    Record,
    place_of,
    read_records,
    suite_of,
    without_result,
)

NAME = "pytest-benchmark"
KEY = "benchmarks"
MARK = "machine_info"

_FAILED = "its function raised an error; the output of pytest says which"


def recognizes(document: Document) -> bool:
    """Tell whether a document looks like pytest-benchmark's JSON."""
    return document.is_marked(MARK) and document.is_marked(KEY)


def read(document: Document) -> Suite:
    """Read pytest-benchmark's JSON: a benchmark with a row for each process.

    Source: ``pytest_benchmark/stats.py`` and ``session.py`` of version 5.3.

    Raises
    ------
    InputError
        If the document is not what it writes, or holds no single values.
    """
    top = Field(document.data, document.source)
    machine = top.table().get(MARK)
    cpu = machine.get("cpu") if isinstance(machine, dict) else None
    version = machine.get("python_version") if isinstance(machine, dict) else None
    brand = cpu.get("brand_raw") if isinstance(cpu, dict) else None
    return suite_of(
        read_records(_records(top)),
        harness=NAME,
        source=document.source,
        environment=Environment(
            cpu=brand if isinstance(brand, str) else "",
            vm=f"Python {version}" if isinstance(version, str) else "",
        ),
    )


def _records(top: Field) -> Iterator[Record]:
    for entry in top.member(KEY).items():
        identity = Identity(entry.member("fullname").text())
        yield identity, entry, _entries(identity, entry)


def _entries(identity: Identity, entry: Field) -> Iterator[ForkEntry]:
    place = place_of(entry)
    if entry.table().get("has_error"):
        yield without_result(identity, _FAILED, place=place)
        return
    stats = entry.member("stats")
    if "data" not in stats.table():
        raise stats.error(
            "holds no single values; run with --benchmark-json, or save with --benchmark-save-data"
        )
    values = stats.member("data").numbers()
    yield ForkEntry(identity, "s/op", values, facts=facts_in(entry), place=place)
