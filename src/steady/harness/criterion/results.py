"""Criterion.rs's results of a benchmark: ``sample.json``, and ``benchmark.json`` beside it.

A file of `steady run` contains both for each fork, as Criterion.rs wrote them.
"""

from collections.abc import Iterator

import numpy as np

from steady.errors import InputError
from steady.harness.document import Document, open_document
from steady.harness.fields import Field
from steady.harness.fork_facts import facts_in
from steady.model import FloatArray, Identity
from steady.programs.entries_format import EntriesFormat, top_of
from steady.programs.fork_entries import MOST_SAMPLES, ForkEntry, Record, iterations_of, place_of

KEY = "criterion"

SAMPLE = "sample.json"
BENCHMARK = "benchmark.json"

_UNITS = {"Bits": "bits", "Bytes": "B", "BytesDecimal": "B", "Elements": "elements"}
"""Units of each kind of throughput, except ``ElementsAndBytes``."""

_SECOND = 1e9
_LARGEST = 2**20


def recognizes(document: Document) -> bool:
    """Return whether a document looks like one or several samples of Criterion.rs."""
    return document.is_marked(KEY) or all(map(document.is_marked, ("iters", "times")))


def unreadable(document: Document) -> str:
    """Return why another file of Criterion.rs is not a result; empty for any other document."""
    if not any(map(document.is_marked, ("median_abs_dev", "directory_name"))):
        return ""
    return (
        "contains no individual values of Criterion.rs; give the sample.json beside it, or the "
        "folder "
        "target/criterion"
    )


def _records(document: Document) -> Iterator[Record]:
    """Yield the records of a sample of Criterion.rs, or of the forks of `steady run`.

    The time of an operation is the total time of a sample divided by its number of operations,
    which grows from sample to sample. So in files of `steady run`, samples are grouped into
    iterations of about equal duration. Throughput is in `Benchmark.metrics`.

    Source: ``src/analysis/mod.rs`` and ``src/report.rs`` of Criterion.rs 0.8.

    Raises
    ------
    InputError
        If Criterion.rs does not write such documents, or there is no ``benchmark.json`` beside it.
    """
    top = top_of(document)
    forks = (
        [(one.member("benchmark"), one.member("sample"), one) for one in top.member(KEY).items()]
        if KEY in top.table()
        else [(_beside(document), top, top)]
    )
    for benchmark, sample, noted in forks:
        identity = Identity(benchmark.member("full_id").text())
        yield identity, noted, _entries(identity, benchmark, sample, noted)


def _beside(document: Document) -> Field:
    path = document.path.with_name(BENCHMARK)
    if not path.is_file():
        raise InputError(
            f"has no {BENCHMARK} beside it, which names the benchmark; copy the whole folder",
            source=document.source,
        )
    return Field(open_document(path, _LARGEST, within=path.parent).data, str(path))


def _entries(
    identity: Identity, benchmark: Field, sample: Field, noted: Field
) -> Iterator[ForkEntry]:
    facts = facts_in(noted)
    operations, times = (sample.member(key).numbers() for key in ("iters", "times"))
    both = np.concatenate((operations, times))
    if operations.shape != times.shape or not (np.isfinite(both) & (both > 0)).all():
        raise sample.error("expected as many times as iters, each of them above 0")
    each = iterations_of(times, facts.iterations or MOST_SAMPLES, operations)
    rates = _rates(benchmark.optional("throughput", None), each)
    yield ForkEntry(identity, "ns/op", each, rates, facts, warmup_apart=True, place=place_of(noted))


def _rates(throughput: Field, times: FloatArray) -> dict[str, tuple[str, FloatArray]]:
    if throughput.value is None:
        return {}
    amounts = throughput.table()
    both = amounts.get("ElementsAndBytes", amounts)
    return {
        f"{kind.removesuffix('Decimal').lower()}_per_second": (
            f"{_UNITS[kind]}/s",
            throughput.below(kind, amount).number() * _SECOND / times,
        )
        for name, amount in throughput.below("ElementsAndBytes", both).table().items()
        if (kind := name[:1].upper() + name[1:]) in _UNITS
    }


FORMAT = EntriesFormat(name="criterion", key=KEY, mark=KEY, records=_records)
read = FORMAT.read
