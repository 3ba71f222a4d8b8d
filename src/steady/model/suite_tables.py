"""Tables of a suite: one row per value for pandas, and one per benchmark for a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from steady.model.benchmark import Benchmark
from steady.text.numbers import value

if TYPE_CHECKING:
    import pandas

    from steady.tables import CategoricalColumn

HEADER = ("benchmark", "forks", "iterations", "warm-up", "median", "unit")
"""Header of the table in a notebook."""

PARAMETER = "params."
"""Prefix of parameter columns, which prevents conflicts with other columns."""


def suite_rows(benchmarks: Sequence[Benchmark]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each benchmark's row."""
    for benchmark in benchmarks:
        forks, iterations = benchmark.forks.shape
        measured = benchmark.measured[np.isfinite(benchmark.measured)]
        median = value(float(np.median(measured))) if measured.size else "–"
        counts = (f"{number:,}" for number in (forks, iterations, benchmark.warmup))
        yield (benchmark.identity.label, *counts, median, benchmark.unit)


def long_frame(benchmarks: Sequence[Benchmark]) -> pandas.DataFrame:
    """Return a data frame with a row per value; see `Suite.to_pandas`."""
    from steady.tables import frame

    places = [np.nonzero(~np.isnan(benchmark.forks)) for benchmark in benchmarks]
    counts = np.array([len(fork) for fork, _ in places], dtype=np.intp)
    values = [b.forks[place] for b, place in zip(benchmarks, places, strict=True)]
    iteration = _joined([iteration.astype(np.int32) for _, iteration in places], np.int32)
    identities = [benchmark.identity for benchmark in benchmarks]
    given = [dict(identity.params) for identity in identities]
    parameters = dict.fromkeys(name for own in given for name in own)
    return frame(
        {
            "benchmark": _coded([i.label for i in identities], counts),
            "name": _coded([i.name for i in identities], counts),
            "mode": _coded([i.mode for i in identities], counts),
            **{f"{PARAMETER}{n}": _coded([p.get(n) for p in given], counts) for n in parameters},
            "threads": _repeated([i.threads for i in identities], counts),
            "fork": _joined([fork.astype(np.int32) for fork, _ in places], np.int32),
            "iteration": iteration,
            "warmup": iteration < _repeated([b.warmup for b in benchmarks], counts),
            "value": _joined(values, np.float64),
            "unit": _coded([b.unit for b in benchmarks], counts),
        }
    )


def _coded(texts: Sequence[str | None], counts: npt.NDArray[np.intp]) -> CategoricalColumn:
    """Return a categorical column from one text or None per benchmark."""
    from steady.tables import CategoricalColumn

    known = dict.fromkeys(text for text in texts if text is not None)
    codes = {text: code for code, text in enumerate(known)}
    kind = np.min_scalar_type(-max(len(known), 1))  # one byte if there are few texts
    each = np.array([-1 if text is None else codes[text] for text in texts], dtype=kind)
    return CategoricalColumn(np.repeat(each, counts), list(known))


def _repeated(numbers: Sequence[int], counts: npt.NDArray[np.intp]) -> npt.NDArray[np.int32]:
    return np.repeat(np.array(numbers, dtype=np.int32), counts)


def _joined(parts: Sequence[npt.NDArray[Any]], kind: type[np.generic]) -> npt.NDArray[Any]:
    return np.concatenate([np.empty(0, dtype=kind), *parts])
