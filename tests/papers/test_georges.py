"""Georges' rule beside a literal one, and beside the published results."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.errors import InputError
from steady.model import FloatArray
from steady.papers.stops import georges


def literal(values: FloatArray, window: int, threshold: float, step: int) -> int | None:
    for first in range(0, len(values) - window + 1, step):
        part = values[first : first + window]
        if np.std(part) / np.mean(part) < threshold:
            return first
    return None


@given(
    st.integers(0, 2**32 - 1),
    st.integers(10, 150),
    st.integers(2, 30),
    st.sampled_from([0.01, 0.02, 0.1]),
    st.booleans(),
)
@settings(deadline=None)
def test_is_the_literal_rule(
    seed: int, length: int, window: int, threshold: float, overlap: bool
) -> None:
    random = np.random.default_rng(seed)
    values = 1 + np.exp(-np.arange(length) / 20) + random.normal(0, 0.02, length)
    state = georges(values, window=window, threshold=threshold, overlap=overlap)
    assert state.start == literal(values, window, threshold, 1 if overlap else window)


def test_finds_the_end_of_a_step() -> None:
    values = [2.0] * 5 + [1.0, 1.01] * 20
    assert georges(values, threshold=0.01).start == 5
    assert georges(values, threshold=0.001).start is None
    assert georges(values, threshold=0.01, overlap=False).start == 10


@pytest.mark.parametrize("options", [{"window": 1}, {"threshold": 0.0}])
def test_options_out_of_range_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(options))):
        georges(np.arange(20.0), **options)  # type: ignore[arg-type]


def test_published_starts_are_met_where_an_iteration_is_one_invocation(shared: Path) -> None:
    folder = shared / "data" / "jmh-steady"
    with (folder / "configs.csv").open(newline="", encoding="utf-8") as file:
        rows = {(row["benchmark"], int(row["fork"])): row for row in csv.DictReader(file)}
    found, expected = [], []
    for path in sorted((folder / "series").glob("*.npz")):
        with np.load(path) as data:
            planes = np.ascontiguousarray(np.moveaxis(data["planes"], 0, -1))
            names = [str(name) for name in data["benchmark"]]
        for name, forks in zip(names, planes.view("<f8")[..., 0], strict=True):
            for fork in np.flatnonzero(forks.min(axis=1) >= 0.2).tolist():
                start = georges(forks[fork], window=30, overlap=False).start
                # -1 stands for a start at 0 and for none.
                found.append(start or -1)
                expected.append(int(rows[name, fork]["georges_warmup_last"]))
    assert len(found) == 640
    # A long iteration may still hold several invocations, which they judged one by one.
    assert np.mean(np.array(found) == np.array(expected)) > 0.97
