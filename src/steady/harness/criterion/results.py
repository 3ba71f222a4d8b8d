"""What Criterion.rs leaves of a benchmark: ``sample.json``, and ``benchmark.json`` beside it.

A file of `steady run` holds both for each fork, as Criterion.rs wrote them.
"""

import numpy as np

from steady.errors import InputError
from steady.model import FloatArray, Identity, Suite
from steady.programs.fork_file import MOST_SAMPLES, ForkEntry, iterations_of, note_of, suite_of
from steady.readers.fields import Field
from steady.readers.sources import Document, open_document

NAME = KEY = MARK = "criterion"

SAMPLE = "sample.json"
BENCHMARK = "benchmark.json"

_UNITS = {"Bits": "bits", "Bytes": "B", "BytesDecimal": "B", "Elements": "elements"}
"""Of each throughput, beside ``ElementsAndBytes``."""

_SECOND = 1e9
_LARGEST = 2**20


def recognizes(document: Document) -> bool:
    """Tell whether a document looks like a sample of Criterion.rs, or several in one file."""
    return document.is_marked(KEY) or all(map(document.is_marked, ("iters", "times")))


def unreadable(document: Document) -> str:
    """Say why a document beside the samples is no result; empty if it is something else."""
    if not any(map(document.is_marked, ("median_abs_dev", "directory_name"))):
        return ""
    return (
        "holds no single values of Criterion.rs; name the sample.json beside it, or the folder "
        "target/criterion"
    )


def read(document: Document) -> Suite:
    """Read a sample of Criterion.rs, or the forks of `steady run`.

    The time of an operation is the total of a sample by its number of operations. Criterion.rs
    lets this number grow from sample to sample. So in the files of `steady run`, samples become
    iterations that took about as long as each other. Throughput is in `Benchmark.metrics`.

    Source: ``src/analysis/mod.rs`` and ``src/report.rs`` of Criterion.rs 0.8.

    Raises
    ------
    InputError
        If the document is not what it writes, or has no ``benchmark.json`` beside it.
    """
    top = Field(document.data, document.source)
    if KEY in top.table():
        forks = [
            _entry(one.member("benchmark"), one.member("sample"), one)
            for one in top.member(KEY).items()
        ]
    else:
        forks = [_entry(_beside(document), top, top)]
    return suite_of(forks, harness=NAME, source=document.source)


def _beside(document: Document) -> Field:
    path = document.path.with_name(BENCHMARK)
    if not path.is_file():
        raise InputError(
            f"has no {BENCHMARK} beside it, which names the benchmark; copy the whole folder",
            source=document.source,
        )
    return Field(open_document(path, _LARGEST, within=path.parent).data, str(path))


def _entry(benchmark: Field, sample: Field, noted: Field) -> ForkEntry:
    note = note_of(noted)
    operations, times = (sample.member(key).numbers() for key in ("iters", "times"))
    both = np.concatenate((operations, times))
    if operations.shape != times.shape or not (np.isfinite(both) & (both > 0)).all():
        raise sample.error("expected as many times as iters, each of them above 0")
    return ForkEntry(
        Identity(benchmark.member("full_id").text()),
        "ns/op",
        each := iterations_of(times, note.iterations or MOST_SAMPLES, operations),
        _rates(benchmark.optional("throughput", None), each),
        note,
        warmup_apart=True,
    )


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
