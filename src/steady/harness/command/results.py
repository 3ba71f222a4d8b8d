"""Times of a command's executions, in hyperfine's JSON (``--export-json``).

Source: ``src/hyperfine/export/json.rs`` of hyperfine 1.20.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from steady.harness.document import Document
from steady.harness.fields import Field
from steady.harness.fork_facts import facts_in
from steady.model import FloatArray, Identity, Level
from steady.programs.entries_format import EntriesFormat, each_entry
from steady.programs.fork_entries import ForkEntry, place_of, without_result
from steady.text.numbers import count, listed

KEY = "results"

PROCESSOR = "processor_times"
"""Key added by steady: processor seconds of each execution; hyperfine writes a mean."""

MEMORY = "memory_usage_byte"
"""Key of hyperfine 1.19 and newer: peak memory of each execution."""


def recognizes(document: Document) -> bool:
    """Return whether a document looks like hyperfine's JSON."""
    if not document.is_marked(KEY) or not isinstance(document.data, dict):
        return False
    results = document.data[KEY]
    first = results[0] if isinstance(results, list) and results else None
    return isinstance(first, dict) and "command" in first


def _entries(identity: Identity, entry: Field) -> Iterator[ForkEntry]:
    table, facts, place = entry.table(), facts_in(entry), place_of(entry)
    if table.get("times") is None:
        raise entry.error("contains no individual times; export them with --export-json")
    times = entry.member("times").numbers()
    if failure := _failure(table.get("exit_codes")):
        yield without_result(identity, failure, facts=facts, place=place)
        return
    further: dict[str, tuple[str, FloatArray]] = {}
    for name, key, unit in (("processor time", PROCESSOR, "s/op"), ("memory", MEMORY, "B")):
        values = entry.member(key).numbers() if table.get(key) is not None else np.empty(0)
        if values.size == times.size:
            further[name] = unit, values
    yield ForkEntry(identity, "s/op", times, further, facts, place=place)


def _failure(codes: object) -> str:
    """Return how many executions failed (``hyperfine --ignore-failure``); empty if none failed.

    A command ended by a signal has null as its exit code.
    """
    if not isinstance(codes, list) or not (bad := [code for code in codes if code != 0]):
        return ""
    kinds = dict.fromkeys(
        "a signal" if one is None else f"exit code {one}" if isinstance(one, int) else "an error"
        for one in bad
    )
    return f"{len(bad):,} of {count(len(codes), 'execution')} ended with {listed(list(kinds), 3)}"


def _identity(entry: Field) -> Identity:
    parameters: Mapping[str, object] = entry.optional("parameters", {}).table()
    pairs = tuple((name, str(value)) for name, value in parameters.items())
    return Identity(entry.member("command").text(), params=pairs)


FORMAT = EntriesFormat(
    name="command",
    key=KEY,
    mark="",
    records=each_entry(KEY, _identity, _entries),
    levels=(Level("round"), Level("execution")),
)
read = FORMAT.read


def execution_seconds(nominal: float, operation: FloatArray, batch_size: int) -> FloatArray:  # noqa: ARG001 - one execution is one operation
    """Return the duration of an iteration: one execution, whatever its nominal length."""
    return np.where(np.isfinite(operation), operation, nominal)
