"""pytest-benchmark's JSON (``--benchmark-json``) of versions 4 and 5.

Source: ``pytest_benchmark/stats.py`` and ``session.py`` of version 5.3.
"""

from collections.abc import Iterator

from steady.harness.document import Document
from steady.harness.fields import Field
from steady.harness.fork_facts import facts_in
from steady.model import Environment, Identity
from steady.programs.entries_format import EntriesFormat, each_entry, top_of
from steady.programs.fork_entries import ForkEntry, place_of, without_result

KEY = "benchmarks"
MARK = "machine_info"

_FAILED = "its function raised an error; see the output of pytest"


def _environment(document: Document) -> Environment:
    machine = top_of(document).table().get(MARK)
    cpu = machine.get("cpu") if isinstance(machine, dict) else None
    version = machine.get("python_version") if isinstance(machine, dict) else None
    brand = cpu.get("brand_raw") if isinstance(cpu, dict) else None
    return Environment(
        cpu=brand if isinstance(brand, str) else "",
        vm=f"Python {version}" if isinstance(version, str) else "",
    )


def _identity(entry: Field) -> Identity:
    return Identity(entry.member("fullname").text())


def _entries(identity: Identity, entry: Field) -> Iterator[ForkEntry]:
    place = place_of(entry)
    if entry.table().get("has_error"):
        yield without_result(identity, _FAILED, place=place)
        return
    stats = entry.member("stats")
    if "data" not in stats.table():
        raise stats.error(
            "lacks individual values; run with --benchmark-json, or save with --benchmark-save-data"
        )
    values = stats.member("data").numbers()
    yield ForkEntry(identity, "s/op", values, facts=facts_in(entry), place=place)


FORMAT = EntriesFormat(
    name="pytest-benchmark",
    key=KEY,
    mark=MARK,
    records=each_entry(KEY, _identity, _entries),
    environment=_environment,
)
recognizes, read = FORMAT.recognizes, FORMAT.read
