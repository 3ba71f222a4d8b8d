"""Reader of the jmh-steady data: 586 JMH benchmarks, 10 forks of 3000 iterations each."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from steady.model import FloatArray

ITERATION_SECONDS = 0.1


def read_series(folder: Path) -> Iterator[tuple[str, FloatArray]]:
    """Yield each benchmark's name and its series in seconds per invocation, shape (10, 3000)."""
    for path in sorted((folder / "series").glob("*.npz")):
        with np.load(path) as data:
            planes = np.ascontiguousarray(np.moveaxis(data["planes"], 0, -1))
            yield from zip(map(str, data["benchmark"]), planes.view("<f8")[..., 0], strict=True)


def read_rows(folder: Path, name: str) -> list[dict[str, str]]:
    """Return the rows of one of the data's CSV files."""
    with (folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def joined(series: FloatArray, size: int) -> FloatArray:
    """Merge every `size` iterations into one, as the harness would have reported it.

    An iteration lasts at least 0.1 s and ends with an invocation; the value of the merged one is
    its duration divided by its number of invocations.
    """
    invocations = np.ceil(ITERATION_SECONDS / series)
    shape = (*series.shape[:-1], -1, size)
    seconds = (series * invocations).reshape(shape).sum(axis=-1)
    return np.asarray(seconds / invocations.reshape(shape).sum(axis=-1), dtype=np.float64)
